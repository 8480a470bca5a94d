#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# bin/boot with real guests, of the base kernel where that is built.
. "$(dirname "$0")/lib.sh"
unset CALLOPS_CACHE
cd "$REAL" || exit 1
built=build/$(cat bases/default)
if [ ! -f "$built/arm64/base/mods.cpio.gz" ]; then
	skip "bin/boot (no base kernel; 'make build')"
	exit 0
fi
boot() { bin/boot --kernel base --timeout 60 "$@"; }
# ends WHAT STATUS REGEX-OF-THE-LAST-LINE OPTION...
ends() {
	local what=$1 want=$2 re=$3 rc=0
	shift 3
	boot "$@" >"$T/log" 2>&1 || rc=$?
	if [ "$rc" = "$want" ] && tail -n 1 "$T/log" | grep -qE "$re"; then ok "$what"
	else echo "# status $rc, expected $want and /$re/ last" >>"$T/log"; not_ok "$what"; fi
}
ends "a command that succeeds" 0 '^callops: the command succeeded$' -- true
said "the command line of QEMU is printed" "^callops: 'qemu-system-aarch64' "
ends "a command that fails" 3 'failed with status 3$' -- 'exit 3'
ends "a command that is none" 63 'failed with status 127$' -- no-such-command
ends "a timeout" 66 '^callops: timeout after 4 s$' --timeout 4 -- sleep 1000
ends "a panic" 67 '^callops: kernel panic: ' --append rdinit=/nonexistent -- true
ends "a guest that ends without a verdict" 69 'without a verdict$' -- poweroff -f
ends "no splat where one is expected" 68 'no kernel splat' --expect-splat x -- true
mkdir -p "$T/a/sub" "$T/b"; echo one >"$T/a/sub/one"; echo two >"$T/b/two words"
ends "files go in and come out" 0 succeeded --files "$T/a" --files "$T/b" --out "$T/out" -- \
	'pwd; cat sub/one "two words" >/out/both; mkdir /out/d; head -c 3000000 /dev/zero >/out/d/big'
said "the command starts where they are" '^/callops$'
same "small ones" "one two" "$(tr '\n' ' ' <"$T/out/both" | sed 's/ $//')"
same "large ones" 3000000 "$(stat -c %s "$T/out/d/big")"
# shellcheck disable=SC2016
passes "modules and tracefs are there" boot -- 'test -f /sys/kernel/tracing/current_tracer && ls /lib/modules/$(uname -r)'
boot --quiet --icount -- 'cat /proc/uptime; echo "quoted  blanks"; cat /proc/cmdline' >"$T/one" 2>&1
boot --quiet --icount -- 'cat /proc/uptime; echo "quoted  blanks"; cat /proc/cmdline' >"$T/two" 2>&1
same "--quiet shows the command's output and no more" 3 "$(wc -l <"$T/one")"
same "quotes are the guest's" "quoted  blanks" "$(sed -n 2p "$T/one")"
same "--icount: two runs are the same" "$(cat "$T/one")" "$(cat "$T/two")"
same "--smp" 4 "$(boot --quiet --smp 4 -- nproc)"
# The guest ends with the one who waits for it.
guest() { sed -n "s/.*'\([^']*\)\/initramfs'.*/\1/p" "$T/log" | grep . || echo /nonexistent; }
runs() { pgrep -f "q[e]mu.*$(guest)/"; }
gone() { ! runs && [ ! -e "$(guest)" ]; }
start() {
	setsid bash -c 'exec bin/boot --kernel base --timeout 60 -- sleep 1000' >"$T/log" 2>&1 &
	within 30 runs
}
start
kill -TERM $! 2>/dev/null; rc=0; wait $! || rc=$?
same "an interrupted run" 143 "$rc"
within 10 gone
passes "leaves no guest, and none of its files" gone
start
pkill -KILL -f "q[e]mu-system.*$(guest)/"; rc=0; wait $! || rc=$?
same "a killed QEMU" 65 "$rc"
said "is called that" '^callops: QEMU failed with status (9|137)$'
passes "leaves none of its files" gone

# Ctrl-C, which all processes of a terminal's foreground see; in a test that does not end
# before that. What is started in the background has it ignored, and so has this script.
if ! flock -n "$built/.tests.arm64.lock" true; then
	skip "tests/run, interrupted (another one is running)"
	exit 0
fi
set -m
TMPDIR=$T SIDES=patched STRESS_SECONDS=100 env --default-signal=INT tests/run stress >"$T/log" 2>&1 &
within 120 pgrep -f "q[e]mu-system.*$T/"
kill -INT -- -$!; rc=0; wait $! || rc=$?
set +m
same "tests/run, interrupted" 130 "$rc"
sleep 3		# tail(1) looks for the end of QEMU now and then
passes "leaves no process" sh -c "! pgrep -r R,S,D -g $! && ! pgrep -f 'q[e]mu-system.*$T/'"
passes "and no result" sh -c "! ls $built/tests/arm64 | grep -E '^[0-9]+-stress\..*ktap'"
