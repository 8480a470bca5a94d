#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# needs: direct-calls
# sides: patched
# boot: --smp 2 --timeout 300
# A module's init text out of the reach of a branch from its other text: tracers of
# each kind on a function there, tests/guest-modules/init. The base writes a BRK, and
# oopses when it is run.
# A module that is larger than the window of 128 MB for modules leaves no room in it
# but a hole that the text fits in, and the init text does not.
# shellcheck source=tests/guest/lib/common disable=SC2086
. "${0%/*}/lib/common"
begin
need_tracer function
need_module callops_init
need_module callops_fill

run() {
	dmesg_clear
	check "$1: the module's checks passed" load callops_init
	lines init | sed 's/^/# /'
	same "$1: none failed" 0 "$(lines init | grep -c 'not ok')"
	same "$1: all were made" "$kinds" "$(lines init | grep -c '^ok - ')"
	# A module that fails is tried twice.
	distance=$(lines init | sed -n 's/^distance //p' | head -n 1)
	[ ! -d /sys/module/callops_init ] || unload callops_init
}
kinds=3
! grep -q ' register_ftrace_direct_multi$' /proc/kallsyms || kinds=4

run "near"
check "the init text is in reach" test ${distance#-} -lt $((128 << 20))

check "modules are loaded" load callops_target
load callops_backtrace || not_ok "one more is"
check "a large one is" load callops_fill
unload callops_backtrace
unload callops_target
run "far"
if [ ${distance#-} -lt $((128 << 20)) ]; then
	unload callops_fill
	again "the init text came to lie in reach"
fi

# From outside, from its first call on. The other filter is there because none that
# matches would be one for all functions.
put $F1 $T/set_ftrace_filter
add 'init_tracee:mod:callops_init' $T/set_ftrace_filter
put function $T/current_tracer
clear_trace
run "far, and traced"
# by now without a name, as the module is gone
same "each call is seen" $((10 * kinds)) "$(grep -v '^#' $T/trace | grep -c ' <-')"
put nop $T/current_tracer
put '' $T/set_ftrace_filter
put function $T/current_tracer
put 0 $T/tracing_on
run "far, and all functions traced"
put 1 $T/tracing_on
put nop $T/current_tracer
unload callops_fill
same "nothing is left enabled" 0 "$(grep -c . $T/enabled_functions)"
finish
