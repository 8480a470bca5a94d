#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The part of bench/run-probes in the guest of CONFIG=bpf, under an instruction-counting
# clock. Usage: guest-multi.sh CALLS
# Row "perf" is four events of perf at once, each of which has an ops.
# Prints lines "bench: WHAT KEY=VALUE..." for bench/report_probes.py; they end with "end".
die() { echo "bench: error $*"; exit 1; }

echo "bench: guest release=$(uname -r)"
modprobe callops_fprobe bench=1 || die "no module: $(dmesg | tail -n 1)"
at=$(sed -n 's/^\([0-9a-f]*\) . bench_function\t\[callops_fprobe\]$/\1/p' /proc/kallsyms)
[ -n "$at" ] || die "where is bench_function?"
for name in bpf-none bpf-kprobe bpf-kretprobe multi-entry multi-exit raw-tp-none raw-tp; do
	kind=${name#bpf-} place=$at what=calls
	case $name in raw-tp*) kind=${name#raw-tp-} place=suspend_resume what=events ;; esac
	row=$(./bpf-probe "$kind" "$place" "$1" "/sys/module/callops_fprobe/parameters/$what" 2>&1) || die "$name: $row"
	echo "bench: row probe=$name $row"
done

event="-e ftrace:function --filter ip==bench_function"
# shellcheck disable=SC2086
row=$(chroot /debian perf stat -a -x, -o /tmp/stat $event $event $event $event -- sh -c "
	grep '^bench_function ' /sys/kernel/tracing/enabled_functions
	cd /sys/module/callops_fprobe/parameters && echo $1 >calls && echo ns=\$(cat calls)" 2>&1) || die "perf: $row"
case $row in "bench_function [callops_fprobe] (4) "*) ;; *) die "perf: not an ops for each of four events: $row" ;; esac
[ "$(grep -c "^$(($1 + 1)),.*ftrace:function" /tmp/stat)" = 4 ] || die "perf: $(cat /tmp/stat)"
echo "bench: row probe=perf $(echo "$row" | grep '^ns=')"
rmmod callops_fprobe || die "the module stays"
echo "bench: end"
