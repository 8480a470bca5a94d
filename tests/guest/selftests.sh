#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# needs: direct-calls
# long: base patched
# flavor: bpf
# files: tests/bpf/selftests
# boot: --smp 2 --tools --timeout 600
# The kernel's own selftests of direct calls, and those of BPF's trampolines and kprobe_multi.
# shellcheck source=tests/guest/lib/common disable=SC2016
. "${0%/*}/lib/common"
begin
need_debian
ifconfig lo 127.0.0.1 up

# Some tests start tests of their own, others write files where they are.
cp -r bpf /tmp/bpf && cp "$(module bpf_testmod)" /tmp/bpf
# What needs FPROBE needs rethook, which the base of arm64 lacks.
if [ $SIDE = base ]; then
	d /usr/bin/bash -c "cd /tmp/bpf && ./test_progs -t 'bpf_cookie/multi_kprobe_link_api'" >/tmp/log 2>&1
	check "test_progs bpf_cookie/multi_kprobe: the base refuses" grep -q 'link1_fd: actual -95' /tmp/log
	finish
fi

d /usr/bin/bash -c 'cd /callops/ftrace && ./ftracetest -l /tmp/ftrace-logs test.d/direct' >/tmp/ftracetest 2>&1
sed -n 's/^\[[0-9]*\] */# ftracetest: /p' /tmp/ftracetest
same "ftracetest: all of test.d/direct passed" "2 0 0 0 0" \
	"$(sed -n 's/^# of \(passed\|failed\|unresolved\|untested\|unsupported\): *//p' /tmp/ftracetest | tr '\n' ' ' | sed 's/ $//')" ||
	sed 's/^/# /' /tmp/ftracetest

put 0 /proc/sys/kernel/kptr_restrict
progs() {
	rc=0
	d /usr/bin/bash -c "cd /tmp/bpf && ./test_progs -t '$1'" >/tmp/log 2>&1 || rc=$?
	sum=$(sed -n 's/^Summary: *//p' /tmp/log)
	# 0 as well if no test has that name
	[ "${sum%%/*}" = 1 ] || rc="$rc, and no test was run"
	same "test_progs $1: $sum" 0 "$rc" || grep -E 'FAIL|SKIP|rror' /tmp/log | sed 's/^/# /' | head -n 20
}
# shellcheck disable=SC2013
for t in $(cat bpf/tests); do progs "$t"; done
finish
