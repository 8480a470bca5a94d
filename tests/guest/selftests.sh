#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# arches: arm64
# sides: patched
# flavor: bpf
# files: tests/bpf/selftests
# boot: --smp 2 --tools --timeout 600
# The kernel's own selftests of direct calls, and those of BPF's trampolines.
# shellcheck source=tests/guest/lib/common
. "${0%/*}/lib/common"
begin
[ -x /debian/usr/bin/bpftrace ] || skip "no Debian in /debian (bin/boot --tools)"
d() { chroot /debian "$@"; }
ifconfig lo 127.0.0.1 up

d /usr/bin/bash -c 'cd /callops/ftrace && ./ftracetest -l /tmp/ftrace-logs test.d/direct' >/tmp/ftracetest 2>&1
sed -n 's/^\[[0-9]*\] */# ftracetest: /p' /tmp/ftracetest
same "ftracetest: all of test.d/direct passed" "2 0 0 0 0" \
	"$(sed -n 's/^# of \(passed\|failed\|unresolved\|untested\|unsupported\): *//p' /tmp/ftracetest | tr '\n' ' ' | sed 's/ $//')" ||
	sed 's/^/# /' /tmp/ftracetest

put 0 /proc/sys/kernel/kptr_restrict
# Some tests start tests of their own, others write files where they are.
cp -r bpf /tmp/bpf
# shellcheck disable=SC2013
for t in $(cat bpf/tests); do
	d /usr/bin/bash -c "cd /tmp/bpf && ./test_progs -t '$t'" >/tmp/log 2>&1
	rc=$?
	sum=$(sed -n 's/^Summary: *//p' /tmp/log)
	same "test_progs $t: $sum" 0 $rc || sed 's/^/# /' /tmp/log | grep -E 'FAIL|error|expected|SKIP|Error' | head -n 20
done
finish
