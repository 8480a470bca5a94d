#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# needs: direct-calls
# sides: patched
# long: base
# flavor: bpf
# files: tests/bpf/build
# boot: --smp 2 --tools --timeout 600
# long boot: --smp 2 --tools --timeout 600 --append nokaslr --cpu max,pauth-impdef=on
# What people use, on both kernels: programs by libbpf, bpftrace, bpftool, trace-cmd.
# With KASLR the programs' trampolines are out of the range of a branch from the
# kernel, without it they are in range. The default CPU lets the kernel read user
# memory, the other one does not (PAN). Where the base cannot do it, that it says so
# is what is checked.
# shellcheck source=tests/guest/lib/common disable=SC2016
. "${0%/*}/lib/common"
begin
need_debian
need_file /sys/kernel/btf/vmlinux
ifconfig lo 127.0.0.1 up
load callops_target || bail "callops_target.ko is loaded"
put 0 /proc/sys/kernel/kptr_restrict
load callops_twin || bail "callops_twin.ko is loaded"
for c in trace sleep user module twin end modify deny; do client -524 $c; done
# What programs do to programs, or in one, does not go through ftrace.
for c in replace loop; do client '' $c; done
[ ! -d /sys/module/callops_twin ] || unload callops_twin

# bt WHAT SCRIPT EXPECTED COMMAND...: what bpftrace prints, without blank lines
bt() {
	bt_what=$1 bt_script=$2 bt_expected=$3
	shift 3
	bt_got=$(d bpftrace -q -e "$bt_script" -c "$*" 2>/tmp/bt.err | grep -v '^$')
	if [ $SIDE = base ]; then
		if grep -q 'not available for your kernel version' /tmp/bt.err; then
			ok "bpftrace $bt_what: the base refuses"
		else
			not_ok "bpftrace $bt_what: the base refuses"
			sed 's/^/# /' /tmp/bt.err | head -n 5
		fi
		return
	fi
	same "bpftrace $bt_what" "$bt_expected" "$bt_got" || sed 's/^/# /' /tmp/bt.err | head -n 5
}
DD='/usr/bin/dd if=/dev/zero of=/dev/null bs=1 count=1000 status=none'
bt 'fentry' 'fentry:vfs_write /comm == "dd"/ { @ = count(); }' '@: 1000' "$DD"
bt 'kfunc, its old name' 'kfunc:vfs_read /comm == "dd" && args.count == 1/ { @ = count(); }' '@: 1000' "$DD"
bt 'kretfunc' 'kretfunc:vfs_write /comm == "dd"/ { @ = sum(retval); }' '@: 1000' "$DD"
bt 'fentry and fexit' 'fentry:vfs_write /comm == "dd"/ { @a = count(); } fexit:vfs_write /comm == "dd"/ { @b = count(); }' \
	"$(printf '@a: 1000\n@b: 1000')" "$DD"
echo ': 2>/dev/null </dev/tcp/127.0.0.1/9' >/tmp/connect
# Beside an ops with IPMODIFY, which asks for protection from recursion, fexit comes to a
# function that has fentry, and there are calls after it.
if [ $SIDE = patched ]; then
	check "an ops with IPMODIFY is on the function" load callops_redirect hold=vfs_write
	d bpftrace -q -e 'fentry:vfs_write /comm == "dd"/ { @a = count(); }' -c '/usr/bin/sleep 100' >/tmp/entry 2>&1 &
	for _ in $(seq 200); do
		! grep -q '^vfs_write (2)' $T/enabled_functions || break
		sleep 0.2
	done
	check "fentry is beside it" grep -q '^vfs_write (2)' $T/enabled_functions
	bt 'fexit comes to that' 'fexit:vfs_write /comm == "dd"/ { @b = count(); }' '@b: 1000' "$DD"
	killall sleep
	wait
	same "fentry sees the same calls" '@a: 1000' "$(grep -v '^$' /tmp/entry)"
	check "the ops goes" unload callops_redirect
fi
bt 'fentry of TCP' 'fentry:tcp_v4_connect { @ = count(); }' '@: 1' '/usr/bin/bash /tmp/connect'
echo 'echo 33 >/sys/module/callops_target/parameters/two' >/tmp/module
bt 'fentry of a module' 'fentry:callops_target:target_two { @ = count(); }' '@: 33' '/usr/bin/bash /tmp/module'

# Clients of a tracepoint: one callback, several, and one again; see clients.sh, too
echo 'for ((i = 0; i < 100; i++)); do printf callops >/proc/$$/comm; done' >/tmp/rename
RENAME='/usr/bin/bash /tmp/rename'
PERF='tracepoint:task:task_rename /args.newcomm == "callops"/ { @perf = count(); }'
RAW='rawtracepoint:task_rename /str(arg1) == "callops"/ { @raw = count(); }'
tp() { same "$1" "$3" "$(d bpftrace -q -e "$2" -c "$RENAME" 2>/tmp/bt.err | grep -v '^$')" || sed 's/^/# /' /tmp/bt.err | head -n 5; }
tp "bpftrace tracepoint, by perf" "$PERF" '@perf: 100'
tp "bpftrace rawtracepoint" "$RAW" '@raw: 100'
tp "bpftrace, both on one tracepoint" "$PERF $RAW" "$(printf '@perf: 100\n@raw: 100')"
printf '%s\n' "$RAW" >/tmp/raw.bt
check "trace-cmd records it beside bpftrace" sh -c \
	"chroot /debian trace-cmd record -q -o /tmp/t.dat -e task:task_rename -f 'newcomm == \"callops\"' bpftrace -q -c '$RENAME' /tmp/raw.bt >/tmp/tc 2>&1"
same "bpftrace sees all" 1 "$(grep -c '^@raw: 100' /tmp/tc)"
same "and so does trace-cmd" 100 "$(d trace-cmd report -i /tmp/t.dat 2>/dev/null | grep -c 'task_rename:')" || sed 's/^/# /' /tmp/tc | head -n 5
d trace-cmd reset >/dev/null 2>&1
tp "bpftrace rawtracepoint again" "$RAW" '@raw: 100'
perf_count() { d perf stat -x, "$@" 2>&1 >/dev/null | sed -n 's/^\([^,]*\),.*/\1/p'; }
# An ops for each CPU
same "perf stat of a function" 33 "$(perf_count -a -e ftrace:function --filter 'ip == target_two' -- /usr/bin/bash /tmp/module)"
# A kprobe by perf
if check "perf probe adds a kprobe" sh -c 'chroot /debian perf probe --quiet --add vfs_write >/tmp/pp 2>&1'; then
	same "perf stat counts it" 1000 "$(perf_count -e probe:vfs_write -- $DD)"
	d perf record -q -o /tmp/p.data -e probe:vfs_write -- $DD >>/tmp/pp 2>&1
	same "perf record has each" 1000 "$(d perf script -i /tmp/p.data 2>/dev/null | grep -c ' probe:vfs_write: ')"
	check "perf probe removes it" sh -c 'chroot /debian perf probe --quiet --del probe:vfs_write >>/tmp/pp 2>&1'
else
	sed 's/^/# /' /tmp/pp | head -n 5
fi
# The functions of a backtrace from a kprobe. At the entry there is no frame yet that would
# have the caller, comm_write: on both kernels.
d bpftrace -q -e 'kprobe:__set_task_comm /str(arg1) == "callops"/ { @[kstack] = count(); }' -c "$RENAME" >/tmp/stack 2>&1
same "bpftrace's kstack at a kprobe" "__set_task_comm vfs_write ksys_write " \
	"$(sed -n 's/^ *\([a-z_0-9]*\)+[0-9]*$/\1/p' /tmp/stack | head -n 3 | tr '\n' ' ')"
same "is the same each time" "]: 100" "$(grep '^]' /tmp/stack)"
sed 's/^/# /' /tmp/stack

if [ $SIDE = patched ]; then
	# A backtrace from a program names the function and its caller.
	d bpftrace -q -e 'fentry:vfs_write /comm == "dd"/ { @[kstack(8)] = count(); }' -c "$DD" >/tmp/stack 2>&1
	same "a backtrace from fentry" "vfs_write ksys_write" \
		"$(sed -n 's/^ *\([a-z_0-9]*\)+[0-9]*$/\1/p' /tmp/stack | grep -A1 '^vfs_write$' | tr '\n' ' ' | sed 's/ $//')" ||
		sed 's/^/# /' /tmp/stack

	# A program overrides a function: the one at its exit finds the error.
	KILL=$(overridable kill)
	same "an override beside fexit" "$(printf 'failed\n@: -12')" \
		"$(d bpftrace -q --unsafe -e "kprobe:$KILL /comm == \"bash\"/ { override((uint64)-12); }
			fexit:$KILL /comm == \"bash\"/ { @ = retval; }" -c "$(kill_script)" 2>/tmp/bt.err | grep -v '^$')" ||
		sed 's/^/# /' /tmp/bt.err | head -n 5

	# bpftool attaches, shows what is attached, and what the programs print.
	mkdir -p /sys/fs/bpf/callops
	if check "bpftool attaches all programs of a file" \
		d bpftool prog loadall /callops/bpf/trace.bpf.o /sys/fs/bpf/callops autoattach; then
		check "and shows the links" sh -c 'chroot /debian bpftool link show | grep -q "tracing"'
		note "$(grep -c '' $T/enabled_functions) callsites: $(grep -E 'vfs_write|getpgid' $T/enabled_functions | tr '\n' ' ')"

		# The function tracer beside them, by trace-cmd
		clear_trace
		check "trace-cmd records the same function" sh -c \
			"chroot /debian trace-cmd record -q -o /tmp/t.dat -p function -l vfs_write $DD >/tmp/tc 2>&1"
		same "and sees each call" 1000 \
			"$(d trace-cmd report -i /tmp/t.dat 2>/dev/null | grep 'dd-[0-9]' | grep -c 'vfs_write')" ||
			sed 's/^/# /' /tmp/tc | head -n 5
		d trace-cmd reset >/dev/null 2>&1
		tracing_reset
		rm -f /sys/fs/bpf/callops/*
	fi
	clear_trace
	d bpftool prog tracelog >/tmp/log 2>&1 &
	log=$!
	d /callops/bpf/client module >/dev/null
	printed() { grep -c 'target_one is called' /tmp/log; }
	for _ in $(seq 120); do	# a busy host takes its time to start bpftool
		[ "$(printed)" -lt 25 ] || break
		sleep 0.5
	done
	kill $log
	same "bpftool prog tracelog shows what a program prints" 25 "$(printed)" ||
		sed 's/^/# /' /tmp/log | head -n 5
fi
check "bpftool feature probe goes through" sh -c 'chroot /debian bpftool feature probe kernel >/tmp/features'
same "it finds programs of kind tracing" 1 "$(grep -c 'program_type tracing is available' /tmp/features)"
same "it finds programs of kind lsm" 1 "$(grep -c 'program_type lsm is available' /tmp/features)"

# A dispatcher calls programs by their pointer, and through no static call: none is generated
# for it here, so that would be one more call for each packet.
same "XDP's dispatcher has no trampoline" 1-0 \
	"$(grep -c ' bpf_dispatcher_xdp_func$' /proc/kallsyms)-$(grep -c ' __SCT__bpf_dispatcher' /proc/kallsyms)"

# The probe says the same.
d python3 /callops/bpf/callops-probe >/tmp/probe
sed 's/^/# /' /tmp/probe
if [ $SIDE = base ]; then
	same "callops-probe: error 524 for all that attaches to functions" 8 "$(grep -c '^NO .*error 524 (ENOTSUPP)' /tmp/probe)"
	same "and error 95 for one program on many" 3 "$(grep -c '^NO .*error 95 (EOPNOTSUPP)' /tmp/probe)"
	same "no per-callsite ops, and no static calls" 2 "$(grep -c '^NO  *\(per-callsite ops\|static calls\)' /tmp/probe)"
	same "and no fprobe" 1 "$(grep -c '^NO  *fprobe  *no register_fprobe' /tmp/probe)"
	same "and the option that these lack" 4 "$(grep -c 'CONFIG_FPROBE' /tmp/probe)"
	how=by.a.breakpoint
	same "and the missing option" 8 "$(grep -c 'CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS' /tmp/probe)"
else
	# Not with kCFI
	ops=0
	! has_call_ops || ops=1
	same "callops-probe: per-callsite ops" "$ops" "$(grep -c '^yes  *per-callsite ops' /tmp/probe)"
	same "and all else works" $((1 - ops)) "$(grep -c '^NO' /tmp/probe)"
	how=through.ftrace
	same "to all of its questions" $((19 + ops)) "$(grep -c '^yes' /tmp/probe)"
fi
for k in kprobe kretprobe; do
	check "it says how a $k is called" grep -q "^yes  $k  *vfs_write, called, $how" /tmp/probe
done
same "and leaves none behind" 0 "$(grep -c . $T/kprobe_events)"

unload callops_target
same "nothing is left enabled" 0 "$(grep -c . $T/enabled_functions)"
finish
