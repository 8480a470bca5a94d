#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# needs: base-entry-kprobes
# sides: base patched
# boot: --smp 2
# Kprobes at the entry of a function see who called it, and kretprobes whom it returns to, even
# if function_graph hooks the return. It may come before them or after.
# shellcheck source=tests/guest/lib/common
. "${0%/*}/lib/common"
begin
need_functions
need_tracer function_graph
need_module callops_post
C1=seq_read_iter	# calls all three
E=$T/events/kprobes

graph() {
	for f in $F1 $F2 $F3; do add $f $T/set_ftrace_filter; done
	put function_graph $T/current_tracer
}
probes() {
	put 1 $E/enable
	check "a kprobe with a post_handler is registered" load callops_post symbol=$F2
}
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
finish
