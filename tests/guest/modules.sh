#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# sides: base patched
# boot: --smp 2 --timeout 300 --append slub_debug=FP
# Functions of modules: filters by module, before and after loading; unloading
# while they are traced; functions that compilers lay out unlike others.
# shellcheck source=tests/guest/lib/common disable=SC2086
. "${0%/*}/lib/common"
begin
need_tracer function
need_module callops_target
need_module ftrace-ops

M=callops_target
counts() { echo "$(hits target_one) $(hits target_two)"; }
of_module() { grep -c "\[$M\]" $T/set_ftrace_filter; }

check "the module loads" load $M
for f in target_one target_two target_cold target_inferred target_size target_size_pad; do
	check "$f can be traced" grep -q "^$f \[$M\]" $T/available_filter_functions
done

check "a filter on one function of the module" put target_one $T/set_ftrace_filter
check "the function tracer starts" put function $T/current_tracer
target one 25
target two 5
same "25 calls are 25 lines" "25 0" "$(counts)"

clear_trace
check "a filter on all of the module" put "*:mod:$M" $T/set_ftrace_filter
same "it has no function of the kernel" 0 "$(grep -vc "\[$M\]" $T/set_ftrace_filter)"
target one 9
target two 11
same "both functions are traced" "9 11" "$(counts)"

clear_trace
target cold 13
target size 17
same "a cold function is traced" 13 "$(hits target_cold)"
same "one that is cold by inference is" 13 "$(hits target_inferred)"
same "one optimized for size is" 17 "$(hits target_size)"
same "and what follows it is" 17 "$(hits target_size_pad)"

clear_trace
check "a glob within the module" put "*_two:mod:$M" $T/set_ftrace_filter
target one 9
target two 11
same "it matches its function" "0 11" "$(counts)"

clear_trace
check "all of the module but one" put "*:mod:$M" $T/set_ftrace_filter
check "which is taken out by its name and module" add "!target_two:mod:$M" $T/set_ftrace_filter
target one 3
target two 3
same "the one is left out" "3 0" "$(counts)"

put "*:mod:$M" $T/set_ftrace_filter
target one 2
check "the module is unloaded while it is traced" unload $M
check "nothing of it is left in the filter" test "$(of_module)" = 0
check "nothing of it is left enabled" test "$(grep -c "\[$M\]" $T/enabled_functions)" = 0
put nop $T/current_tracer
put '' $T/set_ftrace_filter

clear_trace
# One that matches is needed, too: until then none would be one for all functions.
put $F1 $T/set_ftrace_filter
check "a filter on a module that is not loaded" add "*:mod:ftrace_ops" $T/set_ftrace_filter
put function $T/current_tracer
check "it is loaded" load ftrace-ops nr_function_calls=500 nr_ops_relevant=2 \
	nr_ops_irrelevant=1 check_count=1 persist=1
same "its calls are traced from the first on" 500 "$(hits tracee_relevant)"
same "and only those that were made" 0 "$(hits tracee_irrelevant)"
check "it is unloaded while traced" unload ftrace_ops
put nop $T/current_tracer
put '' $T/set_ftrace_filter

clear_trace
put function $T/current_tracer
put 0 $T/tracing_on
comes_and_goes() {
	for i in 1 2 3; do load $M && target one 10 && unload $M || return; done
}
check "a module comes and goes while every function is traced" comes_and_goes
put 1 $T/tracing_on
check "and again" load $M
put nop $T/current_tracer
put target_one $T/set_ftrace_filter
put function $T/current_tracer
clear_trace
target one 21
same "a module loaded under tracing is traced as before" 21 "$(hits target_one)"
put nop $T/current_tracer

# rmmod waits for writers to parameters, after ftrace has forgotten the module's functions:
# one that has two tracers, whose set goes, and one whose only tracer goes.
put 5000 /sys/module/$M/parameters/wait_ms
known() { cut -d' ' -f1 $T/dyn_ftrace_total_info; }
before=$(known)
for i in a b; do mkdir $T/instances/$i; done
put target_one $T/instances/a/set_ftrace_filter
put "*:mod:$M" $T/instances/b/set_ftrace_filter
for i in a b; do put function $T/instances/$i/current_tracer; done
for f in one two; do
	{ target $f 1000 && echo $f >>/tmp/called; } &
	sleep 0.2
done
unload $M &
for _ in $(seq 50); do
	[ "$(known)" = $before ] || break
	sleep 0.1
done
check "ftrace has forgotten the module" test "$(known)" -lt $before
for i in a b; do
	put nop $T/instances/$i/current_tracer
	check "meanwhile tracer $i goes" rmdir $T/instances/$i
done
check "no function was called yet" test ! -e /tmp/called
wait
same "then both are" "one two" "$(xargs </tmp/called)"
check "and the module goes" test ! -d /sys/module/$M
check "and comes again" load $M

# riscv's base loses the second word, see 0402.
if [ "$SIDE-$(uname -m)" != base-riscv64 ]; then
	clear_trace
	put target_words $T/set_ftrace_filter
	put function_graph $T/current_tracer
	target pair 21
	same "function_graph traces one that returns two words" 21 "$(grep -c " target_words " $T/trace)"
	same "and returns both of them" 0 "$(cat /sys/module/$M/parameters/wrong_pairs)"
fi
finish
