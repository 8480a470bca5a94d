#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# sides: patched
# files: tests/ftracetest/files
# boot: --smp 2 --timeout 300
# The ftrace selftests of the series, in the smallest user space; tests/ftracetest/run
# has all of them, and on both kernels.
# shellcheck source=tests/guest/lib/common
. "${0%/*}/lib/common"
begin
sh ./guest.sh ftracetest 'call_ops_*.tc' >/tmp/ktap
same "all of them ran" "$(sed -n 's/^1\.\.//p' /tmp/ktap)" "$(grep -cE '^(not )?ok ' /tmp/ktap)"
while read -r l; do
	case $l in
	"ok "*"snapshot.tc # SKIP UNSUPPORTED") note "$l" ;;	# no CONFIG_TRACER_SNAPSHOT here
	"ok "*SKIP*) not_ok "${l#*- }" ;;
	"ok "*) ok "${l#*- }" ;;
	"not ok "*) not_ok "${l#*- }" ;;
	esac
done </tmp/ktap
finish
