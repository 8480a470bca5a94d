#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# sides: named
# flavor: off
# boot: --smp 4 --timeout 300
# Kretprobes come and go on a function that is called all the time, and traced by an ops that
# needs no registers: while its callsite changes, none may take others for registers.
# shellcheck source=tests/guest/lib/common
. "${0%/*}/lib/common"
begin
need_tracer function
need_file $T/kprobe_events
need_function vfs_read
need_functions

# Two ops, so that ftrace_caller calls the list function
put 0 $T/tracing_on
put vfs_read $T/set_ftrace_filter
check "a tracer traces vfs_read" put function $T/current_tracer
add "p:other $F3" $T/kprobe_events
check "a kprobe is elsewhere" put 1 $T/events/kprobes/other/enable
same "both by ftrace" 2 "$(grep -c "^\(vfs_read\|$F3\) (1)" $T/enabled_functions)"

read_all() {
	n=0 bad=0
	until [ -e /tmp/stop ]; do
		read -r line <$P1 && [ -n "$line" ] || bad=$((bad + 1))
		n=$((n + 1))
	done 2>/dev/null
	echo "$n $bad" >>/tmp/reads
}
for _ in 1 2 3; do read_all & done
i=0 refused=0 seen=0
while [ $i -lt 50 ]; do
	i=$((i + 1))
	add 'r:passing vfs_read' $T/kprobe_events &&
	put 1 $T/events/kprobes/passing/enable &&
	sleep 0.02 &&
	put 0 $T/events/kprobes/passing/enable &&
	seen=$((seen + $(awk '$1 == "passing" { n = $2 } END { print n + 0 }' $T/kprobe_profile))) &&
	add '-:passing' $T/kprobe_events || refused=$((refused + 1))
done
: >/tmp/stop
wait
same "50 kretprobes came and went" 0 $refused
check "and saw calls ($seen)" test $seen -ge 50
same "each reader is alive to the end" 3 "$(grep -c . /tmp/reads)"
check "the function was called meanwhile" test "$(awk '{ n += $1 } END { print n }' /tmp/reads)" -gt 1000
same "with its own arguments" 0 "$(awk '{ n += $2 } END { print n }' /tmp/reads)"
finish
