#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# sides: base patched
# boot: --smp 4 --timeout 240
# Tracers, filters, instances, modules and the sample come and go at the same
# time, for SECONDS (30). The sample's own counts have to be exact throughout.
# shellcheck source=tests/guest/lib/common disable=SC2086
. "${0%/*}/lib/common"
begin
need_tracer function
need_module ftrace-ops
need_module callops_target
SECONDS_=${STRESS_SECONDS:-30}
W=$(mktemp -d)
now() { read -r up _ </proc/uptime; echo "${up%.*}"; }
END=$(($(now) + SECONDS_))
put 64 $T/buffer_size_kb

# loop NAME COMMAND: until the time is over; leaves the number of rounds
loop() {
	loop_n=0
	while [ "$(now)" -lt "$END" ]; do
		$2 "$loop_n" || { echo "round $loop_n" >>"$W/$1.failed"; }
		loop_n=$((loop_n + 1))
		echo $loop_n >"$W/$1.rounds"
	done
}

tracers() {
	for t in function function_graph nop function nop; do
		put $t $T/current_tracer 2>/dev/null
	done
	return 0
}
filters() {
	put $F1 $T/set_ftrace_filter
	add $F2 $T/set_ftrace_filter
	put '*_proc_*' $T/set_ftrace_filter
	put 'v*' $T/set_ftrace_notrace
	put '' $T/set_ftrace_notrace
	add "!$F1" $T/set_ftrace_filter
	put '' $T/set_ftrace_filter
	return 0
}
instance() {
	mkdir $T/instances/s || return 1
	put "$F1 $F3" $T/instances/s/set_ftrace_filter
	put function $T/instances/s/current_tracer
	put $$ $T/instances/s/set_ftrace_pid
	put '' $T/instances/s/set_ftrace_pid
	put nop $T/instances/s/current_tracer
	rmdir $T/instances/s
}
fixed() {
	put "$F2 tracee_*" $T/instances/f/set_ftrace_filter 2>/dev/null
	put function $T/instances/f/current_tracer
	put "$F1" $T/instances/f/set_ftrace_filter
	put '*:mod:callops_target' $T/instances/f/set_ftrace_filter 2>/dev/null
	put nop $T/instances/f/current_tracer
	return 0
}
sample() {
	case $(($1 % 6)) in
	0) set -- 1 0 ;;
	1) set -- 1 10 ;;
	2) set -- 2 3 save_regs=1 ;;
	3) set -- 10 1 assist_rcu=1 ;;
	4) set -- 1 1 assist_recursion=1 ;;
	5) set -- 1 1 save_regs=1 ;;
	esac
	sample_r=$1 sample_i=$2
	shift 2
	load ftrace-ops nr_function_calls=20000 nr_ops_relevant="$sample_r" \
		nr_ops_irrelevant="$sample_i" check_count=1 persist=1 "$@" || return 1
	unload ftrace_ops
}
target_module() {
	load callops_target || return 1
	target one 1000
	target cold 1000
	unload callops_target
}
calls() {
	call $P1 50
	call $P2 50
	call $P3 50
	cat /proc/[0-9]*/stat >/dev/null 2>&1
	return 0
}

mkdir $T/instances/f
all="tracers filters instance fixed sample target_module calls"
for l in $all; do loop $l $l & done
wait
put nop $T/instances/f/current_tracer
rmdir $T/instances/f

for l in $all; do
	n=$(cat "$W/$l.rounds" 2>/dev/null || echo 0)
	note "$l: $n rounds"
	check "$l ran, more than once" test "$n" -ge 2
	if [ -f "$W/$l.failed" ]; then
		not_ok "$l never failed"
		sed 's/^/# /' "$W/$l.failed" | head -n 5
		dmesg | grep 'ftrace_ops: check_count: FAILED' | head -n 5 | sed 's/^/# /'
	else
		ok "$l never failed"
	fi
done
same "no count of the sample's was wrong" 0 "$(dmesg | grep -c 'check_count: FAILED')"

tracing_reset
same "nothing is left enabled" 0 "$(grep -c . $T/enabled_functions)"
put $F1 $T/set_ftrace_filter
put function $T/current_tracer
call $P1 25
same "tracing is as exact as before" 25 "$(hits $F1)"
rm -rf "$W"
finish
