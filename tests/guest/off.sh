#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# long: patched
# flavor: off
# boot: --smp 2 --timeout 60
# With the option off no literal is to be written: a callsite whose tracers change is modified
# where another trampoline is called, and nowhere else.
# shellcheck source=tests/guest/lib/common disable=SC2086
. "${0%/*}/lib/common"
begin
need_tracer function
need_functions
! has_call_ops || skip "this kernel has per-callsite ops"
I=$T/instances/other
mkdir $I
check "a kprobe where callsites are modified" put "p:modified ftrace_modify_call" $T/kprobe_events
put 1 $T/events/kprobes/modified/enable
for d in $T $I; do
	put $F1 $d/set_ftrace_filter
	put function $d/current_tracer
done
call $P1 5
same "two tracers see each call" "5 5" "$(hits $F1) $(hits $F1 $I)"
put $F2 $T/set_ftrace_filter
add $F1 $T/set_ftrace_filter
put nop $I/current_tracer
same "they come and go, and no callsite is modified" 0 "$(kprobe_hits modified)"
# It asks for all registers.
add "p:regs $F1" $T/kprobe_events
put 1 $T/events/kprobes/regs/enable
same "but for a kprobe beside a tracer" 1 "$(kprobe_hits modified)"
call $P1 3
same "which is hit" 3 "$(kprobe_hits regs)"
put 0 $T/events/kprobes/enable
finish
