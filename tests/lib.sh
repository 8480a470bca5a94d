# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Sourced by the scripts that run tests: several parts, and the sum of them; the heads
# of tests; KTAP.
sum_pass=0 sum_fail=0 sum_skip=0 part_counts='' failures=''

# part NAME COMMAND...: run it, show what it says but for such lines as its last, which is
# "N passed, N failed, N skipped", and add that; it is in $part_counts, too. What failed,
# and the end of what it said, goes into $failures.
part() {
	local name=$1 log=$BUILD/tests/part.$BASHPID.log rc p=0 f=1 s=0 why=
	shift
	mkdirs "$BUILD/tests"
	rm -f "$log.rc"
	# A function has traps of its own here, which end what it runs
	{
		rc=0
		(trap stop_running EXIT; trap 'exit 130' INT; trap 'exit 143' TERM HUP; "$@") || rc=$?
		echo "$rc" >"$log.rc"
	} </dev/null 2>&1 | tee "$log" | sed -uE '/^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$/d'
	rc=$(cat "$log.rc")
	if [[ $(tail -n 1 "$log") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed,\ ([0-9]+)\ skipped$ ]]; then
		p=${BASH_REMATCH[1]} f=${BASH_REMATCH[2]} s=${BASH_REMATCH[3]}
		if [ "$rc" != 0 ] && [ "$f" = 0 ]; then
			why="not ok - $name: exit status $rc" f=1
		fi
	else
		why="not ok - $name gave no result"
	fi
	[ -z "$why" ] || echo "$why"
	part_counts="$p $f $s"
	add_counts
	[ "$f" = 0 ] || failures+="$name failed:"$'\n'"$({ grep -aE '^(not ok|#   [^|])' "$log"; tail -n 6 "$log"; [ -z "$why" ] || echo "$why"; } | sed 's/^/  /')"$'\n'
	rm -f "$log" "$log.rc"
}

add_counts() {
	local p f s
	read -r p f s <<<"$part_counts"
	sum_pass=$((sum_pass + p)) sum_fail=$((sum_fail + f)) sum_skip=$((sum_skip + s))
}

# fingerprint PATH...: of all that a result depends on: these files and folders, what
# makes, builds and boots a kernel of this ARCH, its configuration and those that tests
# among the paths ask for, the source of the base, the tools, the guest's user space, and
# what was asked for. tests/guest-modules are those of this ARCH. A path that is missing counts.
fingerprint() {
	local t user with clang paths=() flavors checkers=()
	arch_load
	qemu_load
	user=$("$TOP/bin/userspace") || return
	[ -z "${ARCH_QEMU_DEBIAN:-}" ] || user+=" ${ARCH_QEMU%/*}"
	cd "$TOP" || return
	if [[ "$* $CONFIG" =~ bpf|ftracetest ]] || grep -qs '^# .*boot:.* --tools' "$@"; then
		! has debian-tools || user+=" $("$TOP/bin/userspace" sysroot)" || return
	fi
	with=$(base_with) || return
	read -ra clang <<<"$(base clang)"
	[ -z "$LLVM" ] || clang+=("${LLVM#1}")
	[[ $* != *tests/hygiene* ]] || checkers=(sparse sphinx-build)
	flavors=$(for t; do [[ $t != tests/guest/*.sh ]] || header "$t" flavor; done)
	mapfile -t paths < <(CONFIG="$CONFIG ${flavors//$'\n'/ }" config_files
		for t; do
			[ "$t" = tests/guest-modules ] || { echo "$t"; continue; }
			{ echo "$t/checks.h"; guest_modules; } | xargs realpath --relative-to=.
		done)
	set -- "${paths[@]}" ${with:+"$(realpath --relative-to=. "$PATCHES")"/$with} bin/{apply,boot,build,cc,fetch,kbuild.sh,lib.sh,userspace,verdict} qemu/init.sh "qemu/arch/$ARCH.sh"
	{
		printf '%s|' "$ARCH" "$(abilities)" "$LLVM" "$KERNEL" "$CONFIG" "${BOOT:-}" "${WISH:-}" "${SIDES:-}" "${STRESS_SECONDS:-}" "${MUTATION_SECONDS:-}" "${WALK_SECONDS:-}" "${WALK_SEED:-}" "${BPF_CLANG:-}"
		base source
		[ -z "$KERNEL" ] || g -C "$(base_src)" rev-parse base^0
		for t in "${ARCH_CROSS}gcc" "${ARCH_CROSS}ld" "${clang[@]/#/clang}" "${clang[@]/#/ld.lld}" "${clang[@]/#/llvm-nm}" \
			gcc make pahole bpftool "${checkers[@]}" "$ARCH_QEMU"; do
			"$t" --version 2>/dev/null || :
		done | sed '/Host CPU:/d'	# llvm-nm names it
		for t in $user; do cat "$t.sha256" || return; done
		{ find "$@" -type f -exec sha256sum {} + 2>&1 || :; } | sort -u
	} | sha256sum | cut -c1-16
}

# test_files NAME: a test of tests/guest, and those that it sources
test_files() {
	echo "tests/guest/$1.sh"
	sed -n 's|^\. "${0%/\*}/\([^/"]*\.sh\)".*|tests/guest/\1|p' "$TOP/tests/guest/$1.sh"
}

# test_paths NAME...: what these tests of tests/guest are made of
test_paths() {
	local t files
	echo tests/guest/lib tests/guest-modules
	for t; do
		test_files "$t"
		files=$(header "$TOP/tests/guest/$t.sh" files)
		[ -z "$files" ] || echo "${files%/*}" probe
	done
}

# guest_command NAME: runs the test of tests/guest in the guest, which is told what it asks for
guest_command() {
	echo "HAS='$(abilities)' SAYS='${SAYS:-}' STRESS_SECONDS=${STRESS_SECONDS:-} WALK_SECONDS=${WALK_SECONDS:-} WALK_SEED=$WALK_SEED sh ./$1.sh"
}

# made_of [COMMIT]: what the series, up to COMMIT or as it is in the tree, makes of the
# base for $ARCH: all but the documentation, what is for another one, and comments of C.
# The tree may have files that are in no commit.
made_of() {
	local a without=(':(exclude)Documentation')
	for a in $(arch_known); do [ "$a" = "$ARCH" ] || without+=(":(exclude)arch/$a"); done
	# shellcheck disable=SC2016
	{
		g -C "$(tree_src)" -c diff.cpp.cachetextconv=true -c diff.cpp.textconv='code() { gcc -w -fpreprocessed -dD -E -P "$1" 2>/dev/null || cat "$1"; }; code' \
			diff --binary --textconv base "$@" -- . "${without[@]}" &&
		{ [ $# -gt 0 ] || (cd "$(tree_src)" && g ls-files -z --others | xargs -0r sha256sum); }
	} | sed '/^index /d' | sha256sum | cut -c1-16
}

# store FILE: standard input, all of it or nothing
store() {
	mkdirs "${1%/*}"
	cat >"$1.new" && mv "$1.new" "$1" || die "cannot write $1: disk full?"
}

# key_of COMMAND...: of what it gives with all that it depends on, $paths among them, and
# $up_to, a commit of the series, which is the whole of it without that. $print is the
# fingerprint of $paths, if the caller knows it.
key_of() {
	local of
	of=$(made_of ${up_to:+"$up_to"} && { [ -n "${print:-}" ] && echo "$print" || fingerprint "${paths[@]}"; }) || return
	sha256sum <<<"$of ${*//"$TOP/"/}" | cut -c1-16
}

# once NAME "PATH..." COMMAND...: as part, and a line for the table if it writes none of
# its own. With LONG=1 the result of one that passed is kept, and taken again while
# nothing changes of what the series makes of the base, and of these paths: so hours of
# tests can be interrupted, and go on. Without paths it is made of parts that are kept.
# With KEPT_ONLY=1 what is not kept is not run, but due.
once() {
	local name=$1 paths=() key='' kept='' table=${SUMMARY:-/dev/null}
	# shellcheck disable=SC2206
	[ -z "$2" ] || paths=(tests/lib.sh $2)
	shift 2
	if [ "${LONG:-0}" = 1 ] && [ "${#paths[@]}" -gt 0 ]; then
		key=$(key_of "$@") || die "cannot read what $name depends on"
		kept=$BUILD/tests/kept/$key
		if [ -s "$kept" ]; then
			echo "# $name: passed on $(cut -d'|' -f6 "$kept" | tail -n 1), and nothing has changed"
			part_counts=$(lines_sum <"$kept")
			add_counts
			cat "$kept" >>"$table"
			return
		elif [ "${KEPT_ONLY:-0}" = 1 ]; then
			record "${name%,*}" - - due
			return
		fi
	fi
	local -x SUMMARY=$BUILD/tests/lines.$BASHPID
	mkdirs "$BUILD/tests"
	: >"$SUMMARY"
	part "$name" "$@"
	[ -s "$SUMMARY" ] || record "${name%,*}" - "$part_counts" -
	[ -z "$key" ] || sed -i "s/\$/|$(date -u +%F)|$key/" "$SUMMARY"
	cat "$SUMMARY" >>"$table" || die "cannot write $table: disk full?"
	if [ -n "$kept" ] && [[ $part_counts =~ ^[1-9][0-9]*\ 0\  ]]; then
		if [ "$(key_of "$@")" = "$key" ]; then store "$kept" <"$SUMMARY"
		else say "$name: not kept, as what it depends on has changed meanwhile"; fi
	fi
	rm -f "$SUMMARY"
}

# lines_sum: the counts of these lines of the table, which passed: a failure among them
# is one that is explained, and counts as skipped
lines_sum() {
	awk -F'|' '{ for (i = 3; i < 5; i++) { split($i, n, " "); p += n[1]; s += n[2] + n[3] } } END { print p + 0, 0, s + 0 }'
}

# The end: nothing is printed after this.
sum() {
	echo "$sum_pass passed, $sum_fail failed, $sum_skip skipped"
	[ "$sum_fail" = 0 ] && { [ "$sum_pass" -gt 0 ] || [ "${KEPT_ONLY:-0}" = 1 ]; } || exit 1
}

# build_shown SIDE: build it; its progress, which may take minutes, and what is wrong
# with it are shown, and all that it says is in $log.
build_shown() {
	"$TOP/bin/build" "$1" 2>&1 | tee "$log" | sed -un '/building\|compiled\|rror\|^  /s/^/# /p'
}

# header FILE KEY [LINES]: what "# KEY: " in the head of a test says
header() { sed -n "s/^# $2: *//p" "$1" | head -n "${3:-1}"; }

# record SUITE "PASS FAIL SKIP" "PASS FAIL SKIP" REGRESSIONS: a line for the table of
# tests/all; what the base did, or -, and the patched kernel. once adds the date and the
# key of what it depends on.
record() {
	[ -z "${SUMMARY:-}" ] || printf '%s|%s|%s|%s|%s\n' "$1" "$ARCH" "$2" "$3" "$4" >>"$SUMMARY"
}

# ktap_of LOG: the KTAP in a log, with its plan in the second line, where the parser
# wants it; a plan that is missing stays missing, and so does one of two.
ktap_of() {
	awk '/^(ok|not ok) |^# / { l[++n] = $0 }
		/^1\.\.[0-9]+/ { plan = plans++ ? "" : $1 }
		END { print "KTAP version 1"; if (plan) print plan; for (i = 1; i <= n; i++) print l[i] }' "$1"
}

# ktap_complete FILE: there is a plan, and all that it promises and no more, by the kernel's
# own parser, too
ktap_complete() {
	local said
	grep -qx "1\.\.$(grep -cE '^(not )?ok ' "$1")" "$1" || return 1
	said=$(/usr/bin/python3 "$(base_src)/tools/testing/kunit/kunit.py" parse "$(realpath "$1")" 2>&1 | grep 'Testing complete')
	[[ $said =~ Ran\ [1-9][0-9]*\ tests && ! $said =~ (crashed|errors): ]]
}
