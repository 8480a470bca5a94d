#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# long: base patched
# boot: --smp 4 --timeout $((3 * ${WALK_SECONDS:-60} + 400)) --append trace_buf_size=128K --append init_on_free=1
# A random walk over the interfaces of ftrace, for WALK_SECONDS (60), while others call
# the functions. Each step is one change at one place: the top, or an instance. What
# it is follows from WALK_SEED and its number, and it is in the console as a line of
# shell, so that the last lines before a splat say what led to it. Step 17 of seed 1:
#
#	walk 1.17: echo nop > instances/b/current_tracer
#
# What is freed is zero at once: a trampoline, which KASAN does not see, finds that.
#
# The same seed walks the same way, but for how fast. Every third step one place has to
# see the calls that its files say it traces, and no others; every 39th all is switched
# off, and then nothing may be left.
# shellcheck source=tests/guest/lib/common disable=SC2086
. "${0%/*}/lib/common"
begin
case $SIDE-$(uname -m) in
base-riscv64) skip "the base stalls, or oopses, see stress.sh" ;;
esac
need_tracer function
need_functions
need_module callops_target
need_module callops_soak
need_module ftrace-ops
need_file $T/kprobe_events
SECONDS_=${WALK_SECONDS:-60}
SEED=${WALK_SEED:-63}
END=$(($(now) + SECONDS_ * 100))
SYS=/proc/sys/kernel
E=$SYS/ftrace_enabled
DIRECT='callops_direct ftrace_direct ftrace_direct_too ftrace_direct_modify ftrace_direct_multi
	ftrace_direct_multi_modify'
n=0 k=0 enabled=1 looks=0 audits=0 refused=0
put on $SYS/printk_devkmsg
note "WALK_SEED=$SEED"

# ---- what it says, and does -----------------------------------------------------------
log() { echo "<4>walk $SEED.$n: $*" >/dev/kmsg; }
# try WHAT COMMAND...: a step may be refused, and often has to be
try() {
	log "$1"
	shift
	"$@" 2>/dev/null || { refused=$((refused + 1)); log "	refused"; false; }
}
w() { try "echo '$1' > ${2#"$T"/}" put "$1" "$2"; }
a() { try "echo '$1' >> ${2#"$T"/}" add "$1" "$2"; }
fail() {
	log "FAILED: $*"
	not_ok "step $n of WALK_SEED=$SEED: $*"
	kill $loops
	finish
}

# rnd N: $r is from 0 to N - 1. It depends on the seed, on the step, and on how many
# were drawn in the step; not on those before, nor on what was refused.
rnd() {
	k=$((k + 1))
	h=$(((SEED * 7919 + n * 101 + k) * 0x9e3779b1 & 0xffffffff))
	h=$(((h ^ h >> 15) * 0x85ebca6b & 0xffffffff))
	h=$(((h ^ h >> 13) * 0xc2b2ae35 & 0xffffffff))
	r=$(((h ^ h >> 16) % $1))
}
one_of() { rnd $#; shift $r; one=$1; }
loaded() { [ -d /sys/module/$1 ]; }
# plug FILE-NAME [PARAMETER...]: load it, or unload it if it is there
plug() {
	plug_m=$(echo $1 | tr - _)
	if loaded $plug_m; then try "rmmod $plug_m" rmmod $plug_m
	else try "insmod $*" load "$@"; fi
}

# ---- the steps ------------------------------------------------------------------------
# Each has $D, a directory of tracefs. There is always some filter: with KASAN all
# functions take a second for each step, and so they are an action of their own.
tracer() {
	if [ $D = $T ]; then one_of function function_graph nop; else one_of function function nop; fi
	w $one $D/current_tracer
}
instance() { [ $D = $T ] || try "rmdir ${D#"$T"/}" rmdir $D; }
# An instance that is new: it traces something, or is about to
made() {
	try "mkdir ${D#"$T"/}" mkdir $D
	one_of $F1 "$F1 $F3" next next
	if [ "$one" = next ]; then w '*' $D/set_ftrace_notrace; else w "$one" $D/set_ftrace_filter; fi
	one_of function function nop
	w $one $D/current_tracer
}
funcs() {
	one_of $F1 $F2 "$F1 $F3" '*_proc_show' target_one 'target_*' "$F1 target_one" 'seq_r*'
	# One that matches nothing leaves an empty filter
	case $one in *target*) loaded callops_target || one=$F1 ;; esac
}
# All functions would be too many
narrow() { ! grep -q '^####' $D/set_ftrace_filter || ! grep -q '^####' $D/set_ftrace_notrace || w $F1 $D/set_ftrace_filter; }
filter() { funcs; w "$one" $D/set_ftrace_filter; }
more() { funcs; a "$one" $D/set_ftrace_filter; }
less() { funcs; a "!$one" $D/set_ftrace_filter; narrow; }
# The functions of a module that may not be there yet, or all that are not there yet
of_module() {
	one_of '*:mod:callops_target' 'target_one:mod:callops_target' '*:mod:ftrace_ops' next next
	if [ $one = next ]; then
		w '*' $D/set_ftrace_notrace
		w '' $D/set_ftrace_filter
	else
		w $F1 $D/set_ftrace_filter
		a "$one" $D/set_ftrace_filter
	fi
}
notrace() {
	one_of $F1 'v*' ''
	! grep -q '^####' $D/set_ftrace_filter || w $F1 $D/set_ftrace_filter
	w "$one" $D/set_ftrace_notrace
}
pid() {
	one_of set_ftrace_pid set_ftrace_notrace_pid; pid_f=$one
	one_of $$ 1 "$$ 1" '' ''
	w "$one" $D/$pid_f
}
# On functions that only the walk calls the trigger may print more.
trigger() {
	one_of stacktrace stacktrace traceoff traceon snapshot dump:1 cpudump:1 enable_event:sched:sched_switch \
		enable_event:kprobes:walk_pver disable_event:kprobes:walk_pver
	trigger_t=$one
	one_of $F1 $F2 '*_proc_show' target_one 'target_*'
	case $trigger_t in *dump*) one=$F1 ;; esac
	trigger_f=$one
	one_of '' :3 :20
	case $trigger_t in *dump*) one= ;; esac
	a "$trigger_f:$trigger_t$one" $D/set_ftrace_filter
}
# One with a count is another one than that without: to remove it takes a count, any.
triggers_of() { sed -n 's/ \[[^]]*\]:/:/; s/:unlimited$//; s/:count=-\{0,1\}[0-9]*$/:1/; /^[^:#]*:[a-z]/{/:mod:/!p}' $1/set_ftrace_filter; }
untrigger() {
	rnd 100
	set -- $(triggers_of $D)
	[ $# -gt 0 ] || return 0
	shift $((r % $#))
	a "!$1" $D/set_ftrace_filter
}
target_module() { plug callops_target; }
# What counts on being called, and a direct call, do without this.
enable() {
	! loaded callops_soak && ! loaded ftrace_ops && [ -z "$bpf" ] || return 0
	for m in $DIRECT; do ! loaded $m || plug $m; done
	w $((1 - enabled)) $E && enabled=$((1 - enabled))
}
kprobe() {
	one_of p r; kp=$one
	one_of $F1 $F3 target_two vfs_read
	a "$kp:walk_$kp$(echo $one | cut -c1-3) $one" $T/kprobe_events
}
event() {
	one_of kprobes sched/sched_switch; event_e=$D/events/$one/enable
	one_of 1 1 0
	[ ! -f $event_e ] || w $one $event_e
}
unprobe() {
	for d in "$T" "$T"/instances/*; do
		[ ! -d $d/events/kprobes ] || w 0 $d/events/kprobes/enable
	done
	w '' $T/kprobe_events
}
sample() {
	one_of 'nr_ops_relevant=1' 'nr_ops_relevant=3' 'save_regs=1' 'assist_rcu=1' 'assist_recursion=1'; flag=$one
	rnd 5
	plug ftrace-ops nr_function_calls=1000 nr_ops_irrelevant=$r check_count=1 persist=1 $flag ||
		[ $enabled = 0 ] || ! dmesg | grep -q 'check_count: FAILED' || fail "a count of the sample's is wrong"
}
soak() {
	[ $enabled = 1 ] || return 0
	! loaded callops_soak || dmesg_clear
	plug callops_soak
	loaded callops_soak || [ "$(dmesg | grep -c 'callops_soak: ok - ')" = 7 ] || {
		dmesg | sed -n 's/.*callops_soak: /# /p'
		fail "a count of callops_soak's is wrong"
	}
}
direct() {
	one_of callops_direct $(echo ${DIRECT#* } | tr _ -)
	[ $enabled = 0 ] || plug $one || [ $one != callops_direct ] || fail "callops_direct fails"
}
# BPF programs come and go on functions of the kernel, for some steps.
bpf() {
	[ $enabled = 1 ] || return 0
	if [ -z "$bpf" ]; then
		set -- stress 10 2 1000000
		log "client $*"
		d /callops/bpf/client "$@" >/tmp/client 2>&1 &
		bpf=$!
	else
		log "client stress: wait"
		wait $bpf || { sed 's/^/# /' /tmp/client; fail "the BPF client failed"; }
		bpf=
	fi
}
profile() {
	one_of 0 1
	# Without a filter it is for all functions
	w "$F1 $F2" $T/set_ftrace_filter
	w $one $T/function_profile_enabled
}
stack() {
	one_of 0 1
	w "$F1 $F2" $T/stack_trace_filter
	w $one $SYS/stack_tracer_enabled
}
sysrq() {
	: >$T/trace
	w 1 $SYS/ftrace_dump_on_oops
	[ ! -f /proc/sysrq-trigger ] || w z /proc/sysrq-trigger
	w 0 $SYS/ftrace_dump_on_oops
}
cpu() {
	one_of 1 2 3
	rnd 2
	w $r /sys/devices/system/cpu/cpu$one/online
	[ $r = 1 ] || cpu_stops
}
option() { one_of 0 1; w $one $D/options/func_stack_trace; }
look_at() { one_of trace trace_stat/function0 set_ftrace_filter available_filter_functions; cat $D/$one >/dev/null 2>&1; }
all() {
	w 0 $D/tracing_on
	w '' $D/set_ftrace_filter
	w function $D/current_tracer
	w $F1 $D/set_ftrace_filter
	w 1 $D/tracing_on
}

# ---- what has to be true --------------------------------------------------------------
# look FUNCTION COMMAND...: in $D, 3 calls are seen, or none
look() {
	f=$1
	shift
	read -r tracer <$D/current_tracer
	read -r on <$D/tracing_on
	[ $tracer != function_graph ] || return 0
	# With a module to come it does not show all triggers, see audit
	! grep -q ':traceo\|:snapshot\|dump:\|:mod:' $D/set_ftrace_filter || return 0
	is="^$f\\( \\[[^]]*\\]\\)\\{0,1\\}\$"
	want=0
	[ $tracer$enabled$on != function11 ] || ! grep -q "$is\|^#### all" $D/set_ftrace_filter ||
		grep -q "$is" $D/set_ftrace_notrace || want=3
	pids=$(tr '\n' ' ' <$D/set_ftrace_pid) nopids=$(tr '\n' ' ' <$D/set_ftrace_notrace_pid)
	case $pids in 'no pid '* | *"$$ "*) ;; *) want=0 ;; esac
	case " $nopids" in *" $$ "*) want=0 ;; esac
	: >$D/trace
	"$@" 3
	got=$(hits $f $D)
	read -r still <$D/tracing_on
	# A trigger elsewhere may have switched it off
	[ $on = $still ] || return 0
	# All functions may be traced just then, and write over these calls
	[ $got -ge $want ] || ! grep -qs '^overrun: [1-9]' $D/per_cpu/cpu*/stats || return 0
	looks=$((looks + 1))
	[ $got = $want ] || {
		head -n 20 $D/trace | sed 's/^/# /'
		fail "${D#"$T"/} saw $got calls of $f, of $want"
	}
}
# All off. Then nothing may be enabled, and a lone instance sees just what is called.
audit() {
	w 1 $E
	enabled=1
	[ -z "$bpf" ] || bpf
	! loaded callops_soak || soak
	for m in ftrace_ops callops_target $DIRECT; do
		! loaded $m || plug $m || sleep 1
	done
	for c in 1 2 3; do put 1 /sys/devices/system/cpu/cpu$c/online; done
	put 0 $SYS/stack_tracer_enabled
	# Not with a module to come: as many of the first triggers as there are functions
	# are then not shown, as t_probe_start() counts the functions once more.
	put $F1 $T/set_ftrace_filter
	for t in $(triggers_of $T); do a "!$t" $T/set_ftrace_filter; done
	unprobe
	put 0 $T/events/enable
	put 0 $T/options/func_stack_trace
	tracing_reset
	# The triggers' ops go some time after the instance
	[ "$(grep -c . $T/enabled_functions)" = 0 ] || fail "left enabled: $(head -n 3 $T/enabled_functions | tr '\n' ';')"
	load callops_target
	mkdir $T/instances/a
	put "$F1 target_one" $T/instances/a/set_ftrace_filter
	put function $T/instances/a/current_tracer
	call $P1 50
	target one 70
	target two 10
	set -- $(hits $F1 $T/instances/a) $(hits target_one $T/instances/a) $(hits target_two $T/instances/a)
	[ "$*" = "50 70 0" ] || fail "a lone instance saw $*, of 50 70 0"
	put $F1 $T/set_ftrace_filter
	rmdir $T/instances/a
	audits=$((audits + 1))
} 2>/dev/null

STEPS='tracer tracer tracer tracer instance filter filter more less of_module of_module
	notrace pid trigger trigger trigger untrigger untrigger target_module target_module
	enable enable enable enable kprobe event event unprobe sample soak profile stack cpu
	option look_at sysrq all'
# What leaves something behind, which nobody looks at while it is off
STEPS_OFF='tracer tracer instance instance instance of_module filter target_module
	target_module target_module trigger untrigger enable enable'
[ $SIDE = base ] || ! has direct-calls || STEPS="$STEPS direct direct"
# The base writes the callsites of a module though ftrace is off.
[ $SIDE != base ] || STEPS_OFF=$(echo $STEPS_OFF | sed 's/target_module//g')
[ -z "${BPF:-}" ] || STEPS="$STEPS bpf bpf bpf"
bpf=

step() {
	n=$((n + 1)) k=0
	if [ $enabled = 1 ]; then one_of $STEPS; else one_of $STEPS_OFF; fi
	what=$one
	one_of $T a b c b c
	[ $one = $T ] && D=$T || D=$T/instances/$one
	if [ -d $D ]; then $what; else made; fi
	# Whoever is freed and still named is found by a call, and by reading it.
	call $P1 1
	if loaded callops_target; then target one 2; target cold 2; target size 1; fi
	[ $((n % 3)) = 0 ] || return 0
	cat $T/enabled_functions >/dev/null
	[ -d $D ] || D=$T
	look $F1 call $P1
	! loaded callops_target || look target_one target one
	[ $((n % 39)) != 0 ] || audit
}

# The others, on the other CPUs: they call all that is traced but $F1 and target_one.
callers() {
	while :; do
		call $P2 20
		call $P3 20
		cat /proc/[0-9]*/stat >/dev/null
		put 500 /sys/module/callops_target/parameters/two
		sleep 0.1
	done
} 2>/dev/null
hung() {
	sleep $((3 * SECONDS_ + 360))
	waiting
}
callers & loops=$!
hung & loops="$loops $!"

put $F1 $T/set_ftrace_filter
while [ $n -lt 12 ] || [ "$(now)" -lt $END ]; do
	step
done
audit
check "those who call are alive" kill -0 $loops
kill $loops
note "$n steps, $looks looks, $audits audits, $refused steps refused"
ok "each look saw the calls that it had to, and no more"
ok "with all off, nothing was left enabled"
check "there were enough steps to tell" test $looks -ge 3 -a $looks -ge $((SECONDS_ / 60))
check "most of them were made" test $((2 * refused)) -lt $n
finish
