#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The part of bench/run-bpf in the guest, under an instruction-counting clock.
# Usage: guest-bpf.sh CALLS PROBE...	none, kprobe, fentry, fexit: of dd's writes,
#					...-shared: beside two function tracers,
#					perf: an event of perf on each CPU; perf-none: without,
#					trig-base, ...: of "bench" of the kernel's selftests
# Prints lines "bench: WHAT KEY=VALUE..." for bench/report_bpf; they end with "end". The
# row of a program that could not be attached has the error's number.
T=/sys/kernel/tracing/instances
die() { echo "bench: error $*"; exit 1; }
d() { chroot /debian "$@"; }
calls=$1
shift
echo "bench: guest release=$(uname -r)"
dd="/usr/bin/dd if=/dev/zero of=/dev/null bs=1 status=none"
# bash of it is what bpftrace starts while its program is attached. Afterwards it says where
# the program's trampoline is, and how many ops the function has.
cat >timed <<END
/callops/timed-run $calls $dd || exit
grep '^vfs_write ' /sys/kernel/tracing/enabled_functions
grep -e ' bpf_trampoline_[0-9]' -e ' T vfs_write$' /proc/kallsyms
END
echo 0 >/proc/sys/kernel/kptr_restrict
# counted HITS: is no call missing? A few are made by others.
counted() {
	[ "${1:-0}" -ge $((3 * calls + 10)) ] && [ "$1" -le $((3 * calls + 40)) ] ||
		die "$probe: $1 hits instead of $((3 * calls + 10))"
}
for probe; do
	errno='' figure='' type=${probe%-shared}
	if [ "$type" != "$probe" ]; then
		for i in a b; do
			mkdir $T/$i && echo vfs_write >$T/$i/set_ftrace_filter && echo function >$T/$i/current_tracer ||
				die "$probe: no function tracer"
		done
	fi
	case $type in
	none|perf-none)
		# shellcheck disable=SC2086
		figure=$(d /callops/timed-run "$calls" $dd) || die "$probe: dd failed" ;;
	perf)
		out=$(d perf stat -a -x, -o /tmp/stat -e ftrace:function --filter 'ip == vfs_write' -- /usr/bin/bash /callops/timed 2>&1) ||
			die "perf: $out"
		case $out in *"vfs_write (4) "*) ;; *) die "perf: not an ops for each of four CPUs: $out" ;; esac
		counted "$(sed -n 's/^\([0-9]*\),.*ftrace:function.*/\1/p' /tmp/stat)"
		figure=$(echo "$out" | grep '^us=') ;;
	trig-*)
		if out=$(d /callops/bpf/bench -w1 -d1 "$probe" 2>&1); then
			figure=$(echo "$out" | sed -n 's/^Summary: hits *\([0-9.]*\) .*/mhz=\1/p')
		else
			errno=$(echo "$out" | sed -n 's/.*failed to attach:.*(-\([0-9]*\)).*/\1/p')
		fi ;;
	*)
		if out=$(d bpftrace -q -e "$type:vfs_write { @ = count(); }" -c "/usr/bin/bash /callops/timed" 2>&1); then
			counted "$(echo "$out" | sed -n 's/^@: //p')"
			figure=$(echo "$out" | grep '^us=')
			echo "$out" | sed -n "s/^\([0-9a-f]\{16\}\) . \(vfs_write\|bpf_trampoline_\).*/bench: place probe=$probe of=\2 at=\1/p"
		else
			# bpftrace does not say which error it was.
			errno=$(d python3 /callops/bpf/callops-probe |
				sed -n "s/^NO *$type  *vfs_write cannot be attached to, error \([0-9]*\).*/\1/p")
		fi ;;
	esac
	[ -n "$figure$errno" ] || die "$probe: $out"
	echo "bench: row probe=$probe ${figure:-errno=$errno}"
	[ "$type" = "$probe" ] || rmdir $T/a $T/b || die "$probe: the tracers stay"
done
echo "bench: end"
