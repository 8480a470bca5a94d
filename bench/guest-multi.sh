#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The part of bench/run-probes in the guest of CONFIG=bpf, under an instruction-counting
# clock. Usage: guest-multi.sh CALLS
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
rmmod callops_fprobe || die "the module stays"
echo "bench: end"
