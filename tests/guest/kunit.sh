#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The KUnit suites of the series, in kernels of tests/configs, and those of fprobes and
# kprobes, which use its return hooks. All but one were run at boot.
# sides: named
# boot: --smp 4 --timeout 300 --append kunit.enable=1
[ -d /sys/kernel/debug/kunit/static_call ] || { echo "skip: this kernel has no KUnit suite static_call"; exit 4; }
set -- static_call static_call_peer fprobe_test kprobes_test
# With kCFI there are no per-callsite ops
! grep -qw ftrace_list_ops /proc/kallsyms || set -- ftrace_call_ops "$@"
n=0 bad=0
echo "KTAP version 1"
echo "1..$#"
for suite in far test; do
	insmod "$(find "/lib/modules/$(uname -r)" -name "static_call_peer_$suite.ko")" || bad=1
done
for suite; do
	results=/sys/kernel/debug/kunit/$suite/results n=$((n + 1))
	grep '^ ' $results
	if grep -q "^ok 1 $suite" $results && ! grep -qE '^ *not ok|# SKIP' $results; then
		echo "ok $n - the KUnit suite $suite passes"
	else
		echo "not ok $n - the KUnit suite $suite passes"
		bad=1
	fi
done
exit $bad
