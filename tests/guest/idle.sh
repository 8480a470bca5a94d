#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# sides: base patched
# needs: traced-idle
# boot: --smp 2 --timeout 300
# An ops with FTRACE_OPS_FL_RCU is not called where RCU does not watch: alone at a
# callsite, and beside an ops without the flag (tests/guest-modules/idle).
# shellcheck source=tests/guest/lib/common
. "${0%/*}/lib/common"
begin
need_module callops_idle
need_function arch_cpu_idle
P=/sys/module/callops_idle/parameters

for beside in 0 1; do
	check "the module loads, beside=$beside" load callops_idle beside=$beside
	grep '^arch_cpu_idle ' $T/enabled_functions | sed 's/^/# /'
	sleep 2
	note "plain $(cat $P/plain), flagged $(cat $P/flagged)"
	[ $beside = 0 ] || check "the one without the flag is called" test "$(cat $P/plain)" -gt 10
	same "the one with it is not where RCU does not watch" 0 "$(cat $P/unwatched)"
	check "the module is unloaded" unload callops_idle
done
finish
