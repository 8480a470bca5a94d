#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# sides: base patched
# boot: --smp 2 --timeout 300 --append ftrace=function --append ftrace_filter=version_proc_show,uptime_proc_show --append ftrace_notrace=uptime_proc_show --append stacktrace --append kprobe_event=p:early,populate_rootfs
# boot: --smp 2 --timeout 300 --append ftrace=function_graph --append ftrace_graph_filter=version_proc_show --append ftrace_notrace=uptime_proc_show --append rodata=off
# Tracers, filters and kprobes of the kernel's command line: callsites are patched early at
# boot, before there is anything to allocate from, or while code can still be written, and as
# init text is about to be freed.
# shellcheck source=tests/guest/lib/common
. "${0%/*}/lib/common"
read -r cmdline </proc/cmdline
# begin() switches all off
[ -f $T/current_tracer ] || mount -t tracefs tracefs $T
read -r tracer <$T/current_tracer
filter=$(grep -v '^#' $T/set_ftrace_filter)
call $P1 3
call $P2 3
put 0 $T/tracing_on
early=$(awk '{ print $1, $2, $3 }' $T/kprobe_profile 2>/dev/null)
gone=$(grep populate_rootfs /sys/kernel/debug/kprobes/list 2>/dev/null)
plain=$(hits $F1) graph=$(graph_hits $F1) notrace=$(($(hits $F2) + $(graph_hits $F2)))
serving=$(grep "^$F1 " $T/enabled_functions)
put 1 $T/tracing_on

# An event of kprobe_event= has no directory if it is made while tracefs is, on both kernels.
# begin() would not switch it off then.
[ ! -f $T/events/enable ] || put 0 $T/events/enable

begin
need_functions
note "$serving"
same "$F2 is not traced" 0 "$notrace"
case $cmdline in
*ftrace=function_graph*)
	same "function_graph traces from boot" function_graph "$tracer"
	same "its function" 3 "$graph" ;;
*)
	same "the function tracer runs from boot" function "$tracer"
	same "its function" 3 "$plain"
	same "by its filter" "$(printf '%s\n' $F1 $F2 | sort)" "$(echo "$filter" | sort)"
	same "the stack tracer runs" 1 "$(cat /proc/sys/kernel/stack_tracer_enabled)"
	check "and has seen a stack" test "$(cat $T/stack_max_size)" -gt 0
	put 0 /proc/sys/kernel/stack_tracer_enabled
	if [ -e $T/kprobe_events ]; then
		same "a kprobe of an init function is hit" "early 1 0" "$early"
		# By then ftrace has disarmed it; a breakpoint is freed with the function.
		case $SIDE-$(uname -m) in
		base-aarch64) by='[GONE]' ;;
		*) by='[GONE][FTRACE]' ;;
		esac
		same "and gone with that function" "$by" "${gone##*[[:blank:]]}"
	fi ;;
esac
same "all is off" 0 "$(wc -l <$T/enabled_functions)"
put $F1 $T/set_ftrace_filter
put function $T/current_tracer
call $P1 5
same "and goes on again" 5 "$(hits $F1)"
if [ -e /proc/modules ]; then
	check "a module's functions, too" load callops_target
	put target_one $T/set_ftrace_filter
	clear_trace
	target one 7
	same "as often" 7 "$(hits target_one)"
	put nop $T/current_tracer
	check "which goes" unload callops_target
fi
finish
