#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# sides: base patched
# needs: static-calls toc
# boot: --smp 4 --timeout $((2 * ${STRESS_SECONDS:-10} + 480))
# long boot: --smp 4 $([[ " $CONFIG " == *" powernv "* ]] || echo --cpu power10) --timeout $((2 * ${STRESS_SECONDS:-10} + 480))
# long boot: --smp 4 --append disable_radix --timeout $((2 * ${STRESS_SECONDS:-10} + 480))
# Static calls whose caller, trampoline and target are in the kernel and in two modules,
# which find their data through registers of their own: the KUnit module
# static_call_peer_test. Its storm of updates takes STRESS_SECONDS (10), but no more than 240.
# shellcheck source=tests/guest/lib/common disable=SC2086
. "${0%/*}/lib/common"
begin
need_module static_call_peer_test
if [ $SIDE = patched ]; then
	same "no KUnit test failed at boot" 0 "$(dmesg | grep -c ' not ok ')"
	check "those of static calls passed" eval "dmesg | grep -q '] ok [0-9]* static_call$'"
	check "calls in the kernel restore the TOC" eval "dmesg | grep -q 'static call: [1-9][0-9]* calls of'"
	same "all of them do" 0 "$(dmesg | grep -c 'does not restore the TOC')"
fi

# suite SECONDS WHAT: the 36 cases, the 5 tests, the suite
suite() {
	dmesg_clear
	suite_from=$(cut -d. -f1 /proc/uptime)
	load static_call_peer_far seconds=$1 && load static_call_peer_test || bail "$2: the suite is loaded"
	check "$2: its storm lasted $1 s" test $(($(cut -d. -f1 /proc/uptime) - suite_from)) -ge $1
	dmesg | sed -n 's/^\[ *[0-9.]*\] *\(\(not \)\?ok\) [0-9]* -\? *\(.*\)/\1 - \3/p' >/tmp/lines
	relay /tmp/lines "$2: "
	same "$2: all of them were made" 42 "$(grep -c . /tmp/lines)"
	note "$(dmesg | sed -n 's/.* \([0-9]* rounds.*\)/\1/p')"
	check "$2: it is unloaded" unload static_call_peer_test
	check "$2: and its peer is unloaded" unload static_call_peer_far
}
storm=${STRESS_SECONDS:-10}
suite $((storm < 240 ? storm : 240)) suite
suite 0 again

# CONFIG=livepatch: the same where the kernel's caller or target is that of a live patch
P=/sys/module/callops_livepatch/parameters L=/sys/kernel/livepatch/callops_livepatch
settled() {
	settled_n=0
	while grep -qs 1 $L/transition; do
		[ $settled_n -lt 60 ] || return 1
		settled_n=$((settled_n + 1))
		sleep 1
	done
}
if [ -d /sys/kernel/livepatch ]; then
	for what in "caller=1" "target=1" "caller=1 target=1"; do
		check "live patch, $what" load callops_livepatch $what || continue
		check "it is complete" settled
		suite 0 "$what"
		case $what in *caller*) check "the new caller was called" test "$(cat $P/callers)" -gt 0 ;; esac
		case $what in *target*) check "the new target was called" test "$(cat $P/targets)" -gt 0 ;; esac
		put 0 $L/enabled
		check "it is taken back" settled
		sleep 1		# work of the kernel's drops the module
		check "and unloaded" unload callops_livepatch
	done
fi
finish
