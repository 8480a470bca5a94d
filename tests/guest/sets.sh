#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# sides: base patched
# boot: --smp 4 --timeout $((3 * ${STRESS_SECONDS:-10} + 480)) --append slub_debug=FP
# Many ops on the same callsites, come and go under 4 CPUs, with one that is held up in
# the middle: tests/guest-modules/sets. The patched kernel has to serve the callsites by
# sets, without memory by the list, and by sets again when there is some.
# shellcheck source=tests/guest/lib/common
. "${0%/*}/lib/common"
begin
need_tracer function
need_module callops_sets
need_module callops_target
need_module ftrace-ops

# Without preemption a task that stays in a tracer would stop the machine.
# Without sets a tracer that stays stops it even then.
hold=3
{ [ $SIDE = patched ] && grep -q PREEMPT /proc/version; } || hold=0
# To compare each callsite after each update takes as long as there are ops.
nr=100
! compares || nr=16
check "the module is there" load callops_sets seconds="${STRESS_SECONDS:-10}" hold=$hold nr_ops=$nr
dmesg | grep 'callops_sets: ' | sed 's/^.*callops_sets: /# /'
for what in order mixed recursion 'per CPU' shared held 'no strays'; do
	[ "$what-$hold" != held-0 ] || continue
	check "$what" sh -c "dmesg | grep -q 'callops_sets: ok - $what'"
done
unload callops_sets

[ $SIDE = patched ] || finish
E=$T/enabled_functions
tab=$(printf '\t')
mkdir $T/instances/a $T/instances/b
for i in $T/instances/a $T/instances/b; do
	put "$F1 $F2" $i/set_ftrace_filter
	put function $i/current_tracer
done
sed 's/^/# /' $E
same "a set serves both callsites" 2 "$(grep -c "(2).*${tab}set: [^ ]* ([^)]*), [^ ]* ([^)]*)" $E)"

# another: an update for another function
another() {
	mkdir $T/instances/c
	put "$F3" $T/instances/c/set_ftrace_filter
	put function $T/instances/c/current_tracer
	rmdir $T/instances/c
}

FAIL=/sys/kernel/debug/fail_function
if [ -f $FAIL/inject ]; then
	put alloc_set $FAIL/inject
	put 0 $FAIL/verbose
	put -1 $FAIL/times
	put 100 $FAIL/probability
	put "$F1 $F2" $T/set_ftrace_filter
	put function $T/current_tracer
	same "the list, if there is no memory for one" 2 "$(grep -c '(3)' $E)"
	same "not by a set" 0 "$(grep -c "${tab}set: " $E)"
	clear_trace $T/instances/a
	call $P1 7
	same "that calls all" "7 7" "$(hits $F1 $T/instances/a) $(hits $F1)"
	put nop $T/current_tracer
	# Either may be the first one of the two that the update looks at
	for f in $F1 $F2; do
		put "$f" $T/set_ftrace_filter
		put function $T/current_tracer
		put nop $T/instances/b/current_tracer
		same "a lone ops needs no set, while $f lacks one" 1 "$(grep -c "(1).* O.*${tab}ops: " $E)"
		put nop $T/current_tracer
		put function $T/instances/b/current_tracer
	done
	put "$F1 $F2" $T/set_ftrace_filter
	put function $T/current_tracer
	put 0 $FAIL/probability
	another
	same "an update for another function makes the sets" 2 "$(grep -c "(3).*${tab}set: " $E)"
	put nop $T/current_tracer

	# The second one of two sets that the same update asks for
	put "$F1" $T/instances/b/set_ftrace_filter
	put 2 $FAIL/interval
	put 1 $FAIL/times
	put 100 $FAIL/probability
	put function $T/current_tracer
	same "a set for one callsite, and the list for the other" "1 1" \
		"$(grep -c "([23]).*${tab}set: " $E) $(grep "([23])" $E | grep -vc "${tab}set: ")"
	clear_trace $T/instances/a
	clear_trace
	call $P1 7
	call $P2 5
	same "each tracer of both sees each call" "7 5 7 5" \
		"$(for i in $T/instances/a $T; do hits $F1 $i; hits $F2 $i; done | xargs)"
	put '' $FAIL/inject
	another
	same "an update for another function makes the second one" 2 "$(grep -c "([23]).*${tab}set: " $E)"
	put nop $T/current_tracer
	put "$F1 $F2" $T/instances/b/set_ftrace_filter
fi
# Of a module that goes, and of init text that is freed, a set no longer counts the literals.
# The update that follows compares, with FTRACE_CALL_OPS_SELFTEST.
for i in $T/instances/a $T/instances/b; do add ':mod:ftrace_ops' $i/set_ftrace_filter; done
load ftrace-ops nr_function_calls=1 persist=1
same "a set serves a module's init text" "1 1" \
	"$(for i in $T/instances/a $T/instances/b; do hits ftrace_ops_sample_init $i; done | xargs)"
another
unload ftrace_ops
load callops_target
for i in $T/instances/a $T/instances/b; do add ':mod:callops_target' $i/set_ftrace_filter; done
check "a set serves callsites of a module" grep -q "\[callops_target\] (2).*${tab}set: " $E
unload callops_target
for i in $T/instances/a $T/instances/b; do put "$F1 $F2" $i/set_ftrace_filter; done
same "it serves two without it" 2 "$(grep -c "(2).*${tab}set: " $E)"

clear_trace $T/instances/a
clear_trace $T/instances/b
call $P1 5
same "each of them sees each call" "5 5" \
	"$(hits $F1 $T/instances/a) $(hits $F1 $T/instances/b)"
rmdir $T/instances/a $T/instances/b
same "nothing is left" 0 "$(grep -c . $E)"
finish
