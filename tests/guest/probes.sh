#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# long: base patched
# boot: --smp 2 --timeout $((2 * ${STRESS_SECONDS:-30} + 120))
# A function is taken from a counted probe, again and again for STRESS_SECONDS (30),
# while the task that calls it is preempted anywhere on its way: whoever frees the
# count waits for that task. Where the kernel does not preempt itself, nothing is
# shown by that.
# shellcheck source=tests/guest/lib/common
. "${0%/*}/lib/common"
begin
need_tracer function
need_module callops_target
load callops_target || bail "the module loads"
F=$T/set_ftrace_filter
END=$(($(now) + ${STRESS_SECONDS:-30} * 100))
before_end() { [ "$(now)" -lt "$END" ]; }

# One task on CPU 1 does nothing but call the function ...
taskset 2 sh -c 'while :; do echo 1000000 >/sys/module/callops_target/parameters/one; done' &
caller=$!
# ... and another one takes the CPU from it, for longer than a grace period of RCU.
# shellcheck disable=SC2016
taskset 2 chrt -f 1 sh -c 'while :; do
	usleep 20000
	n=0; while [ $n -lt 30000 ]; do n=$((n + 1)); done
done' &
hog=$!

n=0
while before_end; do
	# The second function keeps the probe, and its ops, where they are.
	put target_two:stacktrace:5 $F && put target_one:stacktrace:5 $F || break
	put '!target_one:stacktrace:5' $F || break
	put '!target_two:stacktrace:5' $F || break
	n=$((n + 1))
done
kill $hog $caller
wait 2>/dev/null
note "$n rounds"
check "a probe came and went all the time" test "$n" -ge 10
same "no probe is left" 0 "$(grep -c stacktrace $F)"
unload callops_target
finish
