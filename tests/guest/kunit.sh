#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# What was run at boot, in kernels of tests/configs: the KUnit suite of the series.
# sides: named
# boot: --smp 4 --timeout 300
[ -d /sys/kernel/debug/kunit/ftrace_call_ops ] || { echo "skip: this kernel has no KUnit suite ftrace_call_ops"; exit 4; }
echo 1..1
cat /sys/kernel/debug/kunit/ftrace_call_ops/results
if grep -q '^not ok\|^ *not ok' /sys/kernel/debug/kunit/ftrace_call_ops/results ||
   ! grep -q '^ok 1 ftrace_call_ops' /sys/kernel/debug/kunit/ftrace_call_ops/results; then
	echo "not ok 1 - the KUnit suite ftrace_call_ops passes"
	exit 1
fi
