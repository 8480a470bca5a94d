#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# sides: named
# boot: --smp 4 --timeout 600
# For tests/debian boot: a distribution's own modules come, work and go, traced.
# shellcheck source=tests/guest/lib/common disable=SC2086
. "${0%/*}/lib/common"
begin
need_tracer function_graph
need_file $T/kprobe_events
functions() { grep -c . $T/available_filter_functions; }
MODULES='loop ext4 overlay dummy nf_tables xfs'
NEEDED='jbd2 mbcache crc16 nfnetlink libcrc32c crc32c_generic'	# by those
for m in $MODULES $NEEDED; do need_module $m; done

of() { grep -c "\[$1\]\( \|\$\)" $T/$2; }
each() { for m in $MODULES; do of $m $1; done | xargs; }

# work DIRECTORY: in each of them but the last two, which have nothing to work on here
work() {
	mkdir -p $1/ext4 $1/both $1/upper $1/work &&
	dd if=/dev/zero of=$1/image bs=1M count=8 2>/dev/null &&
	mke2fs -F $1/image >/dev/null 2>&1 &&
	losetup /dev/loop0 $1/image &&
	mount -t ext4 /dev/loop0 $1/ext4 &&
	cp /bin/busybox $1/ext4/ &&
	mount -t overlay -o lowerdir=$1/ext4,upperdir=$1/upper,workdir=$1/work none $1/both &&
	cp $1/both/busybox $1/both/copy &&
	cmp $1/both/copy /bin/busybox &&
	umount $1/both &&
	umount $1/ext4 &&
	losetup -d /dev/loop0 &&
	ip link add callops0 type dummy &&
	ip link del callops0
}

put 0 $T/tracing_on
before=$(functions)
check "all functions are traced" put function $T/current_tracer
modprobe crc32c_generic		# the kernel cannot ask for it here
for m in $MODULES; do
	check "$m loads while all functions are traced" modprobe $m
	same "all of its functions are traced" "$(of $m available_filter_functions)" "$(of $m enabled_functions)"
	check "and there are some" test "$(of $m enabled_functions)" -gt 0
done
check "they work while all functions are traced" work /tmp/1
check "function_graph traces all of them" put function_graph $T/current_tracer
same "as many" "$(each available_filter_functions)" "$(each enabled_functions)"
check "they work with it" work /tmp/2
put nop $T/current_tracer
same "nothing of them is left enabled" "0 0 0 0 0 0" "$(each enabled_functions)"

put 1 $T/tracing_on
put "ext4_fill_super ovl_fill_super dummy_setup" $T/set_ftrace_filter
put function $T/current_tracer
clear_trace
check "they work with a function each traced" work /tmp/3
same "each was called once" "1 1 1" "$(hits ext4_fill_super) $(hits ovl_fill_super) $(hits dummy_setup)"

add 'p:entry ext4_fill_super' $T/kprobe_events
add 'r:return ext4_fill_super' $T/kprobe_events
put 1 $T/events/kprobes/enable
clear_trace
check "they work with kprobes beside the tracer" work /tmp/4
same "the call was seen by the kprobe, the kretprobe and the tracer" "1 1 1" \
	"$(kprobe_hits entry) $(kprobe_hits return) $(hits ext4_fill_super)"
put 0 $T/events/kprobes/enable
put '' $T/kprobe_events

put 0 $T/tracing_on
check "all functions are traced again" put '' $T/set_ftrace_filter
same "all of the modules'" "$(each available_filter_functions)" "$(each enabled_functions)"
gone=$NEEDED
for m in $MODULES; do gone="$m $gone"; done
for m in $gone; do check "$m is unloaded while they are" rmmod $m; done
same "nothing of them is left" "$before" "$(functions)"
finish
