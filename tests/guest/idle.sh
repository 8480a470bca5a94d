#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# sides: base patched
# needs: traced-idle
# boot: --smp 2 --timeout 300
# An ops with FTRACE_OPS_FL_RCU is not called where RCU does not watch: alone at a
# callsite, and beside an ops without the flag (tests/guest-modules/idle). kprobes
# and kretprobes are, and RCU watches then.
# shellcheck source=tests/guest/lib/common
. "${0%/*}/lib/common"
begin
need_module callops_idle
need_function arch_cpu_idle
P=/sys/module/callops_idle/parameters

for beside in 0 1; do
	check "the module loads, beside=$beside" load callops_idle beside=$beside
	same "its ops are on the function" $((1 + beside)) \
		"$(sed -n 's/^arch_cpu_idle (\([0-9]*\)).*/\1/p' $T/enabled_functions)"
	sleep 2
	note "plain $(cat $P/plain), flagged $(cat $P/flagged)"
	[ $beside = 0 ] || check "the one without the flag is called" test "$(cat $P/plain)" -gt 10
	same "the one with it is not where RCU does not watch" 0 "$(cat $P/unwatched)"
	check "a breakpoint is hit there, too" test "$(cat $P/trapped)" -gt 10
	[ "$SIDE" = base ] || same "and lets RCU watch" 0 "$(cat $P/trapped_unwatched)"
	check "the module is unloaded" unload callops_idle
done

put "r:idle arch_cpu_idle" $T/kprobe_events
add "r:enter irq_enter" $T/kprobe_events
add "r:exit irq_exit" $T/kprobe_events
put 1 $T/events/kprobes/enable
sleep 2
put 0 $T/events/kprobes/enable
sed 's/^/# hits, misses: /' $T/kprobe_profile
# (Those of an interrupt while one of them is being handled do not count.)
same "kretprobes see the returns there" 3 "$(awk '$2 > 3 && $3 * 10 < $2' $T/kprobe_profile | grep -c .)"
: >$T/kprobe_events

if [ "$SIDE" = patched ]; then
	# RCU watches at the entry, but not at the return.
	dmesg_clear
	check "an fprobe of irq_exit()" load fprobe_example symbol=irq_exit stackdump=0 use_trace=1
	sleep 2
	unload fprobe_example
	# shellcheck disable=SC2046
	set -- $(dmesg | sed -n 's/.*unregistered. \([0-9]*\) times hit, \([0-9]*\) times .*/\1 \2/p')
	check "sees them, too ($1, and not $2)" test "$1" -gt $(($2 * 10 + 3))
fi
finish
