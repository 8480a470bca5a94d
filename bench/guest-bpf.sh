#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The part of bench/run-bpf in the guest, under an instruction-counting clock.
# Usage: guest-bpf.sh CALLS PROBE...	none, kprobe, fentry, fexit: of dd's writes,
#					trig-base, ...: of "bench" of the kernel's selftests
# Prints lines "bench: WHAT KEY=VALUE..." for bench/report_bpf; they end with "end".
die() { echo "bench: error $*"; exit 1; }
d() { chroot /debian "$@"; }
calls=$1
shift
echo "bench: guest release=$(uname -r)"
dd="/usr/bin/dd if=/dev/zero of=/dev/null bs=1 status=none"
for probe; do
	case $probe in
	none)
		# shellcheck disable=SC2086
		us=$(d /callops/timed-run "$calls" $dd) || die "$probe: dd failed" ;;
	trig-*)
		line=$(d /callops/bpf/bench -w1 -d1 "$probe" 2>&1) || die "$probe: $line"
		rate=$(echo "$line" | sed -n 's/^Summary: hits *\([0-9.]*\) .*/\1/p')
		[ -n "$rate" ] || die "$probe: no summary"
		echo "bench: row probe=$probe mhz=$rate"
		continue ;;
	*)
		# The program counts, so that it can be seen that no call is missing; a few
		# are made by others.
		out=$(d bpftrace -q -e "$probe:vfs_write { @ = count(); }" \
			-c "/callops/timed-run $calls $dd" 2>&1) || die "$probe: $out"
		us=$(echo "$out" | grep '^us=')
		hits=$(echo "$out" | sed -n 's/^@: //p')
		[ "${hits:-0}" -ge $((3 * calls + 10)) ] && [ "$hits" -le $((3 * calls + 30)) ] ||
			die "$probe: $hits hits instead of $((3 * calls + 10))" ;;
	esac
	echo "bench: row probe=$probe $us"
done
echo "bench: end"
