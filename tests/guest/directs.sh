#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# needs: direct-calls
# sides: patched
# boot: --smp 4 --timeout $((${STRESS_SECONDS:-20} + 200)) --append slub_debug=FP
# Direct calls are looked up while others come and go, for STRESS_SECONDS (20):
# tests/guest-modules/directs. What is freed is overwritten.
# shellcheck source=tests/guest/lib/common
. "${0%/*}/lib/common"
begin
need_module callops_directs
dmesg_clear
check "the module loads" load callops_directs
sleep "${STRESS_SECONDS:-20}"
check "the module is unloaded" unload callops_directs
dmesg | sed -n 's/.*callops_directs: //p' >/tmp/directs
relay /tmp/directs ""
same "all of its checks were made" 3 "$(grep -c '^ok - ' /tmp/directs)"
same "nothing is left enabled" 0 "$(grep -c . $T/enabled_functions)"
finish
