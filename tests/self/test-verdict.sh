#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# bin/verdict against golden consoles.
. "$(dirname "$0")/lib.sh"
END='reboot: Power down'
WARN='WARNING: CPU: 0 PID: 1 at kernel/trace/ftrace.c:2071 ftrace_bug+0x9c/0x2b0'
warn=('------------[ cut here ]------------' "$WARN" 'Modules linked in: ftrace_ops(+)'
	'CPU: 0 PID: 1 Comm: init Not tainted 9.1.99 #1' 'Call trace:' ' ftrace_bug+0x9c/0x2b0' '---[ end trace 0000000000000000 ]---')
oops='Unable to handle kernel NULL pointer dereference at virtual address 0000000000000010'
panic='Kernel panic - not syncing:'

# judge WHAT STATUS SAYS QEMU VERDICT EXPECTED-SPLAT LINE...: the kernel says LINEs after it
# has booted, or nothing at all
judge() {
	local what=$1 want=$2 says=$3 qemu=$4 verdict=$5 expect=$6 rc=0 out
	shift 6
	rm -f "$T/verdict"
	[ "$verdict" = none ] || printf '%b' "$verdict" >"$T/verdict"
	printf %s "$panel" >"$T/console"
	[ $# = 0 ] || printf '[    1.500000] %s\n' 'Booting Linux on physical CPU 0x0000000000 [0x411fd070]' \
		'ftrace: allocating 10938 entries in 43 pages' 'Run /init as init process' "$@" >>"$T/console"
	out=$("$REAL/bin/verdict" "$T/console" "$T/verdict" "$qemu" ${expect:+--expect-splat "$expect"} 2>&1) || rc=$?
	same "$what" "$want: callops: $says" "$rc: $out"
}
done0='status 0 done\n' panel=''
judge "success" 0 'the command succeeded' 0 "$done0" '' "$END"
judge "success, with carriage returns" 0 'the command succeeded' 0 'status 0 done\r\n' '' "$END"$'\r'
judge "what looks like a splat" 0 'the command succeeded' 0 "$done0" '' 'Warning: unable to open an initial console.' \
	'cma: Failed to reserve 32 MiB' 'Testing tracer function: PASSED' 'debug: unmapping init [mem 0x1000-0x2000]' \
	'SError: no BUG or WARNING here' 'kmemleak: Kernel memory leak detector initialized (mem pool available: 15790)' "$END"
judge "a backtrace without a word" 68 'kernel splat: Call trace:' 0 "$done0" '' 'x: page allocation failure: order:0' 'Call trace:' "$END"
panel=$'Linux ppc64le\n#1 SMP 2000-01-0' firmware=$panel
judge "what is on powerpc's panel" 69 "the console does not end with the kernel's 'reboot: ...': what it said is not known" 0 "$done0" ''
panel=$firmware$'[    1.265204] reboot: Power down\n'
judge "success behind that" 0 'the command succeeded' 0 "$done0" ''
panel="${firmware}[    1.265204] $oops"$'\n'
judge "an oops behind that" 68 "kernel splat: $oops" 0 "$done0" '' "$END"
panel=''
judge "KUnit's end" 0 'the command succeeded' 0 "$done0" '' 'reboot: Restarting system'
judge "a command that fails" 3 'the command failed with status 3' 0 'status 3 done\n' '' "$END"
judge "one that is not there" 63 'the command failed with status 127' 0 'status 127 done\n' '' "$END"
judge "a status that looks like ours" 63 'the command failed with status 66' 0 'status 66 done\n' '' "$END"
judge "a success on an empty console" 69 "the console does not end with the kernel's 'reboot: ...': what it said is not known" 0 "$done0" ''
judge "on one that stops" 69 "the console does not end with the kernel's 'reboot: ...': what it said is not known" 0 "$done0" '' 'init: x'
judge "what KUnit provokes" 0 'the command succeeded' 0 "$done0" '' 'tracee_a+0x4/0x20: expected edc282e6 but got 00000013' "$END"
judge "no verdict" 69 'the guest ended without a verdict' 0 '' '' "$END"
judge "no file for one" 69 'the guest ended without a verdict' 0 none '' "$END"
for cut in sta 'status 0' 'status 1'; do
	judge "a verdict that ends with '$cut'" 69 'the guest ended in the middle of its verdict' 0 "$cut" '' "$END"
done
judge "a panic" 67 'kernel panic: VFS: Unable to mount root fs' 0 '' '' "$panic VFS: Unable to mount root fs" 'CPU: 0 PID: 1 Comm: swapper/0'
judge "a panic that hangs" 67 'kernel panic: Attempted to kill init! exitcode=0x0000000b' 124 '' '' "$panic Attempted to kill init! exitcode=0x0000000b"
judge "an oops" 67 "kernel panic: Oops: Fatal exception (first: $oops)" 0 '' '' "$oops" 'Mem abort info:' \
	'Internal error: Oops: 0000000096000004 [#1] SMP' "$panic Oops: Fatal exception"
judge "a QEMU that fails" 65 'QEMU failed with status 1' 1 '' ''
judge "a QEMU that crashes" 65 'QEMU failed with status 139' 139 '' '' x
judge "a timeout" 66 timeout 124 '' '' x
judge "a timeout, by SIGKILL" 66 timeout 137 '' '' x
judge "a timeout after a verdict" 66 timeout 124 "$done0" '' x
judge "a timeout after a stall" 66 'timeout, after a kernel splat: rcu: INFO: rcu_sched self-detected stall on CPU' 124 '' '' \
	'rcu: INFO: rcu_sched self-detected stall on CPU'
judge "a WARNING, and success" 68 "kernel splat: $WARN" 0 "$done0" '' "${warn[@]}" "$END"
judge "a WARNING, and failure" 68 "kernel splat: $WARN" 0 'status 1 done\n' '' "${warn[@]}" "$END"
judge "a WARNING that panics" 68 "kernel splat: $WARN" 0 '' '' "${warn[@]}" "$panic kernel: panic_on_warn set ..."
judge "no more than a cut" 68 "kernel splat: ${warn[0]}" 0 "$done0" '' "${warn[0]}" "$END"
judge "an expected splat" 0 "the command succeeded, with the expected splat: $WARN" 0 "$done0" ftrace.bug "${warn[@]}" "$END"
judge "an expected splat, and failure" 2 'the command failed with status 2' 0 'status 2 done\n' ftrace.bug "${warn[@]}" "$END"
judge "an expected splat that does not come" 68 "no kernel splat that matches 'ftrace.bug', though one was expected" 0 "$done0" ftrace.bug "$END"
judge "another than the expected splat" 68 "kernel splat: $WARN" 0 "$done0" other "${warn[@]}" "$END"
judge "another beside the expected splat" 68 'kernel splat: BUG: KASAN: use-after-free in x' 0 "$done0" ftrace.bug \
	"${warn[@]}" 'BUG: KASAN: use-after-free in x' "$END"
judge "no memory beside the expected splat" 68 'kernel splat: Out of memory: Killed process 12 (sh)' 0 "$done0" ftrace.bug \
	"${warn[@]}" 'Out of memory: Killed process 12 (sh)' "$END"
judge "what KASAN finds in the function of one" 68 'kernel splat: BUG: KASAN: use-after-free in ftrace_bug+0x10/0x20' 0 "$done0" ftrace.bug \
	"${warn[@]}" 'BUG: KASAN: use-after-free in ftrace_bug+0x10/0x20' "$END"
judge "a second backtrace without a word" 68 "kernel splat: ${warn[0]}" 0 "$done0" ftrace.bug \
	"${warn[@]}" 'x: page allocation failure: order:0' 'Call trace:' "$END"
# What a kernel may say of itself, in front of a success
while IFS= read -r line; do
	judge "\"$line\"" 68 "kernel splat: $line" 0 "$done0" '' "$line" "$END"
done <<'END'
------------[ ftrace bug ]------------
BUG: KASAN: slab-use-after-free in ftrace_ops_assist_func+0x40/0x120
BUG: scheduling while atomic: sh/40/0x00000002
BUG: sleeping function called from invalid context at kernel/locking/mutex.c:580
BUG: Bad page state in process sh  pfn:12345
BUG: workqueue lockup - pool cpus=0 node=0 flags=0x0 nice=0 stuck for 31s!
BUG kmalloc-64 (Tainted: G    B             ): Poison overwritten
FIX kmalloc-64: Restoring Poison 0xffff000003a1c008-0xffff000003a1c00f=0x6b
kmemleak: 3 new suspected memory leaks (see /sys/kernel/debug/kmemleak)
kernel BUG at kernel/trace/ftrace_call_ops.c:99!
[ BUG: Invalid wait context ]
INFO: task insmod:41 blocked for more than 120 seconds.
INFO: rcu_tasks detected stalls on tasks:
Misaligned patch-site version_proc_show+0x0/0x40
ODEBUG: free active (active state 0) object type: timer_list hint: 0x0
Testing tracer function: .. no entries found ..FAILED!
ftrace: vfs_read+0x4/0x40 still calls the ops global_ops
vfs_read+0x4/0x40: expected 00000013 but got 000380e7
UBSAN: array-index-out-of-bounds in kernel/x.c:1:2
Unhandled fault at 0xffff800008000000
WARNING: possible circular locking dependency detected
WARNING: suspicious RCU usage
ftrace: callops_target: 2 of 3 functions cannot be traced, the first is target_one: unexpected instruction in patch site
ftrace: failed to allocate entries for functions
ftrace: vmlinux: 1 of 10938 functions is not traceable
kprobes: Failed to populate blacklist (error -22), kprobes not restricted, be careful using them!
kprobes: vfs_read is not probed while ftrace is off (error -12)
static call: callops_direct_call does not restore the TOC pointer
list_add corruption. next->prev should be prev (x), but was y. (next=z).
list_del corruption, ffff000003a1c008->next is LIST_POISON1 (dead000000000100)
rcu: INFO: rcu_sched detected stalls on CPUs/tasks:
rcu: rcu_sched kthread starved for 2101 jiffies! g5 f0x0 RCU_GP_WAIT_FQS(5) ->state=0x402 ->cpu=0
refcount_t: underflow; use-after-free.
watchdog: BUG: soft lockup - CPU#1 stuck for 26s! [insmod:41]
watchdog: CPU 0 self-detected hard LOCKUP @ ftrace_caller+0x0/0x78
softirq: huh, entered softirq 1 TIMER ffff800008123450 with preempt_count 00000100, exited with 00000101?
arch/riscv/mm/fault.c:99: bad pgd 00000000deadbeef.
CPU1: failed to come online
psci: failed to boot CPU1 (-22)
CFI failure at call_it+0x20/0x40 (target: it+0x0/0x8; expected type: 0x12345678)
NOHZ tick-stop error: local softirq work is pending, handler #08!!!
** 812 printk messages dropped **
callops: sh[40]: unhandled exception: DABT (lower EL), ESR 0x92000004, level 0 translation fault
callops: 1 CPUs, of 4
END
printf '[    2.000000][    T1] %s\n' 'BUG: spinlock bad magic on CPU#0, sh/40' "$END" >"$T/console"
same "a line with its caller" "callops: kernel splat: BUG: spinlock bad magic on CPU#0, sh/40" "$("$REAL/bin/verdict" "$T/console" "$T/verdict" 0)"
rc=0; "$REAL/bin/verdict" >/dev/null 2>&1 || rc=$?
same "a wrong usage" 64 "$rc"
rc=0; "$REAL/bin/verdict" "$T/console" "$T/verdict" 0 --expect-splat >/dev/null 2>&1 || rc=$?
same "an expectation of nothing" 64 "$rc"
rc=0; "$REAL/bin/verdict" /nonexistent /nonexistent 0 >"$T/log" 2>&1 || rc=$?
same "no console" "69: 1" "$rc: $(grep -c . "$T/log")"
