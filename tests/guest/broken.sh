#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# sides: named
# boot: --smp 2 --timeout 240 --expect-splat ftrace.bug(.]|[+]0x) --append slub_debug=FP --append at=arch_ftrace_prepare_site:first
# boot: --smp 2 --timeout 240 --expect-splat ftrace.bug(.]|[+]0x) --append slub_debug=FP --append at=arch_ftrace_prepare_site:middle
# boot: --smp 2 --timeout 240 --expect-splat ftrace.bug(.]|[+]0x) --append slub_debug=FP --append at=arch_ftrace_prepare_site:last
# boot: --smp 2 --timeout 240 --expect-splat ftrace.bug(.]|[+]0x) --append slub_debug=FP --append at=arch_ftrace_write_sites:first
# boot: --smp 2 --timeout 240 --expect-splat ftrace.bug(.]|[+]0x) --append slub_debug=FP --append at=arch_ftrace_write_sites:second
# boot: --smp 2 --timeout 240 --expect-splat ftrace.bug(.]|[+]0x)|ftrace_(call_ops|bug)_selftest[+]0x|but.got --append slub_debug=FP --append at=callsite:500
# boot: --smp 2 --timeout 240 --expect-splat ftrace.bug(.]|[+]0x)|ftrace_(call_ops|bug)_selftest[+]0x|but.got --append slub_debug=FP --append at=callsite:500$(! has direct-calls || echo " --append by=direct")
# boot: --smp 2 --timeout 240 --expect-splat ftrace.bug(.]|[+]0x)|ftrace_(call_ops|bug)_selftest[+]0x|but.got --append slub_debug=FP --append at=callsite:500$(! has fprobe || echo " --append by=fprobe")
# Writing a callsite fails, and ftrace gives up (ftrace_bug()): by an injected error, or as
# one of a page is not as it should be, when some before it are written. What traces then is
# taken off by its owner, freed and overwritten: nobody may be called after that. Until the
# spoiled callsite is written, the comparing check complains of it, where the kernel has that.
# shellcheck source=tests/guest/lib/common disable=SC2086
. "${0%/*}/lib/common"
begin
FAIL=/sys/kernel/debug/fail_function
need_functions
need_module callops_target
need_module callops_soak
need_file $FAIL/inject
at=$(sed -n 's/.*\<at=\([^ ]*\).*/\1/p' /proc/cmdline)
# Without literals callsites are written by functions into which no error is injected.
[ "${at%:*}" = callsite ] || has_call_ops || at=callsite:500
func=${at%:*}
direct_calls() { has direct-calls && has_call_ops; }
! direct_calls || need_module callops_direct
by_direct=$(! direct_calls || grep -o '\<by=direct' /proc/cmdline)
by_fprobe=$(grep -o '\<by=fprobe' /proc/cmdline)

# Who is there when it happens: an instance, a probe with a count, ops that are in a
# module and allocated, a direct call, a tracer that shares the function, and kprobes.
mkdir $T/instances/a
put "$F1 $F2" $T/instances/a/set_ftrace_filter
put function $T/instances/a/current_tracer
put "$F2:stacktrace:5" $T/set_ftrace_filter
add "$F3:stacktrace:5" $T/set_ftrace_filter
check "ops come and go" load callops_soak
if [ -z "$by_direct" ] && direct_calls; then
	direct=1
	load callops_direct addr="$(address meminfo_proc_show)"
	read -r _ </proc/meminfo
	same "a direct call is made" 1 "$(cat /sys/module/callops_direct/parameters/calls)"
fi

before=$(small_objects)
if [ -z "$by_fprobe" ] && has fprobe; then
	check "an fprobe of many functions" load fprobe_example symbol='of_*' use_trace=1 stackdump=0
	has_nodes=$(($(small_objects) - before))
	check "has a thousand nodes ($has_nodes)" test $has_nodes -ge 1000
fi

for f in $F1 $F2 $F3; do add "p:k_$f $f" $T/kprobe_events; done
put 1 $T/events/kprobes/k_$F1/enable
put 1 $T/events/kprobes/k_$F2/enable

# Whose update fails: the function tracer's, or that of an instance, which is freed then,
# or of a direct call or an fprobe, which then is not made, and freed at once
by=$T what='vfs_*'
if [ $func = callsite ]; then
	by=$T/instances/b what='many_*'
	mkdir $by
	check "a callsite is spoiled" load callops_many spoil=${at#*:}
fi
put "$what" $by/set_ftrace_filter
sed '/[#:]/d; s/ .*//' $by/set_ftrace_filter >/tmp/filter	# but the probes
nr=$(grep -c . /tmp/filter)
case ${at#*:} in
[0-9]*) n='' ;;
first) n=1 ;;
second) n=2 ;;	# of the pages
middle) n=$((nr / 2)) ;;
last) n=$nr ;;
*) bail "'$at' is not understood" ;;
esac
note "$func fails${n:+ at its call $n}, there are $nr callsites"
if [ -n "$n" ]; then
	put $func $FAIL/inject
	put 0xffffffffffffffff $FAIL/$func/retval	# -EPERM
	put 0 $FAIL/verbose
	put $n $FAIL/interval
	put 1 $FAIL/times
	put 100 $FAIL/probability
fi
if [ -n "$by_direct" ]; then
	refused "a direct call is not made" load callops_direct glob="$what"
elif [ -n "$by_fprobe" ]; then
	until [ -e /tmp/stop ]; do put 1 /sys/module/callops_many/parameters/call; done &
	refused "an fprobe is not made" load fprobe_example symbol="$what" use_trace=1 stackdump=0
	: >/tmp/stop
	wait
	# (The module that the lines are of is not there any more.)
	check "some of its functions were called meanwhile" grep -q ': Return from <many_' $T/trace
else
	echo function >$by/current_tracer
fi
put 0 $FAIL/probability
check "ftrace gave up" test "$(dmesg | grep -c 'ftrace bug')" = 1
named=$(dmesg | grep -A1 'ftrace f[a-z]* [ot]' | sed -n '2s/.*\] \(.*\)+0x.*/\1/p')
printf 'soak_%s\n' hot warm cold own >>/tmp/filter	# whose ops come and go meanwhile
check "it names one of the callsites ($named)" grep -qx "$named" /tmp/filter
refused "and says so" put 'vfs_read' $T/set_ftrace_filter

if [ -z "$n" ]; then
	same "it names the one that is spoiled" many_${at#*:} "$named"
fi
# The others had ftrace's callsite, where a breakpoint may be instead of it.
if has entry-kprobes; then
	check "a kprobe is enabled" put 1 $T/events/kprobes/k_$F3/enable
	clear_trace
	call $P3 5
	same "each hit of it" 5 "$(kprobe_hits k_$F3)"
	call $P1 5
	same "and of one that was" 5 "$(kprobe_hits k_$F1)"
else
	# ftrace goes on calling those, until the last of them goes
	check "a kprobe is disabled" put 0 $T/events/kprobes/k_$F2/enable
	check "and removed" add "-:k_$F2" $T/kprobe_events
	same "it is not in the table" 0 "$(grep -c "$F2+" /sys/kernel/debug/kprobes/list)"
	check "all kprobes are switched off" put 0 /sys/kernel/debug/kprobes/enabled
	clear_trace
	call $P1 5
	same "no hit" 0 "$(kprobe_hits k_$F1)"
fi
put 0 $T/events/kprobes/enable
check "kprobes are removed" sh -c ": >$T/kprobe_events"
same "none is left" 0 "$(grep -c "\($F1\|$F2\|$F3\)+" /sys/kernel/debug/kprobes/list)"
put '!*:stacktrace:5' $T/set_ftrace_filter 2>/dev/null
put nop $T/instances/a/current_tracer
check "the instance is removed" rmdir $T/instances/a
if [ -z "$n" ]; then
	put nop $by/current_tracer
	check "so is the other one" rmdir $by
fi
[ -z "${direct:-}" ] || check "so is the direct call" unload callops_direct
check "so are the ops" unload callops_soak
for _ in 1 2 3; do
	load callops_target	# where the others were
	target one 1000
	call $P1 50
	call $P2 50
	call $P3 50
	call /proc/meminfo 50
	# Those before the spoiled one branch to the trampoline, and were the instance's
	[ -n "$n" ] || put 1 /sys/module/callops_many/parameters/call
	unload callops_target
done
if has fprobe; then
	if [ -z "$by_fprobe" ]; then
		load callops_target
		check "the fprobe is removed, with a module where others were" unload fprobe_example
		unload callops_target
	fi
	for _ in 1 2 3 4 5; do
		[ $(($(small_objects) - before)) -ge 100 ] || break
		sleep 1			# for RCU
	done
	check "the nodes of the fprobe are freed" test $(($(small_objects) - before)) -lt 100
fi
put "p:next $F1" $T/kprobe_events
put 1 $T/events/kprobes/enable
clear_trace
call $P1 5
! has entry-kprobes || same "a new kprobe: each hit" 5 "$(kprobe_hits next)"
put 0 $T/events/kprobes/enable
: >$T/kprobe_events
# (An error was injected: all callsites are as they may be.)
[ -z "$n" ] || named=none
same "the comparing check names no other" 0 "$(dmesg | grep 'call_ops selftest: ' | grep -vc ": $named+")"
finish_broken
