#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# What was run at boot: the KUnit suites of the series. tests/kunit has the one of ftrace on
# each ARCH; the start-up tests of the tracers, which take minutes with KASAN, are in
# configuration preempt.
# arches: arm64
# sides: patched
# flavor: debug kasan kunit walk
# boot: --smp 4 --timeout 300
[ -d /sys/kernel/debug/kunit/ftrace_call_ops ] || { echo "skip: this kernel has no KUnit suite ftrace_call_ops"; exit 4; }
n=0 bad=0
echo 1..2
for suite in ftrace_call_ops static_call; do
	results=/sys/kernel/debug/kunit/$suite/results n=$((n + 1))
	grep '^ ' $results
	if grep -q "^ok 1 $suite" $results && ! grep -q '^ *not ok' $results; then
		echo "ok $n - the KUnit suite $suite passes"
	else
		echo "not ok $n - the KUnit suite $suite passes"
		bad=1
	fi
done
exit $bad
