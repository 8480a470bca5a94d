#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# needs: direct-calls
# sides: patched
# boot: --smp 2 --timeout 300
# boot: --smp 2 --timeout 300 --append nokaslr
# Direct calls, alone and together with other tracers, on a function of a module
# and on one of the kernel: tests/guest-modules/direct and the kernel's samples.
# With KASLR modules are out of range of a branch from the kernel in seven of eight boots;
# it is those that count.
# shellcheck source=tests/guest/lib/common disable=SC2086
. "${0%/*}/lib/common"
begin
need_tracer function
need_functions
need_module callops_direct
calls() { cat /sys/module/callops_direct/parameters/calls; }
put 0 /proc/sys/kernel/kptr_restrict 2>/dev/null
addr=$(address $F1)

range() {
	load callops_direct addr=$addr || return
	distance=$(($(address direct_tramp_kernel) - addr))
	unload callops_direct
	note "from the function to its direct call: $distance bytes"
	[ ${distance#-} -lt $((128 << 20)) ]
}
case $(cat /proc/cmdline) in
*nokaslr*) check "modules are in range of a branch" range ;;
*) ! range || again "modules are in range of a branch" ;;
esac

# run WHERE [PARAMETER...]
run() {
	where=$1
	shift
	dmesg_clear
	if ! load callops_direct addr=$addr "$@"; then
		not_ok "$where: the module's checks passed"
		lines direct | sed 's/^/# /'
		return 1
	fi
	check "$where: all of the module's checks were made" test "$(lines direct | grep -c '^ok - ')" -ge 58
	same "$where: none failed" 0 "$(lines direct | grep -c 'not ok')"
}

# With what can make allocations fail, each that a registration makes fails once.
FAIL=/sys/kernel/debug/fail_function
tramps=
if [ -f $FAIL/inject ]; then
	tramps=nr_tramps=$(address ftrace_direct_func_count)
	put should_failslab $FAIL/inject
	put 0xfffffffffffffff4 $FAIL/should_failslab/retval	# -ENOMEM
	put 0 $FAIL/verbose
fi
if run "alone" $tramps; then
	if [ -n "$tramps" ]; then
		put '' $FAIL/inject
		lines direct | grep 'without memory'
		same "one, and two, without memory" 2 "$(lines direct | grep -c 'without memory')"
	fi
	grep -E 'callops_direct|direct' $T/enabled_functions | sed 's/^/# /'
	call $P1 25
	same "a function of the kernel makes its direct call" 25 "$(calls)"
	put $F1 $T/set_ftrace_filter
	put function $T/current_tracer
	call $P1 10
	same "also while it is traced" 35 "$(calls)"
	same "the tracer sees it, too" 10 "$(hits $F1)"
	put nop $T/current_tracer
	call $P1 5
	same "and when it no longer is" 40 "$(calls)"
	clear_trace
	put function_graph $T/current_tracer
	call $P1 7
	same "beside function_graph" 47 "$(calls)"
	same "which sees it" 7 "$(graph_hits $F1)"
	put nop $T/current_tracer
	if [ -f $T/kprobe_events ]; then
		put "p:callops_d $F1" $T/kprobe_events
		put "r:callops_dr $F1" $T/kprobe_events 2>/dev/null || add "r:callops_dr $F1" $T/kprobe_events
		put 1 $T/events/kprobes/enable
		call $P1 3
		same "beside a kprobe" 50 "$(calls)"
		put 0 $T/events/kprobes/enable
		: >$T/kprobe_events
	fi
	check "the module is unloaded" unload callops_direct
	call $P1 3
fi
put '' $T/set_ftrace_filter
run_unload() { run "$1" && call $P1 1 && unload callops_direct; }
beside function run_unload "beside the function tracer on all functions"
put $F1 $T/set_ftrace_filter
beside function_graph run_unload "beside function_graph"
put '' $T/set_ftrace_filter
same "nothing is left enabled" 0 "$(grep -c . $T/enabled_functions)"
finish
