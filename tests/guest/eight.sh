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
finish
