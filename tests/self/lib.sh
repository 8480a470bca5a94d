# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Sourced by the tests here: a project of its own in a scratch directory, with a
# kernel of six files in its cache. Its base is the default one, called 9.1.
set -uo pipefail
REAL=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
T=$(mktemp -d "${TMPDIR:-/tmp}/callops-test.XXXXXX")
tear_down() { [ ! -d "$T/disk" ] || umount "$T/disk" 2>/dev/null; rm -rf -- "$T"; }
trap tear_down EXIT
trap 'exit 130' INT TERM
REAL_CACHE=${CALLOPS_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/callops}
unset ARCH LLVM KERNEL CONFIG V BASE SIDE CMD FORCE MAKEFLAGS MFLAGS MAKELEVEL XDG_CACHE_HOME
# What tests/all tells the tests that it runs, of which these are one
unset WAIT ARCHES LONG KEPT_ONLY SIDES SUITE SUMMARY BOOT PREFIX WISH STRESS_SECONDS MUTATION_SECONDS WALK_SECONDS WALK_SEED
export CALLOPS_CACHE=$T/cache LC_ALL=C
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
export GIT_AUTHOR_NAME=Dev GIT_AUTHOR_EMAIL=dev@localhost GIT_COMMITTER_NAME=Dev GIT_COMMITTER_EMAIL=dev@localhost
P=$T/project
read -ra CLANGS < <(sed -n 's/^clang *//p' "$REAL/bases/$(cat "$REAL/bases/default")/source")
CLANG=${CLANGS[-1]}

ok() { echo "ok - $*"; }
not_ok() { echo "not ok - $*"; [ ! -s "$T/log" ] || sed 's/^/#   /' "$T/log" | head -n 12; }
skip() { echo "ok - $* # SKIP"; }

# passes WHAT COMMAND...
passes() {
	local what=$1 rc=0
	shift
	"$@" >"$T/log" 2>&1 || rc=$?
	if [ "$rc" = 0 ]; then ok "$what"; else echo "# status $rc" >>"$T/log"; not_ok "$what"; fi
}
# fails WHAT STATUS REGEX COMMAND...: that status, one line of error, which matches
fails() {
	local what=$1 want=$2 re=$3 rc=0
	shift 3
	"$@" >"$T/log" 2>&1 || rc=$?
	if [ "$rc" = "$want" ] && [ "$(grep -c '^callops: error: ' "$T/log")" = 1 ] &&
	   grep -qE "^callops: error: .*($re)" "$T/log"; then
		ok "$what"
	else
		echo "# status $rc, expected $want and one line /$re/" >>"$T/log"
		not_ok "$what"
	fi
}
# said WHAT REGEX: in what the last command printed
said() { if grep -qE "$2" "$T/log"; then ok "$1"; else not_ok "$1"; fi; }
same() { if [ "$2" = "$3" ]; then ok "$1"; else printf '%s\n' "expected: $2" "got: $3" >"$T/log"; not_ok "$1"; fi; }

# kernel DIR VERSION PATCHLEVEL: a source tree of a few files
kernel() {
	mkdir -p "$1"/{arch,kernel/trace,include/linux,scripts}
	printf '# SPDX-License-Identifier: GPL-2.0\nVERSION = %s\nPATCHLEVEL = %s\nSUBLEVEL = 99\nEXTRAVERSION =\nmrproper:\n' "$2" "$3" >"$1/Makefile"
	seq 1 60 >"$1/kernel/trace/ftrace.c"
	seq 100 140 >"$1/include/linux/ftrace.h"
	seq 1 4 >"$1/arch/Kconfig"
	echo obj-y += ftrace.o >"$1/kernel/trace/Makefile"
	printf '/*\n*.patch\n' >"$1/.gitignore"
	echo '*.c diff=cpp' >"$1/.gitattributes"
	echo tool >"$1/scripts/tool"
}

# project: bin and what it needs, an empty series, a cache that has the base
project() {
	rm -rf "$P" "$CALLOPS_CACHE"
	mkdir -p "$P/tests" "$P/bases/9.1" "$CALLOPS_CACHE/src"
	cp -a "$REAL/bin" "$REAL/qemu" "$REAL/Makefile" "$P/"
	echo 9.1 >"$P/bases/default"
	local v
	v=$(cat "$REAL/bases/default")
	cp "$REAL/bases/$v/deb.patch" "$P/bases/9.1/"
	sed "s|${v//./\\.}|9.1|g" "$REAL/bases/$v/source" >"$P/bases/9.1/source"
	v=$(awk '$1 == "source" { v = $2 } END { print v }' "$P/bases/9.1/source")
	kernel "$CALLOPS_CACHE/src/$v" 9 1
	(cd "$CALLOPS_CACHE/src/$v" && git init -q -b pristine . && git add -Af . &&
		git commit -q -m base && git tag base && echo fake >.git/callops-source)
	ln -s "$v" "$CALLOPS_CACHE/src/9.1"
	cd "$P" || exit
	# Nothing is fetched, and nothing asks for a QEMU that the host may lack
	sed -i 's/^ARCH_QEMU_DEBIAN=.*/ARCH_QEMU=true/' qemu/arch/*.sh
}

# commit SUBJECT [DATE]: all that is in build/9.1/tree
commit() {
	git -C build/9.1/tree add -Af . &&
	GIT_AUTHOR_DATE=${2:-2026-01-02T03:04:05+0100} git -C build/9.1/tree commit -q -m "$1" -m "Because of the test."
}
# within SECONDS COMMAND...: wait until it succeeds
within() { for _ in $(seq "$1"); do sleep 1; ! "${@:2}" >/dev/null || break; done; }
# holds LOCK: somebody does, until kill $!
holds() { (exec 9>>"$1"; flock 9; exec sleep 60) & sleep 1; }
# state: all files that are not generated, by content
state() { (cd "$P" && find . -path ./build -prune -o -type f -exec sha256sum {} + | sort | sha256sum); }
