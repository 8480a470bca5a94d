#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# needs: base-entry-kprobes
# sides: base patched
# boot: --smp 2
# In which order those who trace a function are called: the last one registered first, but
# function_graph after all others. So kprobes see the caller of a function whose return it
# hooks, triggers of the function switch tracing for it, too, and it knows who skips the function.
# shellcheck source=tests/guest/lib/common
. "${0%/*}/lib/common"
begin
need_functions
need_tracer function_graph
need_module callops_post
C1=seq_read_iter	# calls all three
E=$T/events/kprobes

graph() { put function_graph $T/current_tracer; }
probes() {
	put 1 $E/enable
	check "a kprobe with a post_handler is registered" load callops_post symbol=$F2
}
for f in $F1 $F2 $F3; do add $f $T/set_ftrace_filter; done
add "p:entry $F3 ra=%ra:symbol" $T/kprobe_events
add "r:return $F1" $T/kprobe_events
for order in 'probes graph' 'graph probes'; do
	for step in $order; do $step; done
	clear_trace
	call $P1 5
	call $P2 5
	call $P3 5
	same "$order: a kprobe sees the caller" 5 "$(grep -c "entry: ($F3+.* ra=$C1+" $T/trace)"
	same "$order: a kretprobe sees it, too" 5 "$(grep -c "return: ($C1+.* <- $F1)" $T/trace)"
	same "$order: and a kprobe with a post_handler" $C1 "$(cat /sys/module/callops_post/parameters/caller)"
	same "$order: function_graph sees each call" "5 5 5" "$(graph_hits $F1) $(graph_hits $F2) $(graph_hits $F3)"
	unload callops_post
	put nop $T/current_tracer
	put 0 $E/enable
done

# skips WHO COUNT: a kprobe or an ops sends calls back to the caller. function_graph hooks the
# return of those that a kprobe has for it, and waits for none that does not come.
skips() {
	add $C1 $T/set_ftrace_filter	# whose return would be taken for the function's
	for order in 'load graph' 'graph load'; do
		for step in $order; do
			case $step in
			load) check "$order: the function is skipped, by $1" load callops_post symbol=$F2 back=$1 ;;
			graph) graph ;;
			esac
		done
		clear_trace
		call $P2 5
		call $P1 5
		same "$order: it does not run" "" "$(cat $P2)"
		same "$order: function_graph goes on" 5 "$(graph_hits $F1)"
		[ $SIDE = base ] || same "$order: and has seen the calls" $2 "$(graph_hits $F2)"
		unload callops_post
		put nop $T/current_tracer
	done
	add !$C1 $T/set_ftrace_filter
}
skips kprobe 6
skips ops 0

# switches TRIGGER WHO COUNT: in a call of $F3 the trigger comes before WHO, an older kprobe or
# function_graph, which then records it so often
switches() {
	add "$F3:$1" $T/set_ftrace_filter
	[ "$2" != graph ] || graph
	[ "$1" != traceon ] || put 0 $T/tracing_on
	clear_trace
	call $P3 1
	put 0 $T/tracing_on
	case $2 in
	graph) same "$1: it comes before function_graph" "$3" "$(graph_hits $F3)" ;;
	*) same "$1: it comes before an older kprobe" "$3" "$(kprobe_hits entry)" ;;
	esac
	put nop $T/current_tracer
	add "!$F3:$1" $T/set_ftrace_filter
	put 1 $T/tracing_on
}
put 1 $E/entry/enable
switches traceon kprobe 1
switches traceoff kprobe 0
put 0 $E/entry/enable
switches traceon graph 1
switches traceoff graph 0
finish
