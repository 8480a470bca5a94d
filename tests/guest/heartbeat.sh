#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# sides: base patched
# boot: --icount --timeout 120
# boot: --smp 4 --timeout 120
# Is a CPU held while the tracer is switched on and off on all functions? A timer
# on each CPU tells how late it was. Where CPUs are stopped for the update, that
# is as long as all of it takes.
# shellcheck source=tests/guest/lib/common
. "${0%/*}/lib/common"
begin
need_tracer function
need_module callops_heartbeat
LATE=/sys/module/callops_heartbeat/parameters/late_us

cpus=$(grep -c '^processor' /proc/cpuinfo)
rounds='1 2 3 4 5 6 7 8 9 10'
case $SIDE-$(uname -m)-$cpus in
base-riscv64-1) ;;
base-riscv64-*)
	# With CPUs that spin while each callsite takes a remote fence, QEMU needs
	# minutes for all functions: do with some, once.
	put 'proc_*' $T/set_ftrace_filter
	rounds=1 ;;
esac
# The first time takes memory, and the buffer.
put function $T/current_tracer
put nop $T/current_tracer
put 0 $T/tracing_on

check "the module is there" load callops_heartbeat
least=
most=0
for _ in $rounds; do
	for tracer in function nop; do
		put 0 $LATE
		put $tracer $T/current_tracer
		late=$(cat $LATE)
		[ -n "$least" ] && [ "$late" -ge "$least" ] || least=$late
		[ "$late" -le "$most" ] || most=$late
	done
done
unload callops_heartbeat
note "$cpus CPUs, $(grep -c . $T/available_filter_functions) functions, filter $(head -n 1 $T/set_ftrace_filter): a timer was late by $least us at least, by $most us at most"
check "a timer was late by some time" test "$most" -gt 0

# With several CPUs the host, too, keeps one from running now and then, so look at
# the update that did best. A callsite takes 1.3 us of instructions; the rest is
# what else the kernel does with interrupts off.
[ "$SIDE" = base ] || case $cpus in
1) check "no update held the CPU for more than 100 us" test "$most" -le 100 ;;
*) check "an update holds no CPU for as long as 10 ms" test "$least" -le 10000 ;;
esac
finish
