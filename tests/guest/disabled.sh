#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# sides: base patched
# boot: --smp 2 --timeout 300 --append slub_debug=FP
# Modules are loaded, and tracers come and go, while kernel.ftrace_enabled is 0. No
# callsite may name one of them then, and each has to see its calls afterwards.
# shellcheck source=tests/guest/lib/common disable=SC2086
. "${0%/*}/lib/common"
begin
need_tracer function
need_functions
need_module callops_target
need_file /proc/sys/kernel/ftrace_enabled
M=callops_target
I=$T/instances

ftrace_enabled() { check "ftrace_enabled is set to $1" put "$1" /proc/sys/kernel/ftrace_enabled; }

# A tracer of all functions that are not there yet: those of the next module
next_module() {
	mkdir $I/$1
	put '*' $I/$1/set_ftrace_notrace
	put function $I/$1/current_tracer
}
remove() {
	put nop $I/$1/current_tracer
	rmdir $I/$1
}

next_module a
ftrace_enabled 0
check "a module is loaded, whose functions an instance traces" load $M
target one 5
# The base patches them, and calls the tracer that it had before.
[ $SIDE = base ] || same "they are not traced yet" 0 "$(hits target_one $I/a)"
remove a
target one 5
# With an ops that is freed, it would read that.
check "what traces them can be read when the instance is gone" sh -c "cat $T/enabled_functions >/dev/null"
check "and they can be called" unload $M
check "and when the module is loaded again" load $M
target one 5
unload $M
ftrace_enabled 1
same "nothing is enabled" 0 "$(grep -c . $T/enabled_functions)"

next_module a
ftrace_enabled 0
load $M
mkdir $I/b
put "target_one target_two" $I/b/set_ftrace_filter
put function $I/b/current_tracer
put nop $I/a/current_tracer
ftrace_enabled 1
target one 5
target two 3
same "one instance left, another came: it sees all calls" "5 3" \
	"$(hits target_one $I/b) $(hits target_two $I/b)"
same "and the first one none" 0 "$(hits target_one $I/a)"

ftrace_enabled 0
put target_two $I/b/set_ftrace_filter
put target_one $I/a/set_ftrace_filter
put '' $I/a/set_ftrace_notrace
put function $I/a/current_tracer
clear_trace $I/a
clear_trace $I/b
ftrace_enabled 1
target one 5
target two 3
same "filters changed: each sees its own" "5 0 0 3" \
	"$(hits target_one $I/a) $(hits target_two $I/a) $(hits target_one $I/b) $(hits target_two $I/b)"
unload $M
remove a
remove b

# What asked for all registers goes. The record must not keep that: who traces the
# function next would go by the slower trampoline, and if another function's tracer is
# the last one to leave, ftrace finds a flag without a user, and gives up.
regs_gone() {
	ftrace_enabled 1
	put $F2 $T/set_ftrace_filter
	put function $T/current_tracer
	put nop $T/current_tracer
	put $F1 $T/set_ftrace_filter
	check "$1 went meanwhile: ftrace still works" put function $T/current_tracer
	clear_trace
	call $P1 7
	same "the function is traced" 7 "$(hits $F1)"
	same "without all registers" 0 "$(grep -c "^$F1 .* R" $T/enabled_functions)"
	put nop $T/current_tracer
}
if [ $SIDE = base ]; then
	note "the base gives up when what wants registers goes while it is disabled"
else
	if module callops_direct >/dev/null; then
		load callops_direct addr="$(address $F1)"
		call $P1 1
		ftrace_enabled 0
		unload callops_direct
		regs_gone "a direct call"
	fi
	if [ -f $T/kprobe_events ]; then
		put "p:callops_k $F1" $T/kprobe_events
		put 1 $T/events/kprobes/enable
		ftrace_enabled 0
		put 0 $T/events/kprobes/enable
		: >$T/kprobe_events
		regs_gone "a kprobe"

		# One of two kprobes goes, and with it a function of the filter of an ops that stays
		put $F1 $T/set_ftrace_filter
		put function $T/current_tracer
		put "p:callops_k $F1" $T/kprobe_events
		echo "p:callops_l $F2" >>$T/kprobe_events
		put 1 $T/events/kprobes/enable
		same "two kprobes: both functions save all registers" 2 \
			"$(grep -cE "^($F1|$F2) .* R" $T/enabled_functions)"
		put 0 $T/events/kprobes/callops_k/enable
		same "one of them goes: only the other one does" "$F2" \
			"$(awk -v a=$F1 -v b=$F2 '($1 == a || $1 == b) && / R / { print $1 }' $T/enabled_functions)"
		put 0 $T/events/kprobes/enable
		: >$T/kprobe_events
		put nop $T/current_tracer
	fi
fi
finish
