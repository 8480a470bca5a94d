#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# needs: entry-kprobes
# sides: base patched
# boot: --smp 4 --timeout $((20 * ${STRESS_SECONDS:-10} + 300))
# Kprobes at the entry of functions: tests/guest-modules/kprobes, alone and beside tracers of
# the same functions, and events. With the series ftrace calls them.
# shellcheck source=tests/guest/lib/common disable=SC2086
. "${0%/*}/lib/common"
begin
need_functions
need_module callops_kprobes
LIST=/sys/kernel/debug/kprobes/list
ENABLED=/sys/kernel/debug/kprobes/enabled
C1=seq_read_iter	# calls $F1
ftrace=0
! grep -qw kprobe_ftrace_handler /proc/kallsyms || ftrace=1
[ $SIDE = base ] || same "ftrace is to call kprobes" 1 $ftrace
run() { module_checks kprobes "$1" $((95 + 3 * ftrace)) ftrace=$ftrace graph=$2 fail=$fail; }
profile() { awk -v e="$1" '$1 == e { print $2, $3 }' $T/kprobe_profile; }

# With what can make allocations fail, each while a kprobe goes
FAIL=/sys/kernel/debug/failslab fail=0
if [ -d $FAIL ]; then
	fail=1
	put N $FAIL/ignore-gfp-wait
	put 0 $FAIL/verbose
fi
run "alone" 0
if [ $fail = 1 ]; then
	same "and without memory" 3 "$(lines kprobes | grep -A2 'goes without memory' | grep -c '^ok')"
	fail=0
fi
for tracer in function function_graph; do
	need_tracer $tracer
	# (without the first filter, all functions are traced until the module is there)
	put $F1 $T/set_ftrace_filter
	add 'kprobes_*:mod:callops_kprobes' $T/set_ftrace_filter
	case $tracer in *graph) graph=1 ;; *) graph=0 ;; esac
	beside $tracer run "beside $tracer" $graph
done
put '' $T/set_ftrace_filter
same "nothing is left enabled" 0 "$(grep -c . $T/enabled_functions)"

# Events
put "p:entry $F1" $T/kprobe_events
add "r:return $F1" $T/kprobe_events
add "p:later $F1+12" $T/kprobe_events
add "p:zero $F2+0" $T/kprobe_events
put 1 $T/events/kprobes/enable
[ $ftrace = 0 ] || same "ftrace calls those at an entry" 3 "$(grep -c '\[FTRACE\]' $LIST)"
same "no other" "$((1 + 3 * !ftrace))" "$(grep -vc '\[FTRACE\]' $LIST)"
same "the list has the functions themselves" 3 "$(grep -c "\($F1\|$F2\)+0x0 " $LIST)"
clear_trace
call $P1 10
call $P2 5
put 0 $T/events/kprobes/enable
call $P1 3
for e in entry return later; do same "event $e: each call" 10 "$(kprobe_hits $e)"; done
same "event zero: each call" 5 "$(kprobe_hits zero)"
same "an entry is where the function begins" 10 "$(grep -c "entry: ($F1+0x0/" $T/trace)"
same "a return names the function" 10 "$(grep -c "return: ($C1+0x.* <- $F1)" $T/trace)"
same "hits and misses" "10 0" "$(profile entry)"
put 1 $T/events/kprobes/entry/enable
put 1 $T/options/stacktrace
clear_trace
call $P1 1
put 0 $T/options/stacktrace
same "a backtrace begins with the function" $F1 "$(sed -n 's/^ => \([a-z0-9_.]*\).*/\1/p' $T/trace | head -n 1)"
check "and goes on to the system call" sh -c "sed -n 's/^ => //p' $T/trace | grep -q sys_read"

# What a handler may call to find its function
add "p:reads copy_from_kernel_nofault" $T/kprobe_events
put 1 $T/events/kprobes/reads/enable
clear_trace
call $P1 4
same "a kprobe on copy_from_kernel_nofault() is not in the way of others" 4 "$(kprobe_hits entry)"
put 0 $T/events/kprobes/reads/enable
add "-:reads" $T/kprobe_events

# Switched off and on
put 0 $ENABLED
clear_trace
call $P1 4
same "none while kprobes are switched off" 0 "$(kprobe_hits entry)"
put 1 $ENABLED
call $P1 4
same "each when they are on again" 4 "$(kprobe_hits entry)"

# Beside function_graph, whose hook of the return is above or below that of the kretprobe
for order in before after; do
	[ $order = after ] || put 1 $T/events/kprobes/return/enable
	put $F1 $T/set_ftrace_filter
	put function_graph $T/current_tracer
	put 1 $T/events/kprobes/return/enable
	clear_trace
	call $P1 6
	same "beside function_graph, $order: entries" 6 "$(grep -c "entry: ($F1" $T/trace)"
	same "beside function_graph, $order: returns" 6 "$(grep -c "return: ($C1" $T/trace)"
	same "beside function_graph, $order: it sees each call" 6 "$(graph_hits $F1)"
	put nop $T/current_tracer
	put 0 $T/events/kprobes/return/enable
done
put '' $T/set_ftrace_filter

# While ftrace is off a kprobe that is registered takes a breakpoint, and keeps it.
events() { put "p:entry $F1" $T/kprobe_events; add "r:return $F1" $T/kprobe_events; }
put 0 $T/events/kprobes/enable
: >$T/kprobe_events
put 0 /proc/sys/kernel/ftrace_enabled
events
put 1 $T/events/kprobes/entry/enable
same "ftrace_enabled=0: ftrace calls none" 0 "$(grep -c '\[FTRACE\]' $LIST)"
clear_trace
call $P1 5
same "ftrace_enabled=0: each call" 5 "$(kprobe_hits entry)"
put 1 $T/events/kprobes/return/enable
call $P1 5
same "another one joins: each return" 5 "$(kprobe_hits return)"
put 1 /proc/sys/kernel/ftrace_enabled
call $P1 5
same "ftrace_enabled=1: each call" 15 "$(kprobe_hits entry)"
same "and each return" 10 "$(kprobe_hits return)"
put 0 $T/events/kprobes/enable
: >$T/kprobe_events
events
same "the next ones are called by ftrace" $((2 * ftrace)) "$(grep -c '\[FTRACE\]' $LIST)"
put 1 $T/events/kprobes/entry/enable
put 1 $T/events/kprobes/return/enable
put 0 /proc/sys/kernel/ftrace_enabled
same "ftrace_enabled=0: ftrace calls none of them" 0 "$(grep -c '\[FTRACE\]' $LIST)"
clear_trace
call $P1 5
same "they are hit all the same" "5 5" "$(kprobe_hits entry) $(kprobe_hits return)"
put 0 $T/events/kprobes/return/enable
put 1 /proc/sys/kernel/ftrace_enabled
call $P1 5
same "and after ftrace was off" "10 5" "$(kprobe_hits entry) $(kprobe_hits return)"
put 0 $T/events/kprobes/enable
: >$T/kprobe_events
events
same "two for ftrace, not enabled" $((2 * ftrace)) "$(grep -c '\[FTRACE\]' $LIST)"
put 0 /proc/sys/kernel/ftrace_enabled
put 1 $T/events/kprobes/enable
clear_trace
call $P1 5
same "ftrace_enabled=0, and then enabled: they are hit" "5 5" "$(kprobe_hits entry) $(kprobe_hits return)"
put 0 $T/events/kprobes/enable
: >$T/kprobe_events
put 1 /proc/sys/kernel/ftrace_enabled
same "nothing is left enabled" 0 "$(grep -c . $T/enabled_functions)"

# A direct call of the same function
if module callops_direct >/dev/null; then
	put 0 /proc/sys/kernel/kptr_restrict 2>/dev/null
	events
	put 1 $T/events/kprobes/enable
	check "a direct call of the function" load callops_direct \
		addr="$(address $F1)"
	clear_trace
	call $P1 25
	same "beside a kprobe and a kretprobe: each direct call" 25 "$(cat /sys/module/callops_direct/parameters/calls)"
	same "each entry" 25 "$(kprobe_hits entry)"
	same "each return" 25 "$(kprobe_hits return)"
	put 0 $T/events/kprobes/enable
	call $P1 5
	same "alone again" 30 "$(cat /sys/module/callops_direct/parameters/calls)"
	unload callops_direct
	: >$T/kprobe_events
fi

# A module comes and goes with a kprobe of its own, and with one that waits for it
check "a module with a kprobe" load callops_kprobes hold=1
put 7 /sys/module/callops_kprobes/parameters/calls
same "its hits" 7 "$(cat /sys/module/callops_kprobes/parameters/calls)"
unload callops_kprobes
same "no kprobe is left" 0 "$(grep -c . $LIST)"
put "p:gone callops_kprobes:kprobes_old" $T/kprobe_events
put 1 $T/events/kprobes/enable
for round in 1 2; do
	load callops_kprobes hold=1
	clear_trace
	put 7 /sys/module/callops_kprobes/parameters/calls
	same "an event of a module that is loaded later, $round" 7 "$(kprobe_hits gone)"
	same "beside the module's own, $round" 7 "$(cat /sys/module/callops_kprobes/parameters/calls)"
	unload callops_kprobes
done
put 0 $T/events/kprobes/enable
: >$T/kprobe_events

# One by its address stays when the module has gone. Another one joins it when that is back.
back() {
	load callops_target
	for try in $(seq 50); do
		[ "$(address target_one)" != "$1" ] || return 0
		unload callops_target
		load callops_target
	done
	bail "the module does not come to the same address again"
}
load callops_target
addr=$(address target_one)
put "p:stays $addr" $T/kprobe_events
put 1 $T/events/kprobes/stays/enable
unload callops_target
for on in 1 0; do
	put $on /proc/sys/kernel/ftrace_enabled
	back $addr
	add "p:joins $addr" $T/kprobe_events
	put 1 $T/events/kprobes/joins/enable
	clear_trace
	target one 6
	same "where one has gone, ftrace_enabled=$on: each hit" 6 "$(kprobe_hits joins)"
	put 0 $T/events/kprobes/joins/enable
	add -:joins $T/kprobe_events
	unload callops_target
done
put 1 /proc/sys/kernel/ftrace_enabled
put 0 $T/events/kprobes/enable
: >$T/kprobe_events
same "nothing is left enabled then" 0 "$(grep -c . $T/enabled_functions)"

# What an interrupt calls first
put "p:irq irq_enter_rcu" $T/kprobe_events
clear_trace
put 1 $T/events/kprobes/irq/enable
sleep 1
put 0 $T/events/kprobes/enable
check "interrupts are served" test "$(kprobe_hits irq)" -gt 10
: >$T/kprobe_events

storms kprobes 6
same "nothing is left enabled at the end" 0 "$(grep -c . $T/enabled_functions)"
finish
