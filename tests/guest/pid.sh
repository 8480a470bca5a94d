#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# sides: base patched
# boot: --smp 2 --timeout 300
# set_ftrace_pid and set_ftrace_notrace_pid: an ops that is filtered by task.
# shellcheck source=tests/guest/lib/common disable=SC2086
. "${0%/*}/lib/common"
begin
need_tracer function
need_function $F1
need_function $F2
need_file $T/set_ftrace_pid
A=$T/instances/a

put 0 $T/options/function-fork 2>/dev/null
put "$F1 $F2" $T/set_ftrace_filter
check "this process is chosen" put $$ $T/set_ftrace_pid
check "the function tracer starts" put function $T/current_tracer
call $P1 10
(call $P1 7)
same "10 calls by this process, none by another" 10 "$(hits $F1)"

clear_trace
mkdir $A
put $F1 $A/set_ftrace_filter
put function $A/current_tracer
call $P1 4
(call $P1 5)
same "with an instance on the same function, the same" 4 "$(hits $F1)"
same "the instance has the calls of both" 9 "$(hits $F1 $A)"

# A trigger asks for protection from recursion, so it is another function that calls all
for beside in instance "instance and a trigger"; do
	[ "$beside" = instance ] || add "$F1:traceon" $T/set_ftrace_filter
	put '' $T/set_ftrace_pid
	clear_trace
	call $P1 3
	(call $P1 5)
	same "with an $beside, and no process chosen: all calls" 8 "$(hits $F1)"
	put $$ $T/set_ftrace_pid
	clear_trace
	call $P1 4
	(call $P1 5)
	same "with an $beside, and one chosen again: its calls" 4 "$(hits $F1)"
done

# An option of the tracer takes it off, and puts it back. Until the callsite changes, it calls
# the tracer, and the filter is to stay as long: with all functions traced, for a while. (On
# riscv's base that takes minutes.)
if [ "$SIDE-$(uname -m)" != base-riscv64 ]; then
	put '' $T/set_ftrace_filter
	clear_trace
	while :; do read -r _ <$P1; done &
	n=0
	while [ $n -lt 10 ]; do
		put $((n % 2)) $T/options/func_stack_trace
		n=$((n + 1))
		sleep 0.1
	done
	kill $!
	wait
	put 0 $T/options/func_stack_trace
	same "no call of others while the tracer comes and goes" 0 "$(hits $F1)"
	put "$F1 $F2" $T/set_ftrace_filter
fi
add "!$F1:traceon" $T/set_ftrace_filter

clear_trace
put $F2 $A/set_ftrace_filter
call $P1 6
(call $P1 5)
same "when the instance has left the function, the same" 6 "$(hits $F1)"

clear_trace
check "no process is chosen any more" put '' $T/set_ftrace_pid
call $P1 3
(call $P1 5)
same "all calls are traced" 8 "$(hits $F1)"

if [ -f $T/set_ftrace_notrace_pid ]; then
	clear_trace
	check "this process is left out" put $$ $T/set_ftrace_notrace_pid
	call $P1 10
	(call $P1 7)
	same "only the other's calls are traced" 7 "$(hits $F1)"
	put '' $T/set_ftrace_notrace_pid
fi

clear_trace
put $$ $T/set_ftrace_pid
put nop $T/current_tracer
put function $T/current_tracer
call $P1 5
(call $P1 5)
same "a tracer that starts with a process chosen knows it" 5 "$(hits $F1)"
put nop $A/current_tracer
rmdir $A
finish
