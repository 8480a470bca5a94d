#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# sides: base patched
# boot: --smp 4 --timeout $((2 * ${STRESS_SECONDS:-30} + 300)) --append init_on_free=1
# Tracers, filters, instances, modules, kprobes, the sample and CPUs come and go at
# the same time, for STRESS_SECONDS (30), while tests/guest-modules/soak has
# functions called without end and ops exchanged on them. All counts of that and of
# the sample have to be exact throughout. What is freed is zero at once.
# shellcheck source=tests/guest/lib/common disable=SC2086
. "${0%/*}/lib/common"
begin
case $SIDE-$(uname -m) in
# QEMU needs minutes for one update under stop_machine(), and function_graph
# loses what next_tgid() returns.
base-riscv64) skip "the base stalls, or oopses" ;;
esac
need_tracer function
need_module ftrace-ops
need_module callops_target
need_module callops_soak
need_file $T/kprobe_events
SECONDS_=${STRESS_SECONDS:-30}
W=$(mktemp -d)
END=$(($(now) + SECONDS_ * 100))
crawls=false
[ "$(uname -m)" != riscv64 ] || ! kasan || crawls=true
echo 64 >$T/buffer_size_kb

# From here on, a write that does not go through is a failure of the loop it is in.
failed() { echo "round $loop_n: $*" >>"$W/$loop.failed"; return 1; }
put() { echo "$1" >"$2" || failed "'$1' to $2"; }
add() { echo "$1" >>"$2" || failed "'$1' added to $2"; }

# loop NAME COMMAND: until the time is over, but twice; leaves the number of rounds at
# its end
loop() {
	loop=$1 loop_n=0
	while [ "$loop_n" -lt 2 ] || [ "$(now)" -lt "$END" ]; do
		$2 "$loop_n" || failed "$2"
		loop_n=$((loop_n + 1))
	done
	echo $loop_n >"$W/$1.rounds"
}

# All functions are traced at times only, for that slows down all else, and never by
# function_graph: with the checks of a debug kernel, emulated, a timer's interrupt
# would take longer than the time to the next. With KASAN riscv is as slow even by
# function: each allocation unwinds the stack, by functions that are traced.
tracers() {
	$crawls || put function $T/current_tracer
	put nop $T/current_tracer
	put '*_proc_*' $T/set_ftrace_filter
	put function_graph $T/current_tracer
	put nop $T/current_tracer
	put $F1 $T/set_ftrace_filter
	put function $T/current_tracer
	add $F2 $T/set_ftrace_filter
	put 'v*' $T/set_ftrace_notrace
	put '' $T/set_ftrace_notrace
	add "!$F1" $T/set_ftrace_filter
	put nop $T/current_tracer
	put '' $T/set_ftrace_filter
	sleep 1
}
instance() {
	mkdir $T/instances/s || return 1
	put "$F1 $F3" $T/instances/s/set_ftrace_filter
	read -r pid _ </proc/self/stat	# $$ is that of the shell which started the loops
	put $pid $T/instances/s/set_ftrace_pid
	put function $T/instances/s/current_tracer
	call $P1 20
	n=$(hits $F1 $T/instances/s)
	[ "$n" = 20 ] || failed "$n calls of one process traced, of 20"
	put '' $T/instances/s/set_ftrace_pid
	put nop $T/instances/s/current_tracer
	rmdir $T/instances/s
}
fixed() {
	echo "$F2 tracee_*" >$T/instances/f/set_ftrace_filter	# if there are any
	put function $T/instances/f/current_tracer
	put "$F1" $T/instances/f/set_ftrace_filter
	echo '*:mod:callops_target' >$T/instances/f/set_ftrace_filter
	put nop $T/instances/f/current_tracer
} 2>/dev/null
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
# On functions that are traced at the same time, with and without registers
kprobes() {
	for p in "p:callops_s1 $F1" "r:callops_s2 $F1" "p:callops_s3 $F3" "p:callops_s4 vfs_read"; do
		add "$p" $T/kprobe_events || return 1
	done
	put 1 $T/events/kprobes/enable || return 1
	call $P1 20
	call $P3 20
	put 0 $T/events/kprobes/enable
	for p in callops_s1 callops_s2 callops_s3; do
		set -- $(grep "^ *$p " $T/kprobe_profile)
		[ "${2:-0}" -ge 20 ] || failed "$p was hit ${2:-0} times, and missed ${3:-0}"
	done
	: >$T/kprobe_events
}
cpus() {
	for c in /sys/devices/system/cpu/cpu[2-9]; do
		put 0 "$c/online" || return 1
	done
	cpu_stops
	for c in /sys/devices/system/cpu/cpu[2-9]; do
		put 1 "$c/online" || return 1
	done
	sleep 1
}
calls() {
	call $P1 50
	call $P2 50
	call $P3 50
	cat /proc/[0-9]*/stat >/dev/null 2>&1
	return 0
}
# The time limit would not say what hangs, and where.
hung() {
	sleep $((2 * SECONDS_ + 240))
	for l in $all; do [ -f "$W/$l.rounds" ] || note "$l does not end"; done
	waiting
}

mkdir $T/instances/f
all="tracers instance fixed sample target_module kprobes cpus calls"
check "functions are called, and ops exchanged on them" load callops_soak
loops=''
for l in $all; do loop $l $l & loops="$loops $!"; done
hung & hung=$!
wait $loops
kill $hung
put nop $T/instances/f/current_tracer
rmdir $T/instances/f
unload callops_soak
dmesg | sed -n 's/.*callops_soak: //p' >"$W/soak"
sed 's/^/# /' "$W/soak"
same "all of its counts are right" 7 "$(grep -c '^ok - ' "$W/soak")"

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
# With room for what QEMU goes on to trace on the base, see begin()
put 1024 $T/buffer_size_kb
put $F1 $T/set_ftrace_filter
put function $T/current_tracer
call $P1 25
same "tracing is as exact as before" 25 "$(hits $F1)"
rm -rf "$W"
finish
