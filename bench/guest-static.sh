#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The part of bench/run-static in the guest, under an instruction-counting clock.
# Usage: guest-static.sh CALLS
# Prints lines "bench: WHAT KEY=VALUE..." for bench/report_static; they end with "end".
T=/sys/kernel/tracing
die() { echo "bench: error $*"; exit 1; }
ko() { find "/lib/modules/$(uname -r)" -name "$1.ko"; }
echo "bench: guest release=$(uname -r)"
# A function of the kernel that does nothing, if this architecture has none of its own
core=$(awk '$3 == "arch_cpu_idle_prepare" { print "core=0x" $1 }' /proc/kallsyms)
insmod "$(ko callops_static_peer)" || die "no peer"
dmesg -c >/dev/null
# shellcheck disable=SC2086
insmod "$(ko callops_static)" calls="$1" $core || die "no rows: $(dmesg | tail -n 1)"
dmesg | sed -n 's/.*\(bench: row .*\)/\1/p'
rmmod callops_static && rmmod callops_static_peer || die "the modules stay"

events() { awk '/^(entries|overrun):/ { n += $2 } END { print n }' $T/per_cpu/cpu0/stats; }
work() {
	ns=$(./messages 4 50) || die "messages: $ns"
	echo "bench: load name=$1 ns=$ns"
}
./messages 4 5 >/dev/null || die "messages"
work load-off
# The first time, the ring buffer is allocated; it is not what is measured.
echo 1 >$T/events/enable && echo 0 >$T/events/enable || die "no events"
enable=$(./timed-write $T/events/enable 1) && disable=$(./timed-write $T/events/enable 0) ||
	die "events: not enabled or not disabled"
echo "bench: load name=events-enable ns=$enable"
echo "bench: load name=events-disable ns=$disable"
echo 1 >$T/events/enable
n=$(events)
work load-on
echo "bench: load name=events ns=$(($(events) - n))"
echo 0 >$T/events/enable
echo "bench: end"
