#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# long: base patched
# boot: --smp 4 --timeout $((4 * ${STRESS_SECONDS:-30} + 600)) --append init_on_free=1
# function_graph on all functions, while tracers, kprobes, the sample and modules come and
# go for STRESS_SECONDS (30) and tests/guest-modules/soak exchanges ops on functions that
# are called without end: each of those shares its callsites with function_graph. All
# counts have to be exact. (tests/guest/stress.sh has it on a few functions, but with more
# beside it, and in debug kernels.)
# shellcheck source=tests/guest/lib/common
. "${0%/*}/lib/common"
begin
case $SIDE-$(uname -m) in
base-riscv64) skip "the base stalls, or oopses" ;;	# as in stress.sh
esac
need_tracer function_graph
need_module ftrace-ops
need_module callops_target
need_module callops_soak
need_functions
END=$(($(now) + ${STRESS_SECONDS:-30} * 100))
I=$T/instances/g
put 64 $T/buffer_size_kb

wrong=0
fails() { wrong=$((wrong + 1)); note "round $n: $*"; }
# counted WHAT EXPECTED GOT
counted() { [ "$2" = "$3" ] || fails "$1: $3, and not $2"; }

round() {
	put function $I/current_tracer || fails "the tracer is not set"
	clear_trace $I
	call $P1 20
	counted "calls traced in an instance" 20 "$(hits $F1 $I)"
	put nop $I/current_tracer

	# Of all that it hooks, it records one function, or the buffer would not do
	put 1 $T/max_graph_depth
	put $F1 $T/set_graph_function
	clear_trace
	call $P1 20
	counted "calls that function_graph saw" 20 "$(graph_hits $F1)"
	put '' $T/set_graph_function
	put 0 $T/max_graph_depth

	add "p:callops_g1 $F2" $T/kprobe_events
	add "r:callops_g2 $F2" $T/kprobe_events
	put 1 $T/events/kprobes/enable
	call $P2 20
	put 0 $T/events/kprobes/enable
	for p in callops_g1 callops_g2; do
		counted "hits of $p" 20 "$(awk -v p=$p '$1 == p { print $2 }' $T/kprobe_profile)"
	done
	: >$T/kprobe_events

	load ftrace-ops nr_function_calls=2000 nr_ops_relevant=$((n % 3 + 1)) nr_ops_irrelevant=1 check_count=1 persist=1 ||
		fails "the sample is not loaded"
	unload ftrace_ops
	load callops_target || fails "the module is not loaded"
	target one 100
	unload callops_target
	counted "function_graph traces all functions" 1 "$(grep -c "^$F3 " $T/enabled_functions)"
	[ $((n % 4)) != 3 ] || { put nop $T/current_tracer; put function_graph $T/current_tracer; }
}

mkdir $I
put $F1 $I/set_ftrace_filter
check "functions are called, and ops exchanged on them" load callops_soak
check "function_graph traces all functions" put function_graph $T/current_tracer
n=0
until [ $n -ge 4 ] && [ "$(now)" -ge "$END" ]; do
	round
	n=$((n + 1))
done
same "nothing was wrong in $n rounds" 0 $wrong
put nop $T/current_tracer
rmdir $I
unload callops_soak
lines soak | sed 's/^/# /'
same "all counts of the soak are right" 7 "$(lines soak | grep -c '^ok - ')"
same "no count of the sample's was wrong" 0 "$(dmesg | grep -c 'check_count: FAILED')"

tracing_reset
same "nothing is left enabled" 0 "$(grep -c . $T/enabled_functions)"
put 1024 $T/buffer_size_kb	# with room for what QEMU goes on to trace, see begin()
put $F1 $T/set_ftrace_filter
put function_graph $T/current_tracer
call $P1 25
same "function_graph is as exact as before" 25 "$(graph_hits $F1)"
finish
