#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# sides: patched
# needs: leaf-callers
# boot: --smp 2 --timeout 60
# A backtrace that begins in a function that calls no other one, and so has its return
# address in a register, which function_graph replaces.
# shellcheck source=tests/guest/lib/common disable=SC2086
. "${0%/*}/lib/common"
begin
need_module callops_target
need_tracer function_graph
need_file $T/kprobe_events
load callops_target

# By where it is in the function, its frame is made or not: at the entry of it, and at
# each 2 or 4 bytes behind that, of which not all are instructions.
try() {
	clear_trace
	target one 1
	put 0 $T/tracing_on
	stack=$(sed -n 's/.* => \([a-z0-9_.]*\).*/\1/p' $T/trace | tr '\n' ' ')
	put 1 $T/tracing_on
	note "$1: $stack"
}

put 1 $T/options/stacktrace
n=0
for o in 8 10 12 14 16 18 20; do
	put "p:leaf callops_target:target_one+$o" $T/kprobe_events 2>/dev/null || continue
	put 1 $T/events/kprobes/leaf/enable
	try "+$o"
	plain=$stack
	put target_one $T/set_ftrace_filter
	put function_graph $T/current_tracer
	try "+$o, traced"
	put nop $T/current_tracer
	put 0 $T/events/kprobes/leaf/enable
	: >$T/kprobe_events
	[ -n "$plain" ] || continue
	same "+$o: function_graph changes nothing in a backtrace" "$plain" "$stack"
	case " $plain " in *" target_one target_call "*) n=$((n + 1)) ;; esac
done
put 0 $T/options/stacktrace
check "it had the function and its caller" test "$n" -ge 1
finish
