#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# needs: static-calls debian-tools
# long: base patched
# flavor: bpf
# boot: --smp 2 --tools --timeout 600
# perf and trace-cmd over tracepoints, on both kernels: a client alone, whose probe the
# patched kernel calls directly, two at once, by the iterator, and all events. Each
# sees each rename once: a probe that is lost, or called twice, makes another count.
# shellcheck source=tests/guest/lib/common disable=SC2086
. "${0%/*}/lib/common"
begin
need_debian
need_file $T/events/task/task_rename/enable
[ $SIDE = base ] || check "the tracepoint has a trampoline" grep -q ' __SCT__tp_func_task_rename$' /proc/kallsyms

# shellcheck disable=SC2016
echo 'for ((i = 0; i < 100; i++)); do printf callops >/proc/$$/comm; done' >/tmp/rename
RENAME='/usr/bin/bash /tmp/rename'
ONLY='newcomm == "callops"'
# run WHAT COMMAND...: a command of Debian, and what it says if it fails
run() {
	run_what=$1
	shift
	if d "$@" >/tmp/said 2>&1; then ok "$run_what"; else not_ok "$run_what"; head -n 8 /tmp/said | sed 's/^/# /'; fi
}
record() { run "$1" trace-cmd record -q -o /tmp/t.dat -e task:task_rename -f "$ONLY" $2; }
recorded() { same "$1" 100 "$(d trace-cmd report -i /tmp/t.dat 2>/dev/null | grep -c 'task_rename: .*newcomm=callops')"; }
count() { run "$1" perf stat -x, -o /tmp/stat -e task:task_rename --filter "$ONLY" -- $2; }
counted() { same "$1" "$2" "$(sed -n 's/^\([0-9]*\),.*task:task_rename.*/\1/p' /tmp/stat)"; }

record "trace-cmd record, alone" "$RENAME"
recorded "it has each rename"
count "perf stat, alone" "$RENAME"
counted "it counts each" 100
run "perf record, on all CPUs" perf record -q -a -o /tmp/p.data -e task:task_rename --filter "$ONLY" -- $RENAME
same "it has each" 100 "$(d perf script -i /tmp/p.data 2>/dev/null | grep -c 'task_rename: .*newcomm=callops')"

# Call chains of writes: from the function on, the patched kernel has what the base has.
# chain WHAT EVENT FILTER FUNCTION NEXT: the function may be there twice, as where the probe
# was called, and as where that returns to. A kprobe at the entry lacks the caller.
chain() {
	run "perf record -g of a $1" perf record -q -g -o /tmp/g.data -e $2 ${3:+--filter "$3"} -- $RENAME
	chain_has=$(d perf script -i /tmp/g.data -F ip,sym 2>/dev/null | awk -v RS= -v f=$4 '/ksys_write/ {
		for (i = 2; i <= NF; i += 2) { on = on || $i == f; if (on && $i != last) printf "%s ", last = $i }
		exit }')
	note "$1: $chain_has"
	case $SIDE-$(uname -m)-$1 in
	base-riscv64-traced*|base-riscv64-k*) ;;	# it takes the registers for those of user space
	*) same "its chain begins with $4, $5" "$4 $5 " "$(echo "$chain_has" | sed -E 's/^(([^ ]+ ){2}).*/\1/')" ;;
	esac
	echo "names:$(for c in $chain_has; do printf ' chain-%s-%s' "${1% *}" "$c"; done)"
}
put "p:entry __set_task_comm" $T/kprobe_events
add "r:return __set_task_comm" $T/kprobe_events
chain "traced function" ftrace:function 'ip == __set_task_comm' __set_task_comm comm_write
chain "kprobe event" kprobes:entry '' __set_task_comm vfs_write
chain "kretprobe event" kprobes:return '' comm_write vfs_write
chain "tracepoint event" task:task_rename '' __set_task_comm comm_write
: >$T/kprobe_events

# One comes while the other is there, and goes while it stays.
cat >/tmp/counted <<END
perf stat -x, -o /tmp/stat -e task:task_rename --filter '$ONLY' -- $RENAME
END
record "perf stat while trace-cmd records" '/usr/bin/bash /tmp/counted'
counted "perf counts each" 100
recorded "and trace-cmd has each"
cat >/tmp/traced <<END
trace-cmd start -e task:task_rename -f '$ONLY' && $RENAME && trace-cmd stop
trace-cmd show | grep -c 'task_rename: .*newcomm=callops' >/tmp/shown
trace-cmd reset && $RENAME
END
count "trace-cmd start while perf counts, and perf alone again" '/usr/bin/bash /tmp/traced'
same "trace-cmd has each" 100 "$(cat /tmp/shown)"
counted "and perf counts each, of both times" 200

# All events: on and off while they occur
# Not by d(), whose shell would be killed instead
chroot /debian /usr/bin/bash -c 'while :; do /usr/bin/true; printf busy >/proc/self/comm; done' &
busy=$! t0=$(now)
for i in 1 2 3; do
	run "trace-cmd start -e all, $i" trace-cmd start -e all
	sleep 1
	run "and off, $i" trace-cmd reset
done
note "all events three times, each for a second: $(($(now) - t0))/100 s"
kill $busy
wait $busy 2>/dev/null
# On, some work, off
run "trace-cmd start -e all, with room" trace-cmd start -b 32768 -e all
d $RENAME
run "trace-cmd stop" trace-cmd stop
same "nothing is lost" 0 "$(grep -h '^overrun\|^dropped' $T/per_cpu/cpu*/stats | grep -vc ': 0$')"
grep -v '^#' $T/trace >/tmp/trace
note "$(grep -c . /tmp/trace) events of $(sed -n 's/^[^:]*: \([a-z_0-9]*\).*/\1/p' /tmp/trace | sort -u | wc -l) kinds"
same "each rename is among them" 100 "$(grep -c 'task_rename: .*newcomm=callops' /tmp/trace)"
check "with many others" test "$(grep -vc 'task_rename:' /tmp/trace)" -gt 1000
run "off" trace-cmd reset
same "each event is" 0 "$(cat $T/events/enable)"
put 1 $T/tracing_on
d $RENAME
same "and none is recorded" 0 "$(grep -vc '^#' $T/trace)"
count "perf stat, alone again" "$RENAME"
counted "it counts each, again" 100
# A program overrides a function.
KILL=$(overridable kill)
ALIVE=$(kill_script)
same "nobody overrides $KILL" alive "$(d $ALIVE)"
same "bpftrace does" failed "$(d bpftrace -q --unsafe -e "kprobe:$KILL /comm == \"bash\"/ { override((uint64)-12); }" \
	-c "$ALIVE" 2>/tmp/bt.err)" || sed 's/^/# /' /tmp/bt.err | head -n 5
finish
