#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# fetch, apply, refresh, export: the way there and back, and what goes wrong on it.
. "$(dirname "$0")/lib.sh"
project

passes "an empty series makes a tree" bin/apply
same "it is the base" "$(git -C build/9.1/tree rev-parse base^0)" "$(git -C build/9.1/tree rev-parse HEAD)"
passes "an empty series can be refreshed" bin/refresh
passes "and exported" bin/export

# ---- a series of three: an edit, an edit and new files, a new file only ----------------
sed -i 's/^20$/twenty/' build/9.1/tree/kernel/trace/ftrace.c
commit "kprobes: Prepare something"
sed -i 's/^40$/forty/' build/9.1/tree/kernel/trace/ftrace.c
echo 'new file' >build/9.1/tree/kernel/trace/ftrace_new.c
printf '#!/bin/sh\n' >build/9.1/tree/kernel/trace/tool.sh; chmod +x build/9.1/tree/kernel/trace/tool.sh
commit "ftrace: Let it, ümlaut and all"
mkdir -p build/9.1/tree/samples/ftrace; echo sample >build/9.1/tree/samples/ftrace/sample.c
commit "samples: ftrace: Add one"
passes "refresh writes it" bin/refresh
same "names, order and files" "0101-kprobes-prepare-something.patch
0201-ftrace-let-it-mlaut-and-all.patch # + kernel/trace/ftrace_new.c kernel/trace/tool.sh
0801-samples-ftrace-add-one.patch # + samples/ftrace/sample.c" "$(grep -v '^#' bases/9.1/patches/series | tr -s ' ')"
same "a new file is here" "new file" "$(cat kernel/trace/ftrace_new.c)"
passes "and not in a patch" sh -c '! grep -q "ftrace_new\|sample.c" bases/9.1/patches/*.patch'
passes "an executable stays one" test -x kernel/trace/tool.sh
s=$(state) head=$(git -C build/9.1/tree rev-parse 'HEAD^{tree}')
passes "refresh again" bin/refresh
same "changes no byte" "$s" "$(state)"
rm -rf build
passes "apply it from nothing" bin/apply
same "it is the same tree" "$head" "$(git -C build/9.1/tree rev-parse 'HEAD^{tree}')"
same "by three commits" 3 "$(git -C build/9.1/tree rev-list --count base..callops)"
same "author and date are the mail's" "Dev 2026-01-02T03:04:05+01:00" "$(git -C build/9.1/tree log -1 --format='%an %aI')"
passes "refresh from that" bin/refresh
same "changes no byte" "$s" "$(state)"
one=$(git -C build/9.1/tree rev-parse HEAD)
rm -rf build; bin/apply >/dev/null 2>&1
same "the same commits each time" "$one" "$(git -C build/9.1/tree rev-parse HEAD)"
passes "apply again" bin/apply
said "says that it is up to date" 'up to date'

# ---- export ------------------------------------------------------------------------------
passes "export" bin/export
passes "options to switch on" grep -q '^CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS=y' build/9.1/series/callops.config
passes "but no samples" sh -c '! grep SAMPLE build/9.1/series/callops.config'
passes "and none to switch off" sh -c '! grep "is not set" build/9.1/series/callops.config'
rm -rf "$T/am"; git clone -q "$CALLOPS_CACHE/src/9.1" "$T/am"
passes "plain git am takes the mailbox" git -C "$T/am" am -q "$P"/build/9.1/series/mbox/*.patch
same "and makes the same tree" "$head" "$(git -C "$T/am" rev-parse 'HEAD^{tree}')"
git -C "$T/am" reset -q --hard origin/pristine
passes "the diff applies" git -C "$T/am" apply --index "$P/build/9.1/series/callops-9.1.diff"
same "and makes the same tree" "$head" "$(git -C "$T/am" write-tree)"
rm -rf "$T/q"; kernel "$T/q" 9 1
passes "the quilt series applies by patch, fuzz 0" sh -c "cd '$T/q' && grep -v '^#' '$P/build/9.1/series/quilt/series' |
	while read -r p; do patch -s -p1 --fuzz=0 <'$P/build/9.1/series/quilt/'\$p || exit 1; done"
same "and makes the same file" "$(cat build/9.1/tree/kernel/trace/ftrace.c)" "$(cat "$T/q/kernel/trace/ftrace.c")"

# ---- a series that changes -------------------------------------------------------------------
touch -d 2001-01-01 build/9.1/tree/include/linux/ftrace.h
sed -i 's/^new file/newer file/' kernel/trace/ftrace_new.c
passes "a changed file is applied" bin/apply
same "to the tree" "newer file" "$(cat build/9.1/tree/kernel/trace/ftrace_new.c)"
same "others keep their time" 978307200 "$(stat -c %Y build/9.1/tree/include/linux/ftrace.h)"
sed -i '1i # --- a comment that stays' bases/9.1/patches/series
passes "a comment in series" bin/apply
passes "is not lost" bin/refresh
passes "by refresh" grep -q '# --- a comment that stays' bases/9.1/patches/series
git -C build/9.1/tree notes --ref=callops remove HEAD 2>/dev/null
(cd build/9.1/tree && GIT_SEQUENCE_EDITOR="sed -i '1{h;d};2{G}'" git rebase -q -i base) >/dev/null 2>&1
cp -a bases/9.1/patches "$T/keep"
passes "two patches change places" bin/refresh
same "and keep their names" "0201-ftrace-let-it-mlaut-and-all.patch
0101-kprobes-prepare-something.patch
0801-samples-ftrace-add-one.patch" "$(grep -v '^#' bases/9.1/patches/series | cut -d' ' -f1)"
git -C build/9.1/tree reset -q --hard "$one"; rm -rf bases/9.1/patches; mv "$T/keep" bases/9.1/patches; rm -rf build
git -C build/9.1/tree status >/dev/null 2>&1; bin/apply >/dev/null 2>&1

# A new commit between two that leave it no number, until one is renamed.
name() { mv "bases/9.1/patches/$1" "bases/9.1/patches/$2"; sed -i "s/^$1/$2/" bases/9.1/patches/series; }
name 0201-ftrace-let-it-mlaut-and-all.patch 0102-ftrace-let-it-mlaut-and-all.patch
passes "a patch is given another name" bin/apply
sed -i 's/^25$/twenty-five/' build/9.1/tree/kernel/trace/ftrace.c
commit "kprobes: Prepare more"
(cd build/9.1/tree && GIT_SEQUENCE_EDITOR="sed -i -e '/Prepare more/d' -e '1a pick callops'" git rebase -q -i base) >/dev/null 2>&1
fails "a commit for which there is no number" 1 'no number is free for .kprobes: Prepare more.' bin/refresh
name 0102-ftrace-let-it-mlaut-and-all.patch 0201-ftrace-let-it-mlaut-and-all.patch
passes "has one when a patch is renamed" env FORCE=1 bin/refresh
same "in its place" "0101-kprobes-prepare-something.patch
0102-kprobes-prepare-more.patch
0201-ftrace-let-it-mlaut-and-all.patch
0801-samples-ftrace-add-one.patch" "$(grep -v '^#' bases/9.1/patches/series | cut -d' ' -f1)"
git -C build/9.1/tree rebase -q --onto HEAD~3 HEAD~2
passes "a commit that is dropped" bin/refresh
passes "takes its patch along" test ! -e bases/9.1/patches/0102-kprobes-prepare-more.patch

# A mail with a message and no diff, whose line brings the file.
printf 'From: A <a@localhost>\nDate: Fri, 2 Jan 2026 03:04:05 +0000\nSubject: [PATCH] docs: Only a file\n\nIts message.\n' >bases/9.1/patches/0901-docs-only-a-file.patch
mkdir -p Documentation; echo text >Documentation/x.rst
echo '0901-docs-only-a-file.patch  # + Documentation/x.rst' >>bases/9.1/patches/series
passes "a mail without a diff" bin/apply
same "brings its file" text "$(cat build/9.1/tree/Documentation/x.rst)"
passes "and can be refreshed" bin/refresh
s=$(state)
passes "twice" bin/refresh
same "the same" "$s" "$(state)"
git -C build/9.1/tree rm -q Documentation/x.rst
commit "docs: Away with it"
fails "a later commit touches a new file" 1 'edits Documentation/x.rst, which 0901-docs-only-a-file.patch brings' bin/refresh
git -C build/9.1/tree reset -q --hard HEAD~2
passes "a commit that is dropped" bin/refresh
passes "takes patch and file along" sh -c '! test -e bases/9.1/patches/0901-docs-only-a-file.patch && ! test -e Documentation/x.rst'

# ---- bad input ------------------------------------------------------------------------------------
good=$T/good; rm -rf "$good"; mkdir "$good"; cp -a --parents bases/9.1/patches kernel samples "$good/"
restore() { rm -rf bases/9.1/patches kernel samples; cp -a "$good"/. .; }
tree=$(git -C build/9.1/tree rev-parse HEAD)
unchanged() { same "$1: the old tree is still there" "$tree" "$(git -C build/9.1/tree rev-parse HEAD)"; }

sed -i 's/^-40$/-41/' bases/9.1/patches/0201-*.patch
fails "a patch that does not apply" 1 '0201-ftrace-let-it-mlaut-and-all.patch does not apply: kernel/trace/ftrace.c, hunk 1 ' bin/apply
unchanged "after that"
rm -rf "$T/b"; mv build "$T/b"
fails "the same from nothing" 1 'hunk 1 ' bin/apply
passes "leaves no tree" sh -c '! test -e build/9.1/tree && ! test -e build/9.1/tree.new'
rm -rf build; mv "$T/b" build; restore

sed -i 's/^ 38$/ 3x/' bases/9.1/patches/0201-*.patch
fails "context that differs in one line (fuzz)" 1 'does not apply: kernel/trace/ftrace.c, hunk 1' bin/apply
restore
mkdir -p include/linux; echo x >include/linux/ftrace.h
sed -i 's|^0801.*|& include/linux/ftrace.h|' bases/9.1/patches/series
fails "a new file that the base has" 1 'brings include/linux/ftrace.h, which the base already has' bin/apply
unchanged "after that"
rm -r include; restore
sed -i 's|^0801.*|& kernel/trace/ftrace_new.c|' bases/9.1/patches/series
fails "a new file brought twice" 1 'an earlier patch already brought' bin/apply; restore
rm samples/ftrace/sample.c
fails "a new file that is not there" 1 'brings samples/ftrace/sample.c, which does not exist' bin/apply; restore
rm bases/9.1/patches/0101-*
fails "a patch that is not there" 1 'series names 0101-.*which does not exist' bin/apply; restore
echo garbage >bases/9.1/patches/0101-kprobes-prepare-something.patch
fails "a patch that is no mail" 1 '0101-kprobes-prepare-something.patch (is not a patch mail|has no Subject)' bin/apply; restore
passes "all is well again" bin/apply
unchanged "and"

echo edit >>build/9.1/tree/kernel/trace/ftrace.c
fails "refresh of a dirty tree" 1 'edits that are not committed .kernel/trace/ftrace.c' bin/refresh
git -C build/9.1/tree checkout -q -- .
echo x >build/9.1/tree/ignored.patch
fails "an untracked file, though .gitignore hides it" 1 'not committed .ignored.patch' bin/refresh
echo '# a change' >>kernel/trace/ftrace_new.c
fails "apply over a dirty tree" 1 'build/9.1/tree has edits' bin/apply
rm build/9.1/tree/ignored.patch
echo work >>build/9.1/tree/kernel/trace/ftrace.c; commit "ftrace: Unwritten work"
work=$(git -C build/9.1/tree rev-parse HEAD)
fails "apply over commits that were not refreshed" 1 'commits that are not in patches' bin/apply
fails "both sides changed" 1 'both patches/ and build/9.1/tree changed' bin/refresh
fails "clean with such work" 1 'has work that is not in patches' bin/clean
same "the work is still there" "$work" "$(git -C build/9.1/tree rev-parse HEAD)"
restore
passes "refresh writes it" bin/refresh
echo stashed >>build/9.1/tree/kernel/trace/ftrace.c; git -C build/9.1/tree stash -q
fails "clean with work that is set aside" 1 'has work that is not in patches' bin/clean
git -C build/9.1/tree stash drop -q
holds build/9.1/.tree.lock
fails "apply while another run has the tree" 1 'another run is busy with build/9.1/tree' bin/apply
(sleep 2; kill $!) &
passes "with WAIT=1 it waits" env WAIT=1 timeout 30 bin/apply
said "and says so" 'waiting for another run to finish with build/9.1/tree$'
holds build/9.1/.tests.arm64.lock
fails "clean while tests run" 1 'another run is busy with build/9.1/.tests.arm64.lock' bin/clean
kill $!
mkdir -p build/9.1/arm64
holds build/9.1/arm64/base.lock
fails "clean while a kernel is built" 1 'another run is busy with build/9.1/arm64/base.lock' bin/clean
kill $!
mkdir -p build/9.1/bench
holds build/9.1/bench/.lock
fails "clean while figures are measured" 1 'another run is busy with build/9.1/bench/.lock' bin/clean
kill $!
git -C build/9.1/tree checkout -q --detach
fails "a detached tree" 1 'not on branch callops' bin/refresh
git -C build/9.1/tree checkout -q callops

# ---- a user's own tree --------------------------------------------------------------------------------
rm -rf "$T/user"; kernel "$T/user" 9 1; echo more >>"$T/user/scripts/tool"
u=$(cd "$T/user" && find . -type f -exec sha256sum {} + | sort | sha256sum; stat -c %Y "$T/user")
passes "KERNEL=" env KERNEL="$T/user" bin/apply
same "has the series" "$(cat build/9.1/tree/kernel/trace/ftrace.c)" "$(cat build/9.1/tree-user/kernel/trace/ftrace.c)"
same "and what the user has" "more" "$(tail -n 1 build/9.1/tree-user/scripts/tool)"
same "which was not touched" "$u" "$(cd "$T/user" && find . -type f -exec sha256sum {} + | sort | sha256sum; stat -c %Y "$T/user")"
passes "again" env KERNEL="$T/user" bin/apply
echo even >>"$T/user/scripts/tool"
passes "the user's tree goes on" env KERNEL="$T/user" bin/apply
same "and so does ours" "even" "$(tail -n 1 build/9.1/tree-user/scripts/tool)"
rm -rf "$T/other"; kernel "$T/other" 6 6
fails "a tree of another version" 1 'is Linux 6.6.99; the series is for 9.1.y' env KERNEL="$T/other" bin/apply
fails "not a kernel" 1 'is not a kernel source tree' env KERNEL="$T/cache" bin/apply
fails "no directory" 1 'is not a directory' env KERNEL="$T/nowhere" bin/apply

# ---- two at once ----------------------------------------------------------------------------------------
exec 9>build/9.1/.tree.lock; flock 9
fails "a concurrent run" 1 'another run is busy with build/9.1/tree' bin/apply
exec 9>&-

# ---- a second base -----------------------------------------------------------------------
# It shares the new files, has one of its own in place of another, and a line that differs.
cp -a bases/9.1 bases/9.2
sed -i "s|9\.1|9.2|g; s|^source .*|source 9.2.99-1 0|" bases/9.2/source
kernel "$CALLOPS_CACHE/src/9.2.99-1" 9 2
sed -i 's/^37$/other/' "$CALLOPS_CACHE/src/9.2.99-1/kernel/trace/ftrace.c"
(cd "$CALLOPS_CACHE/src/9.2.99-1" && git init -q -b pristine . && git add -Af . &&
	git commit -q -m base && git tag base && echo fake >.git/callops-source)
ln -s 9.2.99-1 "$CALLOPS_CACHE/src/9.2"
fails "a base that is not there" 1 "unknown BASE '9.3'; known: 9.1/ 9.2/" env BASE=9.3 bin/apply
first=$(state) tree=$(git -C build/9.1/tree rev-parse HEAD)
fails "a patch that does not fit the second base" 1 \
	'0201-ftrace-let-it-mlaut-and-all.patch does not apply: kernel/trace/ftrace.c, hunk 1' env BASE=9.2 bin/apply
same "and the first base: no file changes" "$first" "$(state)"
same "the tree of the first base" "$tree" "$(git -C build/9.1/tree rev-parse HEAD)"
sed -i 's/^ 37$/ other/' bases/9.2/patches/0201-*.patch
mkdir -p bases/9.2/files/samples/ftrace; echo "second sample" >bases/9.2/files/samples/ftrace/sample.c
passes "the second base, mended" env BASE=9.2 bin/apply
same "has the new file of both" "$(cat kernel/trace/ftrace_new.c)" "$(cat build/9.2/tree/kernel/trace/ftrace_new.c)"
same "and its own" "second sample" "$(cat build/9.2/tree/samples/ftrace/sample.c)"
git -C build/9.2/tree reset -q --hard HEAD~2
passes "new files that leave the second base" env BASE=9.2 bin/refresh
passes "stay for the first" test -e kernel/trace/ftrace_new.c
passes "and leave it, if they are its own" test ! -e bases/9.2/files/samples/ftrace/sample.c
same "whose series has them" "$tree" "$(bin/apply >/dev/null 2>&1; git -C build/9.1/tree rev-parse HEAD)"
