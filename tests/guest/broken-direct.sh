#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# needs: direct-calls
# long: patched
# boot: --smp 2 --timeout 240 --append nokaslr --append slub_debug=FP --expect-splat ftrace.bug(.]|[+]0x)|ftrace_(call_ops|bug)_selftest[+]0x|but.got
# ftrace gives up (ftrace_bug()) while callsites branch straight to direct calls in modules,
# and these are unloaded: after that no callsite may lead there. The kernel's two samples
# share one ops, which stays with the second when the first goes; callops_direct has its own.
# shellcheck source=tests/guest/lib/common
. "${0%/*}/lib/common"
begin
need_functions
has_call_ops || skip "without literals the callsites stay as they are"
for m in ftrace-direct ftrace-direct-too callops_direct callops_many callops_target; do need_module $m; done
put 0 /proc/sys/kernel/kptr_restrict
B=$T/instances/b

# direct MODULE FUNCTION [PARAMETER]: the module makes a direct call of the function
# shellcheck disable=SC2086
direct() {
	check "$1 is loaded" load $1 $3
	check "$2 has a direct call, and nothing else" grep -q "^$2 (1) .*D" $T/enabled_functions
	d=$(($(address $2) - $(awk -v m="$(echo "$1" | tr - _)" '$1 == m { print $6 }' /proc/modules)))
	check "in reach of a branch" test ${d#-} -lt $((128 << 20))
}
direct ftrace-direct wake_up_process
direct ftrace-direct-too handle_mm_fault
direct callops_direct meminfo_proc_show addr="$(address meminfo_proc_show)"

mkdir $B
check "a callsite is spoiled" load callops_many spoil=500
put 'many_*' $B/set_ftrace_filter
echo function >$B/current_tracer
same "ftrace gave up" 1 "$(dmesg | grep -c 'ftrace bug')"
for m in ftrace-direct ftrace-direct-too callops_direct; do
	check "$m is unloaded" unload $m
	check "another module takes its place" load callops_target
	target one 1000
	call /proc/meminfo 50
	sleep 1			# some are woken up, and page faults
	unload callops_target
done
put nop $B/current_tracer
rmdir $B
finish_broken
