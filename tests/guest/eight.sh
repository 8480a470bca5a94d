#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# sides: base patched
# needs: static-calls
# arches: powerpc
# boot: --smp 4 --timeout $((2 * ${STRESS_SECONDS:-10} + 480))
# boot: --smp 4 --cpu power10 --timeout $((2 * ${STRESS_SECONDS:-10} + 480))
# long boot: --smp 4 --append disable_radix --timeout $((2 * ${STRESS_SECONDS:-10} + 480))
# Static calls whose caller, trampoline and target are in the kernel and in two modules,
# which find their data through registers of their own: tests/guest-modules/eight.
# shellcheck source=tests/guest/lib/common disable=SC2086
. "${0%/*}/lib/common"
begin
need_module callops_eight
if [ $SIDE = patched ]; then
	same "no KUnit test failed at boot" 0 "$(dmesg | grep -c ' not ok ')"
	check "those of static calls passed" eval "dmesg | grep -q '] ok [0-9]* static_call$'"
	check "calls in the kernel restore the TOC" eval "dmesg | grep -q 'static call: [1-9][0-9]* calls of'"
	same "all of them do" 0 "$(dmesg | grep -c 'does not restore the TOC')"
fi
lines() { dmesg | sed -n 's/.*callops_eight: //p'; }

dmesg_clear
check "the peer is loaded" load callops_eight_peer
check "all checks of the module passed" load callops_eight seconds=${STRESS_SECONDS:-10}
lines >/tmp/lines
relay /tmp/lines "module: "
same "all of them were made" 77 "$(grep -c '^ok - ' /tmp/lines)"
check "the kernel calls what is unloaded, and then its own" unload callops_eight
check "and the peer is unloaded" unload callops_eight_peer
for i in 1 2 3; do
	load callops_eight_peer && load callops_eight && unload callops_eight && unload callops_eight_peer || not_ok "loaded again, $i"
done

# CONFIG=livepatch: the same where the kernel's caller or target is that of a live patch
P=/sys/module/callops_eight_livepatch/parameters L=/sys/kernel/livepatch/callops_eight_livepatch
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
		check "live patch, $what" load callops_eight_livepatch $what || continue
		check "it is complete" settled
		load callops_eight_peer
		check "all checks of the module passed" load callops_eight
		unload callops_eight
		unload callops_eight_peer
		case $what in *caller*) check "the new caller was called" test "$(cat $P/callers)" -gt 0 ;; esac
		case $what in *target*) check "the new target was called" test "$(cat $P/targets)" -gt 0 ;; esac
		put 0 $L/enabled
		check "it is taken back" settled
		sleep 1		# work of the kernel's drops the module
		check "and unloaded" unload callops_eight_livepatch
	done
fi
finish
