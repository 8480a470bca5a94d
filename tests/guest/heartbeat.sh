#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# sides: base patched
# boot: --icount --timeout 300
# boot: --smp 4 --timeout 300
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
where=$SIDE-$(uname -m)-$cpus
case $where in
base-*-1) ;;
base-riscv64-*)
	# With CPUs that spin while each callsite takes a remote fence, QEMU needs
	# minutes for all functions: do with some, once.
	put 'proc_do* proc_s*' $T/set_ftrace_filter
	rounds=1 ;;
base-aarch64-*)
	# QEMU before 8.1 may go on with the translation of the trampoline's call of
	# function_trace_call(), which on the base finds the ops of nobody by then.
	skip "the base oopses at times" ;;
esac
# The first time takes memory, and the buffer.
put function $T/current_tracer
put nop $T/current_tracer
put 0 $T/tracing_on

check "the module is there" load callops_heartbeat
most=0
share=100
updates=0
short=0
for _ in $rounds; do
	for tracer in function nop; do
		put 0 $LATE
		start=$(now)
		put $tracer $T/current_tracer
		late=$(cat $LATE)
		took=$((($(now) - start + 1) * 10000))
		[ "$late" -le "$most" ] || most=$late
		part=$((late * 100 / took))
		[ $part -ge $share ] || share=$part
		updates=$((updates + 1))
		[ $part -ge 25 ] || short=$((short + 1))
	done
done
unload callops_heartbeat
note "$cpus CPUs, $(grep -c . $T/available_filter_functions) functions, filter $(head -n 1 $T/set_ftrace_filter): a timer was late by $most us at most; in the best update for $share % of its time, in $short of $updates for less than a quarter"
check "a timer was late by some time" test "$most" -gt 0

# With one CPU it is instructions that are counted: a callsite takes 1.3 us of them,
# and the rest is what else the kernel does with interrupts off. With several the host
# keeps one from running now and then, for any time if it is busy, but not in most of the
# updates, as stopping them does in each.
case $where in
base-riscv64-1) check "base only: an update holds the CPU for more than 10 ms" test "$most" -gt 10000 ;;
base-riscv64-*) check "base only: an update holds a CPU for most of its time" test $share -gt 50 ;;
base-*) ;;
*-1) check "no update holds the CPU for more than 100 us" test "$most" -le 100 ;;
*) check "most updates hold no CPU for as much as a quarter of their time" test $((2 * short)) -gt $updates ;;
esac
finish
