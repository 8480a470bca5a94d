#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# sides: patched
# boot: --smp 2 --timeout $((${STRESS_SECONDS:-10} + 180))
# Triggers of functions that enable or disable the event of a kprobe. When the last one goes,
# by "!" or with its instance, the kprobe is disarmed: ftrace may hold none of its locks then,
# as it takes them to disarm a kprobe that it calls. On the base riscv hangs here.
# shellcheck source=tests/guest/lib/common
. "${0%/*}/lib/common"
begin
need_functions
need_file $T/kprobe_events
C1=seq_read_iter	# is hit by each read of $P1 and $P2
LIST=/sys/kernel/debug/kprobes/list
A=$T/instances/a
E=$T/events/kprobes

# goes WHAT COMMAND...: in half a minute, or nothing that traces goes on
goes() {
	goes_what=$1 goes_end=$(($(now) + 3000))
	shift
	rm -f /tmp/gone
	("$@"; echo $? >/tmp/gone) &
	until [ -s /tmp/gone ] || [ "$(now)" -gt $goes_end ]; do :; done
	if [ ! -s /tmp/gone ]; then
		not_ok "$goes_what goes"
		waiting
		ktap_end
	fi
	wait
	same "$goes_what goes" 0 "$(cat /tmp/gone)"
}

# hit N: how often the event was, in N calls
hit() {
	clear_trace "$D"
	call $P2 "$1"
	kprobe_hits probed "$D"
}

D=$T
for at in '' +8; do
	put "p:probed $F2$at" $T/kprobe_events
	add "p:stays $F3" $T/kprobe_events
	for stays in 0 1; do
		put $stays $E/stays/enable
		for count in '' :1; do
			what="enable_event$count, $F2$at, beside $stays"
			put "$F1:enable_event:kprobes:probed$count" $T/set_ftrace_filter
			same "$what: off at first" 0 "$(hit 2)"
			call $P1 1
			same "$what: then on" 2 "$(hit 2)"
			put 0 $E/probed/enable	# an event that a trigger has enabled stays so
			goes "$what" add "!$F1:enable_event:kprobes:probed$count" $T/set_ftrace_filter
			same "$what: its kprobe, too" $((1 + !stays)) "$(grep -c DISABLED $LIST)"

			what="disable_event$count, $F2$at, beside $stays"
			put 1 $E/probed/enable
			put "$F1:disable_event:kprobes:probed$count" $T/set_ftrace_filter
			same "$what: on at first" 2 "$(hit 2)"
			call $P1 1
			same "$what: then off" 0 "$(hit 2)"
			goes "$what" add "!$F1:disable_event:kprobes:probed$count" $T/set_ftrace_filter
			same "$what: its kprobe, too" $((1 + !stays)) "$(grep -c DISABLED $LIST)"
		done

		what="an instance with enable_event, $F2$at, beside $stays"
		mkdir $A
		D=$A
		put "$F1:enable_event:kprobes:probed:5" $A/set_ftrace_filter
		call $P1 1
		same "$what: on" 2 "$(hit 2)"
		put 0 $A/events/kprobes/probed/enable
		D=$T
		goes "$what" rmdir $A
	done
	put 0 $E/enable
	: >$T/kprobe_events
done

# A probe on many functions loses one after the other, while the others are called, and read
put "p:probed $F3" $T/kprobe_events
: >/tmp/on
while [ -e /tmp/on ]; do call $P1 20; call $P2 20; done & callers=$!
while [ -e /tmp/on ]; do cat $T/set_ftrace_filter >/tmp/read; done & callers="$callers $!"
end=$(($(now) + 100 * ${STRESS_SECONDS:-10})) rounds=0
while [ "$(now)" -lt "$end" ]; do
	put "seq_*:enable_event:kprobes:probed" $T/set_ftrace_filter
	add "*_proc_show:enable_event:kprobes:probed" $T/set_ftrace_filter
	for f in $F1 $C1 $F2 'seq_*' '*_proc_show'; do
		add "!$f:enable_event:kprobes:probed" $T/set_ftrace_filter
	done
	rounds=$((rounds + 1))
done
check "those who call and read are alive" kill -0 $callers
rm /tmp/on
wait
note "$rounds rounds"
check "a probe comes and goes all the time" test $rounds -gt 2
put 0 $E/enable
: >$T/kprobe_events
same "nothing is left enabled" 0 "$(grep -c . $T/enabled_functions)"
same "no kprobe is left" 0 "$(grep -c . $LIST)"
finish
