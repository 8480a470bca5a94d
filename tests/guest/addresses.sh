#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# sides: base patched
# boot: --smp 2 --timeout 300
# Whatever looks at the addresses of functions: kprobes on them and right before
# them, the kprobes blacklist, the list of what can be traced, kallsyms.
# shellcheck source=tests/guest/lib/common disable=SC2086
. "${0%/*}/lib/common"
begin
need_tracer function
need_functions
D=/sys/kernel/debug
[ -d $D/kprobes ] || mount -t debugfs debugfs $D 2>/dev/null
need_file $D/kprobes/list

# literal ADDRESS: where the ops of the function there is. These 8 bytes are data:
# an instruction that came to be in them, or a breakpoint, would be a wild pointer.
literal() { echo $(($1 - 8)); }

n=$(grep -c . $T/available_filter_functions)
check "there are functions to trace" test "$n" -gt 1000
# tests/run wants all that the base traces; what follows a dot is the compiler's choice. On
# riscv a fault is resolved before anything is traced, and _stext is also a function there.
# On arm64 what patches callsites is not traced: insn.c, patching.c and a function of theirs.
# Rethook serves kretprobes in place of what they had.
left='^$'
kretprobes='^_*kretprobe_\(find_ret_addr\|trampoline_handler\)$\|^arch_\(kretprobe_fixup_return\|prepare_kretprobe\)$'
kretprobes="$kretprobes"'\|^\(free_rp_inst_rcu\|kprobe_flush_task\|recycle_rp_inst\|trampoline_probe_handler\)$'
case $SIDE-$(uname -m) in
base-riscv64) left='^do_page_fault$\|^_stext$' ;;
base-aarch64) left='^_*aarch\(32\|64\)_\(insn_\|get_insn_class$\|[gs]et_branch_offset$\)\|^__set_fixmap$' ;;
esac
echo "names: $(sed 's/[ .].*//' $T/available_filter_functions | grep -v -e "$left" -e "$kretprobes" | sort -u | tr '\n' ' ')"
check "each has a name" sh -c "! grep -q '__ftrace_invalid_address__' $T/available_filter_functions"
check "none is a symbol's middle" sh -c "! grep -q '+0x' $T/available_filter_functions"

put 0 /proc/sys/kernel/kptr_restrict 2>/dev/null
addr=$(address $F1)
check "kallsyms has the function's address" test -n "$addr"
[ "$SIDE" = base ] || check "it is a multiple of 8" test $((addr % 8)) = 0

if [ -f $T/kprobe_events ]; then
	check "a kprobe on a function's entry" put "p:callops_kp $F1" $T/kprobe_events
	check "it is enabled" put 1 $T/events/kprobes/callops_kp/enable
	call $P1 25
	check "the list of kprobes has it" grep -q "^0*${addr#0x} " $D/kprobes/list
	same "it was hit by each call" 25 "$(kprobe_hits callops_kp)"
	clear_trace
	put $F1 $T/set_ftrace_filter
	put function $T/current_tracer
	call $P1 12
	same "with a tracer on the function it is, too" 12 "$(kprobe_hits callops_kp)"
	same "and the tracer was called" 12 "$(hits $F1)"
	put nop $T/current_tracer
	clear_trace
	call $P1 9
	same "without it again" 9 "$(kprobe_hits callops_kp)"
	put 0 $T/events/kprobes/callops_kp/enable
	: >$T/kprobe_events

	clear_trace
	check "a kprobe by address" put "p:callops_kp $addr" $T/kprobe_events
	put 1 $T/events/kprobes/callops_kp/enable
	call $P1 4
	same "is hit" 4 "$(kprobe_hits callops_kp)"
	put 0 $T/events/kprobes/callops_kp/enable
	: >$T/kprobe_events

	clear_trace
	check "a return probe" put "r:callops_kr $F1" $T/kprobe_events
	put 1 $T/events/kprobes/callops_kr/enable
	call $P1 6
	same "is hit" 6 "$(kprobe_hits callops_kr)"
	put $F1 $T/set_ftrace_filter
	put function $T/current_tracer
	clear_trace
	call $P1 7
	same "and beside a tracer" "7 7" "$(kprobe_hits callops_kr) $(hits $F1)"
	put nop $T/current_tracer
	put 0 $T/events/kprobes/callops_kr/enable
	: >$T/kprobe_events

	if [ "$SIDE" = patched ]; then
		check "a module with literals is loaded" load callops_target
		for f in $F1 $F2 $F3 vfs_write vfs_read target_one target_cold target_size; do
			# shellcheck disable=SC2046
			set -- $(awk -v f=$f '
				$3 == f { print $1, last; exit }
				$2 ~ /^[tTwW]$/ && $3 !~ /^\$/ { last = $3 " " $1 }' /proc/kallsyms)
			[ $# = 3 ] || { note "no $f"; continue; }
			for part in 0 4; do
				at=$(($(literal 0x$1) + part))
				where="in $f's literal, $((0x$1 - at)) bytes before it"
				at=$(printf '%x' $at)
				case $f in
				target_*)
					# Where a module's text begins no symbol is: such an event is
					# taken, to wait for a module. It must not be a probe yet.
					put "p:callops_kp 0x$at" $T/kprobe_events 2>/dev/null
					check "no kprobe $where" sh -c "! grep -q '^0*$at ' $D/kprobes/list"
					;;
				*)
					refused "a kprobe $where, by address" \
						put "p:callops_kp 0x$at" $T/kprobe_events
					refused "and by $2+$((0x$at - 0x$3))" \
						put "p:callops_kp $2+$((0x$at - 0x$3))" $T/kprobe_events
					;;
				esac
				: >$T/kprobe_events
			done
		done
		clear_trace
		check "a kprobe on a module's function" put "p:callops_kp callops_target:target_one" $T/kprobe_events
		put 1 $T/events/kprobes/callops_kp/enable
		target one 5
		same "is hit" 5 "$(kprobe_hits callops_kp)"
		put 0 $T/events/kprobes/callops_kp/enable
		: >$T/kprobe_events
		case $(uname -m) in
		riscv64) refused "a kprobe between the two instructions of a callsite" \
				put "p:callops_kp $F1+4" $T/kprobe_events ;;
		esac
		put "p:callops_kp $F1" $T/kprobe_events
		put 1 $T/events/kprobes/callops_kp/enable
		clear_trace
		call $P1 3
		same "a kprobe on the entry still works" 3 "$(kprobe_hits callops_kp)"
		put 0 $T/events/kprobes/callops_kp/enable
		: >$T/kprobe_events
	fi
else
	note "no kprobe_events in this kernel"
fi

if [ -f $D/kprobes/blacklist ]; then
	n=$(grep -c . $D/kprobes/blacklist)
	check "the kprobes blacklist has entries" test "$n" -gt 0
	bad=0
	while read -r range name; do
		start=${range%-*}
		end=${range#*-}
		size=$((end - start))
		if [ "$size" -le 0 ] || [ "$size" -ge 1048576 ]; then
			bad=$((bad + 1))
			note "$range $name"
		fi
	done <$D/kprobes/blacklist
	same "each with an end after its start, and less than 1 MiB long" 0 "$bad"
	name=$(sed -n 's/^0x[0-9a-f]*-0x[0-9a-f]*[[:space:]]*\([a-z_]*\)$/\1/p' $D/kprobes/blacklist | head -n 1)
	check "it has a name of letters" test -n "$name"
	refused "what is on it is refused ($name)" put "p:callops_kp $name" $T/kprobe_events
else
	note "no kprobes blacklist in this kernel"
fi
finish
