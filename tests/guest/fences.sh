#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# sides: patched
# boot: --smp 2 --timeout 60
# riscv: each hart is made to execute a fence.i when it has to, and no more often. QEMU's
# TCG does not need them: this only shows that they are there. arm64: a page is mapped, to
# be written, no more often than it has to be.
# shellcheck source=tests/guest/lib/common disable=SC2086
. "${0%/*}/lib/common"
begin
need_module callops_fences
need_module callops_target
need_tracer function
check "they can be counted" load callops_fences || finish
# of COMMAND...: how many it takes
of() {
	of_n=$(cat /sys/module/callops_fences/parameters/fences)
	"$@" || not_ok "$*"
	echo $(($(cat /sys/module/callops_fences/parameters/fences) - of_n))
}

if [ "$(uname -m)" = aarch64 ]; then
	# Each page (of 4 KB) of text, and literals that are in the page before that of their callsite;
	# callsites are on boundaries of 8 bytes, so that is one of 512.
	set -- $(sed -n 's/^\([0-9a-f]*\) . _\(stext\|etext\)$/0x\1/p' /proc/kallsyms)
	pages=$((($2 - $1) / 4096 + 1)) n=$(wc -l <$T/available_filter_functions)
	most=$((pages + n / 256))
	put 1 $T/events/task/task_rename/enable	# or the tracer would change static calls, too
	put $F1 $T/set_ftrace_filter
	now=$(of put function $T/current_tracer)
	check "one for an update of one function, or two" test "$now" = 1 -o "$now" = 2
	put nop $T/current_tracer
	put '' $T/set_ftrace_filter
	put 0 $T/tracing_on
	for tracer in function nop; do
		now=$(of put $tracer $T/current_tracer)
		check "$now for all $n functions, $most at most: $tracer" test "$now" -ge $((pages / 4)) -a "$now" -le $most
	done
	check "the count ends" unload callops_fences
	finish
fi

put $F1 $T/set_ftrace_filter
same "one for an update of one function" 1 "$(of put function $T/current_tracer)"
same "one for the reverse" 1 "$(of put nop $T/current_tracer)"
put '' $T/set_ftrace_filter
put 0 $T/tracing_on
same "one for an update of all functions" 1 "$(of put function $T/current_tracer)"
same "one for the reverse" 1 "$(of put nop $T/current_tracer)"
# The two parts of the module's text as they were loaded, and its sites
same "three for a module" 3 "$(of load callops_target)"
unload callops_target
put function $T/current_tracer
same "and one more if it is traced from the start" 4 "$(of load callops_target)"
put nop $T/current_tracer
check "the count ends" unload callops_fences
finish
