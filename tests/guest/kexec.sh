#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# needs: kexec-image
# long: base patched
# flavor: kexec
# files: tests/kexec/build
# boot: --smp 4 --timeout 300
# The kernel starts another of its kind by kexec, while everything is traced, by several
# tracers: CPUs go offline, and what runs last does so without the MMU. The next kernel has
# none of that, and traces as exactly. It boots from a copy of this one's files, with this
# same test, and finds /callops/second.
# shellcheck source=tests/guest/lib/common
. "${0%/*}/lib/common"
begin
need_tracer function
need_module ftrace-ops
BOOT=$(cat /proc/sys/kernel/random/boot_id)

if [ ! -f second ]; then
	mkdir $T/instances/k
	put "$F1 $F2" $T/instances/k/set_ftrace_filter
	check "the sample is loaded" load ftrace-ops nr_function_calls=1000 nr_ops_relevant=2 nr_ops_irrelevant=1 persist=1
	check "a kprobe is placed" put "p:callops_k $F1" $T/kprobe_events
	put 1 $T/events/kprobes/enable
	check "two functions are traced" put function $T/instances/k/current_tracer
	check "all functions are traced" put function $T/current_tracer
	call $P1 20
	same "they are" 20 "$(hits $F1 $T/instances/k)"
	same "the kprobe is hit" 20 "$(awk '$1 == "callops_k" { print $2 }' $T/kprobe_profile)"
	check "so are all others" grep -q "^$F3 " $T/enabled_functions
	echo "$ktap_n $ktap_bad $BOOT" >second
	# Not what is mounted, nor the kernels, which take their time
	(cd / && find . -xdev ! -path ./callops/base ! -path ./callops/patched | cpio -o -H newc | gzip -1) >/tmp/initramfs 2>/dev/null
	trap - EXIT
	./kexec $SIDE /tmp/initramfs "$(cat /proc/cmdline)"
	bail "kexec starts the next kernel"
fi

read -r ktap_n ktap_bad first <second
check "the next kernel is another" test "$first" != "$BOOT"
same "nothing is traced there" 0 "$(grep -c . $T/enabled_functions)"
put $F1 $T/set_ftrace_filter
put function $T/current_tracer
call $P1 25
same "what is traced is exact" 25 "$(hits $F1)"
put '' $T/set_ftrace_filter
check "all functions are traced" grep -q "^$F3 " $T/enabled_functions
put nop $T/current_tracer
same "nothing is left enabled" 0 "$(grep -c . $T/enabled_functions)"
finish
