#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The part of bench/run-probes in the guest, under an instruction-counting clock.
# Usage: guest-probes.sh CALLS N...	to how many functions probes are attached, or "all"
# Prints lines "bench: WHAT KEY=VALUE..." for bench/report_probes.py; they end with "end".
T=/sys/kernel/tracing
P=/sys/module/callops_fprobe/parameters
die() { echo "bench: error $*"; exit 1; }

echo "bench: guest release=$(uname -r)"
calls=$1
shift
modprobe callops_fprobe bench="$calls" || die "no rows: $(dmesg | tail -n 1)"
dmesg | sed -n 's/.*bench: row/bench: row/p'

# All functions that can be traced, but for those whose name another one has, too
awk 'NR == FNR { n[$3]++; at[$3] = $1; next } NF == 1 && n[$1] == 1 { print at[$1] }' \
	/proc/kallsyms $T/available_filter_functions >/tmp/functions
xargs -n 200 </tmp/functions | while read -r line; do
	echo "$line" >$P/functions || exit
done || die "the addresses of the functions"
all=$(cat $P/functions)

for of; do
	n=$of
	[ "$of" != all ] || n=$all
	for kind in kprobe fprobe; do
		# By the base's ftrace each takes millions of instructions: all, half an hour.
		case $of-$kind-$(uname -r) in
		all-kprobe-*-callops) ;;
		all-kprobe-*)
			! grep -qw kprobe_ftrace_handler /proc/kallsyms ||
				{ echo "bench: untried probe=kprobe of=all"; continue; } ;;
		esac
		attach=$(./timed-write $P/attach "$kind $n") || { [ "$kind" = fprobe ] && continue; die "$kind $n"; }
		read -r functions ns <$P/attach
		detach=$(./timed-write $P/attach none) || die "$kind $n: not detached"
		read -r _ detach_ns <$P/attach
		echo "bench: attach probe=$kind of=$of functions=$functions attach=$attach ns=$ns detach=$detach detach_ns=$detach_ns"
	done
done
rmmod callops_fprobe || die "the module stays"
echo "bench: end"
