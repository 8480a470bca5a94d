#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# sides: base patched
# needs: vmalloc-faults
# boot: --smp 1 --timeout 60
# long boot: --smp 1 --timeout 60 --cpu rv64,sv57=off
# long boot: --smp 1 --timeout 60 --cpu rv64
# Page faults on the memory of a tracer: a module that traces all functions is the first
# that is loaded, by a process that is older, and used by others that are; see
# tests/guest-modules/faults. What goes wrong is a guest that hangs.
# shellcheck source=tests/guest/lib/common disable=SC2086
. "${0%/*}/lib/common"
begin
need_module callops_faults
need_tracer function

note "$(sed -n 's/^mmu[^a-z]*//p' /proc/cpuinfo | sort -u)"
same "no module was loaded since boot" "" "$(cat /proc/modules)"
put 0 $T/tracing_on
dmesg_clear
load callops_faults
lines faults >/tmp/lines
relay /tmp/lines ""
if [ $SIDE = patched ]; then
	check "no entry of the top level is absent" grep -q '^# 0 entries .* absent, 0 ' /tmp/lines
fi
if [ -d /sys/module/callops_faults ]; then
	for _ in 1 2 3; do call $P1 100; cat /proc/self/maps >/dev/null; done
	ok "processes go on while it traces them"
	check "it is unloaded" unload callops_faults
else
	not_ok "it is loaded"
fi
# By now the mm of this shell has what it needs; that of a new process has a copy.
check "and loaded again" load callops_faults
check "and unloaded" unload callops_faults
finish
