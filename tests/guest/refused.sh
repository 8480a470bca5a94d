#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# sides: patched
# boot: --smp 2 --timeout 300 --expect-splat ^ftrace:.callops_refused:.*.cannot.be.traced
# What is no patch site is refused, with a word, and nothing of it is patched.
# shellcheck source=tests/guest/lib/common disable=SC2086
. "${0%/*}/lib/common"
begin
need_tracer function
need_function $F1
need_module callops_refused

# Tracing all functions while the module comes is when a wrong site would be hit.
check "the function tracer starts" put function $T/current_tracer
check "the module loads" load callops_refused
check "its function does what it should" sh -c "dmesg | grep -q 'callops_refused: sum=45'"
check "the kernel names the module, how many, the first, and why" \
	sh -c "dmesg | grep -q 'ftrace: callops_refused: [2-9] of [2-9] functions cannot be traced, the first is callops_refused_[a-z]*: unexpected instruction in patch site'"
same "in one line" 1 "$(dmesg | grep -c 'ftrace: .*\(cannot be traced\|not traceable\)')"
refused "the function cannot be traced" \
	grep -q '^callops_refused_add' $T/available_filter_functions
refused "a filter on it is refused" sh -c "echo callops_refused_add >$T/set_ftrace_filter"
clear_trace
call $P1 5
put 0 $T/tracing_on	# what follows would push the first of them out of the buffer
same "tracing goes on" 5 "$(hits $F1)"
check "the module can be unloaded" rmmod callops_refused
finish
