#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# needs: fprobe
# sides: patched
# boot: --smp 4 --timeout $((20 * ${STRESS_SECONDS:-10} + 240))
# fprobes and kretprobes: tests/guest-modules/fprobe, alone and beside other tracers of
# the same functions, which come before them or while they are there.
# shellcheck source=tests/guest/lib/common
. "${0%/*}/lib/common"
begin
need_module callops_fprobe
need_module fprobe_example
need_functions
C1=seq_read_iter	# calls both
need_function $C1
run() { module_checks fprobe "$@"; }

run "alone" 39
# (without the first filter, all functions are traced until the module is there)
for tracer in function function_graph; do
	need_tracer $tracer
	put $F1 $T/set_ftrace_filter
	add 'fprobe_*:mod:callops_fprobe' $T/set_ftrace_filter
	beside $tracer run "beside $tracer" 39
done
put '' $T/set_ftrace_filter

# The kernel's own sample: two functions, at their entry and at their return
dmesg_clear
check "samples/fprobe is loaded" load fprobe_example symbol=$F1,$F2 stackdump=0
call $P1 10
call $P2 5
unload fprobe_example
call $P1 1
said() { dmesg | grep -c "sample_[a-z]*_handler: $1"; }
same "it has seen each call" 10 "$(said "Enter <$F1+")"
same "and that each returned to its caller" 10 "$(said "Return from <$F1+.* (seq_read_iter+")"
same "and those of the other function" "5 5" "$(said "Enter <$F2+") $(said "Return from <$F2+.* (seq_read_iter+")"

# Each hook finds that of the other in the place of the return address, if that comes first.
I=$T/instances/a
mkdir $I
put "p:seen $F1" $T/kprobe_events
put stacktrace $I/events/kprobes/seen/trigger
put 1 $I/events/kprobes/seen/enable
# Without per-callsite ops the list function calls the kprobe as soon as there are two ops.
backtrace() { clear_trace $I; call $P1 1; sed -n '/_ops_list_func$/d; s/^ => //p' $I/trace | tr '\n' ' '; }
put $C1 $T/set_ftrace_filter
plain=$(backtrace)
hooked=$plain
callers=" $C1 .* vfs_read "
if [ "$(uname -m)" = riscv64 ]; then
	# Without per-callsite ops the caller of the probed function is left out, as on the base.
	has_call_ops || callers=' vfs_read '
	# Without frame pointers all that looks like a return address is listed, the function
	# more than once, and a hook by its name.
	case $plain in *" $F1 "*" $F1 "*) hooked=$(echo "$plain" | sed 's/ vfs_read / return_to_handler /') ;; esac
fi
check "a backtrace has the caller's caller" sh -c "echo '$plain' | grep -q '$callers'"
load fprobe_example symbol=$C1 stackdump=0
put function_graph $T/current_tracer
same "it is the same with function_graph's hook behind the fprobe's" "$hooked" "$(backtrace)"
unload fprobe_example
load fprobe_example symbol=$C1 stackdump=0
same "and in front of it" "$hooked" "$(backtrace)"
unload fprobe_example
tracing_reset

check "a module with functions is loaded" load callops_target
refused "an fprobe of one, by its name, is refused as on the base" load fprobe_example symbol=target_one stackdump=0
unload callops_target

# An override of a function whose return is hooked, by one that came before or after it.
# (With a breakpoint it comes before all that traces: the function is not seen at all.)
FAIL=/sys/kernel/debug/fail_function
E=/proc/sys/kernel/ftrace_enabled
sys=$(overridable sethostname)
name=$(hostname)
override() {
	put "$sys" $FAIL/inject
	put 0xfffffffffffffff4 "$FAIL/$sys/retval"	# -ENOMEM
	put 0 $FAIL/verbose
	put -1 $FAIL/times
	put 100 $FAIL/probability
}
overridden() {
	for _ in 1 2 3; do hostname other 2>/dev/null && return 1; done
	[ "$(hostname)" = "$name" ]
}
if [ -e $FAIL/inject ]; then
	for order in before after; do
		dmesg_clear
		[ $order = after ] || override
		load fprobe_example symbol="$sys" stackdump=0
		put "$sys" $T/set_graph_function
		put function_graph $T/current_tracer
		[ $order = before ] || override
		# By a breakpoint: one call of four
		seen=1
		! grep -q "$sys.*\[FTRACE\]" /sys/kernel/debug/kprobes/list || seen=4
		check "an override from $order the hooks" overridden
		# On riscv only ftrace calls such a kprobe
		if [ "$(uname -m)" = aarch64 ]; then
			put 0 $E
			check "and by a breakpoint" overridden
			put 1 $E
		fi
		put '' $FAIL/inject
		check "and none" hostname "$name"
		put nop $T/current_tracer
		unload fprobe_example
		same "each that entered returned" "$seen $seen" "$(said 'Enter <') $(said 'Return from <')"
	done
	put '' $T/set_graph_function
fi

# The idle task of a CPU that goes offline does not return, and begins anew. It has ten nodes.
OFF=/sys/devices/system/cpu/cpu1/online
if [ -e $OFF ]; then
	put 'r:dead arch_cpu_idle_dead' $T/kprobe_events
	add 'p:entered arch_cpu_idle_dead' $T/kprobe_events
	put 1 $T/events/kprobes/enable
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do put 0 $OFF; cpu_stops; put 1 $OFF; done
	put 0 $T/events/kprobes/enable
	sed 's/^/# hits, misses: /' $T/kprobe_profile
	same "a return that never comes holds a node until the CPU comes back" "15 0" \
		"$(awk '$1 == "entered" { n = $2 } $1 == "dead" { m = $3 } END { print n, m }' $T/kprobe_profile)"
	: >$T/kprobe_events
fi

# (The hook of function_graph is below and above those of the probes.)
storms fprobe 7
same "nothing is left enabled" 0 "$(grep -c . $T/enabled_functions)"
finish
