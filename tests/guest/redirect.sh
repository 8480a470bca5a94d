#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# sides: base patched
# boot: --smp 2 --timeout 300
# A tracer that has all registers and sends the call to another function, as
# modules do that replace functions of the kernel: tests/guest-modules/redirect.
# shellcheck source=tests/guest/lib/common disable=SC2086
. "${0%/*}/lib/common"
begin
need_module callops_redirect
run() { module_checks redirect "$1" 10; }

run "alone"
if grep -qw function_graph $T/available_tracers; then
	put $F1 $T/set_ftrace_filter
	check "function_graph is set elsewhere" put function_graph $T/current_tracer
	run "beside function_graph elsewhere"
	put nop $T/current_tracer
	# From the moment of loading on, on the replaced function itself; the other
	# filter is there because none that matches would be one for all functions.
	add 'redirect_old:mod:callops_redirect' $T/set_ftrace_filter
	put function $T/current_tracer
	clear_trace
	run "beside the function tracer on the function"
	# by now without a name, as the module is gone
	same "which saw it as often" 10 "$(grep -v '^#' $T/trace | grep -c ' <-')"
	put nop $T/current_tracer
	put '' $T/set_ftrace_filter
fi
beside function run "beside the function tracer on all functions"
same "nothing is left enabled" 0 "$(grep -c . $T/enabled_functions)"
finish
