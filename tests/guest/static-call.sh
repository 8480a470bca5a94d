#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# sides: base patched
# needs: static-calls
# boot: --smp 4 $(case $ARCH in riscv) echo --turns ;; arm64) echo --append nokaslr ;; esac) --timeout $((2 * ${STRESS_SECONDS:-10} + 480))
# long boot: --smp 4 $([ "$ARCH" != riscv ] || echo --turns) --timeout $((2 * ${STRESS_SECONDS:-10} + 480))
# Static calls and the tracepoints that use them: tests/guest-modules/static, where the
# caller, the trampoline and the target are in the kernel and in modules, and a storm of
# updates for STRESS_SECONDS (10); then events, in the kernel and by what is left there.
# On riscv the CPUs take turns: QEMU before 10.1 fetches an instruction in two halves, and
# in a storm runs one half of the old with one of the new.
# shellcheck source=tests/guest/lib/common disable=SC2086
. "${0%/*}/lib/common"
begin
need_module callops_static
need_file $T/events/task/task_rename/enable

# By its name kprobes know a trampoline; an address has that of its first symbol.
same "each trampoline of the kernel is known by its name" 0 \
	"$(awk 'NF == 3 { n += $3 ~ /^__SCT__/ && $1 == at; at = $1 } END { print n + 0 }' /proc/kallsyms)"

dmesg_clear
check "the peer is loaded" load callops_static_peer
check "all checks of the module passed" load callops_static seconds=${STRESS_SECONDS:-10}
lines static >/tmp/lines
relay /tmp/lines "module: "
same "all of them were made" 24 "$(grep -c '^ok - ' /tmp/lines)"
# Without KASLR the other module is out of range of a branch on arm64, with it the kernel
# is, in seven of eight boots. On riscv both are.
# shellcheck disable=SC2046
set -- $(sed -n 's/^bytes to .*: //p' /tmp/lines)
kicks=3
case $(uname -m)-$(cat /proc/cmdline) in
ppc64le-*) check "the kernel is out of range" test "$2" -gt $((32 << 20)) ;;
riscv64-*) check "both are out of range" test "$1" -gt $((1 << 20)) -a "$2" -gt $((1 << 20)) ;;
*nokaslr*) check "the other module is out of range" test "$1" -gt $((128 << 20)) ;;
*)
	[ "$2" -gt $((128 << 20)) ] || again "the kernel is in range of a branch"
	kicks=2 ;;
esac
[ ! -d /sys/module/callops_static ] || check "it is unloaded" unload callops_static
check "and the peer" unload callops_static_peer
for i in 1 2 3; do
	load callops_static_peer && load callops_static && unload callops_static && unload callops_static_peer || not_ok "loaded again, $i"
done

# task_rename is called by the kernel, and each instance has a probe, with its own data:
# 0 -> 1 -> 2 -> 3 -> 2 -> 1 -> 0
renamed() { grep -c 'task_rename:.*newcomm=callops' "$1/trace"; }
rename() { printf callops >/proc/self/comm; }
mkdir $T/instances/one $T/instances/two
A=$T/instances/one B=$T/instances/two
rename
put 1 $A/events/task/task_rename/enable
rename
same "one probe" "1 0" "$(renamed $A) $(renamed $B)"
put 1 $B/events/task/task_rename/enable
rename
same "two probes" "2 1" "$(renamed $A) $(renamed $B)"
put 1 $T/events/task/task_rename/enable
rename
same "three" "3 2 1" "$(renamed $A) $(renamed $B) $(renamed $T)"
put 0 $A/events/task/task_rename/enable
rename
same "two, without the first" "3 3 2" "$(renamed $A) $(renamed $B) $(renamed $T)"
put 0 $T/events/task/task_rename/enable
rename
same "one, that was the second" "3 4 2" "$(renamed $A) $(renamed $B) $(renamed $T)"
put 0 $B/events/task/task_rename/enable
rename
same "none" "3 4 2" "$(renamed $A) $(renamed $B) $(renamed $T)"
rmdir $A $B
clear_trace
if [ "$(uname -m)" = ppc64le ] && [ -d $T/events/lock ]; then
	# With lockdep the base, too, hangs on powerpc: there each of these makes more of the other
	for e in "$T"/events/*/enable; do
		case $e in */ftrace/*|*/preemptirq/*) ;; *) put 1 "$e" ;; esac
	done
else put 1 $T/events/enable
fi
rename
put 0 $T/tracing_on	# before what follows fills the buffer
put 0 $T/events/enable
put 1 $T/tracing_on
rename
same "all events at once, on and off" 1 "$(renamed $T)"

# Each update is of a trampoline, to or from a probe, and nothing else is updated with it.
# Without JUMP_LABEL nobody else interrupts all CPUs for it. powerpc counts all of its IPIs
# as one, and powernv its doorbells.
interrupts() {
	awk -v what="$([ "$(uname -m)" = ppc64le ] && echo 'IPI|Doorbell' || echo 'Function call interrupts')" \
		'$0 ~ what { for (i = 2; $i ~ /^[0-9]+$/; i++) n += $i } END { print n + 0 }' /proc/interrupts
}
if [ $SIDE = patched ]; then
	check "there is a trampoline" grep -q ' __SCT__tp_func_suspend_resume$' /proc/kallsyms
	put 0 $T/options/record-cmd
	n=$(interrupts)
	for i in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do
		put 1 $T/events/task/task_rename/enable
		put 0 $T/events/task/task_rename/enable
	done
	n=$(($(interrupts) - n))
	put 1 $T/options/record-cmd
	note "$n interrupts for 40 updates"
	check "each update interrupts the other CPUs" test "$n" -ge $((40 * ($(nproc) - 1)))

	# Out of range and back: the literal, a kick, the slot, a kick; the slot, a kick. With
	# KASLR on arm64 the other module is in range.
	check "the peer is there again" load callops_static_peer
	n=$(interrupts)
	check "out of range and back" load callops_static flips=100
	n=$(($(interrupts) - n))
	unload callops_static
	note "$n interrupts for 100 times"
	check "one of them comes between literal and slot" test "$n" -ge $((kicks * 100 * ($(nproc) - 1)))
	unload callops_static_peer
fi
finish
