#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# sides: base patched
# boot: --smp 2 --timeout 300
# Two instances with filters of their own, function_graph beside them, the
# sample's ops beside all of them.
# shellcheck source=tests/guest/lib/common disable=SC2086
. "${0%/*}/lib/common"
begin
need_tracer function
need_functions
A=$T/instances/a
B=$T/instances/b
all() { call $P1 "$1"; call $P2 "$2"; call $P3 "$3"; }
counts() { echo "$(hits $F1 "$1") $(hits $F2 "$1") $(hits $F3 "$1")"; }
clear_all() { clear_trace; clear_trace $A; clear_trace $B; }

mkdir $A $B || bail "two instances are made"
[ -f $A/set_ftrace_filter ] || skip "instances have no filters in this kernel"
check "a filter in one instance" put $F1 $A/set_ftrace_filter
check "another in the other" put $F2 $B/set_ftrace_filter
put function $A/current_tracer
put function $B/current_tracer
all 10 20 30
same "the first traces its function" "10 0 0" "$(counts $A)"
same "the second traces its own" "0 20 0" "$(counts $B)"

clear_all
check "a function that both have" add $F3 $A/set_ftrace_filter
add $F3 $B/set_ftrace_filter
all 3 4 5
same "the first traces two" "3 0 5" "$(counts $A)"
same "the second traces two" "0 4 5" "$(counts $B)"

clear_all
check "the second lets go of it" add "!$F3" $B/set_ftrace_filter
all 3 4 6
same "the first still has it" "3 0 6" "$(counts $A)"
same "the second does not" "0 4 0" "$(counts $B)"

clear_all
check "the first stops" put nop $A/current_tracer
all 3 8 6
same "it traces nothing" "0 0 0" "$(counts $A)"
same "the second goes on" "0 8 0" "$(counts $B)"
put function $A/current_tracer

if grep -qw function_graph $T/available_tracers; then
	clear_all
	put $F1 $T/set_ftrace_filter
	check "function_graph beside them" put function_graph $T/current_tracer
	all 12 13 14
	same "the graph has its calls" 12 "$(graph_hits $F1)"
	same "and no others" 0 "$(($(graph_hits $F2) + $(graph_hits $F3)))"
	same "the first has its own" "12 0 14" "$(counts $A)"
	same "the second too" "0 13 0" "$(counts $B)"
	clear_all
	add $F2 $T/set_ftrace_filter
	check "the first stops, the graph goes on" put nop $A/current_tracer
	all 5 6 7
	same "the graph has both functions" "5 6" "$(graph_hits $F1) $(graph_hits $F2)"
	same "the second has its own" "0 6 0" "$(counts $B)"
	check "the graph stops" put nop $T/current_tracer
	put '' $T/set_ftrace_filter
	clear_all
	all 5 6 7
	same "the second still has its own" "0 6 0" "$(counts $B)"
	put function $A/current_tracer
else
	note "no function_graph tracer in this kernel"
fi

if module ftrace-ops >/dev/null; then
	check "the sample is loaded, to stay" load ftrace-ops nr_function_calls=1000 \
		nr_ops_relevant=3 nr_ops_irrelevant=2 check_count=1 persist=1
	same "its ops are there" "tracee_irrelevant (2) tracee_relevant (3)" \
		"$(sed -n 's/^\(tracee_[a-z]*\) \[ftrace_ops\] (\([0-9]*\)).*/\1 (\2)/p' \
			$T/enabled_functions | sort | tr '\n' ' ' | sed 's/ $//')"
	clear_all
	all 10 20 30
	same "the first traces as before" "10 0 30" "$(counts $A)"
	same "so does the second" "0 20 0" "$(counts $B)"
	for f in $F1 $F2 $F3; do
		put $f $A/set_ftrace_filter
		put $f $B/set_ftrace_filter
	done
	put '*:mod:ftrace_ops' $B/set_ftrace_filter
	same "an instance is added to its functions" 1 \
		"$(grep -c '^tracee_relevant \[ftrace_ops\] (4)' $T/enabled_functions)"
	put $F2 $B/set_ftrace_filter
	same "and is taken away again" 1 \
		"$(grep -c '^tracee_relevant \[ftrace_ops\] (3)' $T/enabled_functions)"
	clear_all
	all 1 2 3
	same "the first has its new function" "0 0 3" "$(counts $A)"
	same "so does the second" "0 2 0" "$(counts $B)"
	check "the sample is unloaded" unload ftrace_ops
	same "its functions are gone" 0 "$(grep -c '\[ftrace_ops\]' $T/enabled_functions)"
	clear_all
	all 4 5 6
	same "the instances go on" "0 0 6 0 5 0" "$(counts $A) $(counts $B)"
else
	note "no module ftrace-ops.ko"
fi

put nop $A/current_tracer
put nop $B/current_tracer
check "the instances are removed" rmdir $A $B
same "nothing is left enabled" 0 "$(grep -c . $T/enabled_functions)"
finish
