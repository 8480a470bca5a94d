#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# sides: patched
# boot: --smp 2 --timeout 300
# What can be asked of any configuration that has a function tracer.
# shellcheck source=tests/guest/lib/common disable=SC2086
. "${0%/*}/lib/common"
begin
need_tracer function
if [ -f $T/set_ftrace_filter ]; then
	put $F1 $T/set_ftrace_filter
else	# All that this shell calls is in the trace, and it reads byte by byte
	put 8192 $T/buffer_size_kb
	put $$ $T/set_ftrace_pid
fi
put function $T/current_tracer
call $P1 7
put nop $T/current_tracer
# The trace is gone with its tracer
put function $T/current_tracer
call $P1 9
put 0 $T/tracing_on
same "each call is traced" 9 "$(hits $F1)"
if [ -f $T/enabled_functions ] && has_call_ops; then
	check "an ops serves its callsite" grep -q "^$F1 .* O.*ops: global_ops" $T/enabled_functions
fi
put nop $T/current_tracer
put 1 $T/tracing_on
if grep -qw function_graph $T/available_tracers; then
	put function_graph $T/current_tracer
	call $P1 9
	put 0 $T/tracing_on
	# Without filters it has those that it calls, too
	same "function_graph has each as well" 9 "$(grep -cE " $F1\(\)( \{|;)" $T/trace)"
	put nop $T/current_tracer
	put 1 $T/tracing_on
fi
if [ -f $T/kprobe_events ]; then
	put "p:callops_p $F1" $T/kprobe_events
	put 1 $T/events/kprobes/enable
	call $P1 5
	same "so has a kprobe" 5 "$(kprobe_hits callops_p)"
	put 0 $T/events/kprobes/enable
	: >$T/kprobe_events
fi
if module ftrace-ops >/dev/null; then
	check "a module's ops are called exactly as often as they should" \
		load ftrace-ops nr_function_calls=1000 nr_ops_relevant=2 nr_ops_irrelevant=3 check_count=1 persist=1
	check "it is unloaded" unload ftrace_ops
fi
finish
