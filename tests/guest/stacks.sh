#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# sides: base patched
# boot: --smp 2 --timeout 300
# What triggers, events and tracers print as a backtrace begins with the function that
# was traced, and its caller. Each of them alone on the callsite, beside a tracer of
# another function, beside a tracer and beside a trigger of the same one, and while
# function_graph replaces where the function and its caller return to.
# What is known to be otherwise, on the base or on both kernels, is in known().
# shellcheck source=tests/guest/lib/common disable=SC2086
. "${0%/*}/lib/common"
begin
need_tracer function
need_functions
C1=seq_read_iter	# calls all three
F4=kernel_clone		# has a tracepoint, and runs once for each ( : )
need_function $C1
need_function $F4
A=$T/instances/a	# what prints a backtrace, if not in the top directory
B=$T/instances/b	# what is beside it
# Who calls a lone tracer: the ops of the callsite, or the list function of the base
KERNEL=list-$(uname -m)
! has_call_ops || KERNEL=ops-$(uname -m)

# known CASE PLACE: how many functions come first, the one traced, and its caller if it
# is to be there ("+": one or more, "any": it does not matter); or "- FUNCTION" that is not
known() {
	case $KERNEL:$1 in
	# There neither the trampoline nor that of kretprobes makes a frame: the
	# function and its caller are lost.
	list-riscv64:*options/stacktrace|list-riscv64:tracepoint*) ;;
	list-riscv64:kretprobe*trigger*) echo "- $C1"; return ;;
	list-riscv64:*) echo "- $F1"; return ;;
	# With static calls there is no iterator between the function and its only probe
	ops-aarch64:tracepoint*options/stacktrace) echo "0 $F4"; return ;;
	esac
	case $1 in
	# Without registers it begins with how the event came about.
	kprobe*trigger*) echo "+ $F1" ;;
	kretprobe*trigger*) echo "+ $C1" ;;
	# Its key leaves out as many functions with an iterator as without.
	tracepoint*hist) echo "any $F4" ;;
	tracepoint*) echo "+ $F4" ;;
	# At the entry, there is no frame yet that would have the caller.
	kprobe*) echo "0 $F1" ;;
	# Here the function has been left.
	kretprobe*) echo "0 $C1" ;;
	# It looks for the function.
	stack\ tracer) echo "0 $F1 $C1" ;;
	*)
		known_n=0
		# All others count the functions that they leave out. On riscv the
		# unwinder begins with one of its own, which they do not count.
		case $KERNEL in *-riscv64) known_n=1 ;; esac
		# The function tracer counts its own frame, but neither that of the
		# list function nor that of the pid filter. Without per-callsite ops,
		# the list function serves all but the only tracer of the system.
		case $1 in func_stack_trace*pid) known_n=$((known_n + 1)) ;; esac
		case $KERNEL:$2:$1 in
		*:tracer:func*_trace*|*:trigger:func*_trace*|*:graph:func*_trace*| \
		list-*:unrelated:func*_trace*|list-*:func*_trace*instance) known_n=$((known_n + 1)) ;;
		esac
		echo "$known_n $F1 $C1" ;;
	esac
}

# The functions of the backtraces in a trace; in a histogram; of the stack tracer
stack() { sed -n 's/^ => \([^ +]*\).*/\1/p' "$1/trace"; }
stack_key() { sed -n '/ stacktrace:/,/^}/s/^ *\([^ +]*\)+0x.*/\1/p' "$1/hist"; }
stack_max() { sed -n 's/^ *[0-9]*) .* \([^ +]*\)+0x.*/\1/p' $T/stack_trace; }

# begins CASE FUNCTION...: a backtrace begins as it should
begins() {
	begins_what="$1, $PLACE"
	read -r known_n known_f known_c <<-EOF
		$(known "$1" $PLACE)
	EOF
	shift
	note "$begins_what: $(echo "$*" | cut -d' ' -f-5)"
	if [ "$known_n" = - ]; then
		case " $* " in
		"  ") not_ok "$begins_what prints a backtrace" ;;
		*" $known_f "*) not_ok "base only: $begins_what lacks $known_f" ;;
		*) ok "base only: $begins_what lacks $known_f" ;;
		esac
		return
	fi
	begins_n=0
	while [ $# -gt 0 ] && [ "$1" != "$known_f" ]; do
		begins_n=$((begins_n + 1))
		shift
	done
	[ $# -gt 0 ] || { not_ok "$begins_what has $known_f"; return; }
	[ "$known_n" != any ] || known_n=$begins_n
	[ "$known_n" != + ] || known_n=$((begins_n > 0 ? begins_n : 1))
	same "$begins_what begins with $known_n others, $known_f${known_c:+, $known_c}" \
		"$known_n $known_f $known_c" "$begins_n $1 ${known_c:+$2}"
}

# once CASE DIR COMMAND...: the command leaves one backtrace in the trace
once() {
	once_case=$1 once_d=$2
	shift 2
	clear_trace $once_d
	"$@"
	put 0 $once_d/tracing_on	# or the next fork is another one
	once_n=$(grep -c '<stack trace>' $once_d/trace)
	if [ "$once_n" = 1 ]; then
		begins "$once_case" $(stack $once_d)
	else
		not_ok "$once_case, $PLACE, prints one backtrace"
		note "it prints $once_n"
	fi
	put 1 $once_d/tracing_on
}

# beside PLACE FUNCTION CALLER; nothing_beside
beside() {
	PLACE=$1
	case $PLACE in
	unrelated|tracer|trigger) mkdir $B ;;
	esac
	case $PLACE in
	unrelated) put $F2 $B/set_ftrace_filter; put function $B/current_tracer ;;
	tracer) put $2 $B/set_ftrace_filter; put function $B/current_tracer ;;
	trigger) put "$2:traceon" $B/set_ftrace_filter ;;
	graph) put "$2 $3" $T/set_ftrace_filter; put function_graph $T/current_tracer ;;
	esac
}
nothing_beside() {
	[ ! -d $B ] || { put nop $B/current_tracer; put '' $B/set_ftrace_filter; }
	[ $PLACE != trigger ] || add "!$1:traceon" $B/set_ftrace_filter
	[ ! -d $B ] || rmdir $B
	put nop $T/current_tracer
	put '' $T/set_ftrace_filter
}

triggers() {
	for trigger in stacktrace stacktrace:3; do
		add "$F1:$trigger" $T/set_ftrace_filter
		once "function trigger $trigger" $T call $P1 1
		add "!$F1:$trigger" $T/set_ftrace_filter
	done
	mkdir $A
	add "$F1:stacktrace" $A/set_ftrace_filter
	once "function trigger stacktrace in an instance" $A call $P1 1
	add "!$F1:stacktrace" $A/set_ftrace_filter
	rmdir $A
}

tracers() {
	mkdir $A
	put $F1 $A/set_ftrace_filter
	put function $A/current_tracer
	put 1 $A/options/func_stack_trace
	once "func_stack_trace in an instance" $A call $P1 1
	put 1 $A/options/func-no-repeats
	once "func_stack_trace and func-no-repeats in an instance" $A call $P1 1
	put 0 $A/options/func-no-repeats
	put 0 $A/options/func_stack_trace
	put nop $A/current_tracer
	rmdir $A
	[ $PLACE != graph ] || return 0

	put $F1 $T/set_ftrace_filter
	put function $T/current_tracer
	put 1 $T/options/func_stack_trace
	once "func_stack_trace" $T call $P1 1
	put $$ $T/set_ftrace_pid
	once "func_stack_trace with set_ftrace_pid" $T call $P1 1
	put '' $T/set_ftrace_pid
	put 0 $T/options/func_stack_trace
	put nop $T/current_tracer
	put '' $T/set_ftrace_filter
}

# event CASE DIR COMMAND...: by the option, and by triggers of the event
event() {
	event_case=$1 event_d=$2
	shift 2
	put 1 $event_d/enable
	put 1 $T/options/stacktrace
	once "$event_case, options/stacktrace" $T "$@"
	put 0 $T/options/stacktrace
	for trigger in stacktrace stacktrace:3; do
		put $trigger $event_d/trigger
		once "$event_case, trigger $trigger" $T "$@"
		put "!$trigger" $event_d/trigger
	done
	if [ -f $event_d/hist ]; then
		put hist:keys=stacktrace $event_d/trigger
		"$@"
		begins "$event_case, trigger hist" $(stack_key $event_d)
		put '!hist:keys=stacktrace' $event_d/trigger
	fi
	put 0 $event_d/enable
}

kprobe_events() {
	put "p:entry $F1" $T/kprobe_events
	add "r:return $F1" $T/kprobe_events
	event "kprobe event" $T/events/kprobes/entry call $P1 1
	event "kretprobe event" $T/events/kprobes/return call $P1 1
	: >$T/kprobe_events
}

# stack_of FUNCTION COMMAND...: the stack tracer is on while the command calls the function
stack_of() {
	put $1 $T/stack_trace_filter
	put 1 /proc/sys/kernel/stack_tracer_enabled
	put 0 $T/stack_max_size
	shift
	"$@"
	put 0 /proc/sys/kernel/stack_tracer_enabled
	put '' $T/stack_trace_filter
}

stack_tracer() {
	stack_of $F1 call $P1 1
	begins "stack tracer" $(stack_max)
}

# The stack begins at a multiple of its size, which is one of 16384. The tracer counts from the
# slot of an address, 8 bytes below where the frame ends. The maximum differs by what lies
# between trampoline and tracer, more or less of which it has left out. On the base, riscv gives
# kprobes a wrong sp.
stack_sizes() {
	put "p:entry $F1 sp=%sp" $T/kprobe_events
	put 1 $T/events/kprobes/entry/enable
	clear_trace
	stack_of $F1 call $P1 1
	put 0 $T/events/kprobes/entry/enable
	depth=$(awk '$1 == "0)" { print $2 }' $T/stack_trace)
	max=$(cat $T/stack_max_size)
	sp=$(sed -n 's/.* sp=//p' $T/trace)
	: >$T/kprobe_events
	note "sp $sp, depth $depth, maximum $max"
	check "the stack tracer counts no stack below the function's" \
		[ $(((sp + ${depth:-0}) & 16383)) -le 8 ]
	check "nor in the maximum" [ $((max - ${depth:-0})) -lt 150 ]
	# An argument of this one is where its caller returns to
	stack_of __kmalloc_node_track_caller load callops_target
	unload callops_target
	same "each caller has a part of the stack" 0 \
		"$(awk '/^ *[1-9][0-9]*\)/ && $3 <= 0 { n++ } END { print (NR > 5 ? n + 0 : "no stack") }' $T/stack_trace)"
}

clone() { ( : ) }

for place in alone unrelated tracer trigger graph; do
	[ $place != graph ] || grep -qw function_graph $T/available_tracers || continue
	beside $place $F1 $C1
	triggers
	tracers
	[ ! -f $T/kprobe_events ] || kprobe_events
	[ ! -f $T/stack_trace ] || stack_tracer
	nothing_beside $F1

	[ -d $T/events/sched ] || continue
	beside $place $F4 '*sys_clone'
	event tracepoint $T/events/sched/sched_process_fork clone
	nothing_beside $F4
done

if [ -f $T/kprobe_events ] && [ -f $T/stack_trace ] && [ "$SIDE-$(uname -m)" != base-riscv64 ]; then
	stack_sizes
fi

# A trigger in what takes the backtraces, which therefore calls itself: once more,
# and no further, is allowed. The count shows how often it was called.
if grep -q '^stack_trace_save$' $T/available_filter_functions; then
	add stack_trace_save:stacktrace:100 $T/set_ftrace_filter
	add $F1:stacktrace $T/set_ftrace_filter
	call $P1 1
	same "a trigger in itself is called once" "stack_trace_save:stacktrace:count=99" \
		"$(grep :count= $T/set_ftrace_filter)"
	add !stack_trace_save:stacktrace:100 $T/set_ftrace_filter
	add !$F1:stacktrace $T/set_ftrace_filter
fi
finish
