#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# sides: named
# boot: --smp 4 --timeout $((2 * ${STRESS_SECONDS:-20} + 120)) --append slub_debug=FP
# A probe with a count leaves a function, and stays on another one, while a caller of
# the function is preempted on its way to the probe: what it will ask for must not be
# freed. Nor must a filter that function_graph looks at, and which is replaced. Without
# PREEMPT that cannot happen.
# shellcheck source=tests/guest/lib/common
. "${0%/*}/lib/common"
begin
need_tracer function
need_module callops_preempted
M=/sys/module/callops_preempted/parameters
rounds=0

# Let the caller go on, and see it held anew
hold() {
	read -r holds <$M/holds
	put "$holds" $M/released
	until read -r held <$M/holds && [ "$held" != "$holds" ]; do :; done
}

# Before the caller goes on, if it can
[ ! -f /sys/kernel/rcu_expedited ] || put 1 /sys/kernel/rcu_expedited
check "a caller is preempted without end" load callops_preempted
put 'preempted_other:stacktrace:5' $T/set_ftrace_filter
end=$(($(now) + 100 * ${STRESS_SECONDS:-20}))
while [ "$(now)" -lt "$end" ]; do
	put 'preempted_function:stacktrace:5' $T/set_ftrace_filter || break
	hold
	put '!preempted_function:stacktrace:5' $T/set_ftrace_filter || break
	hold		# so the caller went on, before its data is there again
	rounds=$((rounds + 1))
done
same "the probe came and went all the time" 1 $((rounds > 5))
note "$rounds rounds, $(cat $M/calls) calls, held $(cat $M/holds) times"
same "the caller was held, and went on" 1 $(($(cat $M/holds) > 5 && $(cat $M/calls) > 1000))
put '!preempted_other:stacktrace:5' $T/set_ftrace_filter

# function_graph looks at its filter while there is another tracer. It records nothing here.
mkdir $T/instances/a
put $F2 $T/instances/a/set_ftrace_filter
put function $T/instances/a/current_tracer
put preempted_function $T/set_ftrace_filter
put schedule $T/set_graph_function
put $F3 $T/set_ftrace_notrace
check "function_graph starts" put function_graph $T/current_tracer
rounds=0
end=$(($(now) + 100 * ${STRESS_SECONDS:-20}))
while [ "$(now)" -lt "$end" ]; do
	hold
	add $F1 $T/set_ftrace_notrace || break
	sleep 0.1	# for RCU
	hold
	add "!$F1" $T/set_ftrace_notrace || break
	sleep 0.1
	rounds=$((rounds + 1))
done
same "its filter was replaced all the time ($rounds rounds)" 1 $((rounds > 5))
put nop $T/current_tracer
: >$T/set_ftrace_notrace
: >$T/set_graph_function
: >$T/set_ftrace_filter
put nop $T/instances/a/current_tracer
rmdir $T/instances/a
same "nothing is left enabled" 0 "$(grep -c . $T/enabled_functions)"
unload callops_preempted
finish
