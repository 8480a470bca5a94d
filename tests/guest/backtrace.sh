#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# sides: base patched
# boot: --smp 2 --timeout 300
# Backtraces through a traced function have it and its callers:
# tests/guest-modules/backtrace, and the tracer's own option.
# shellcheck source=tests/guest/lib/common disable=SC2086
. "${0%/*}/lib/common"
begin
case $SIDE-$(uname -m) in
base-riscv64) skip "the base's trampolines lose the traced function and its caller" ;;
esac
need_module callops_backtrace
need_tracer function
run() { module_checks backtrace "$1" 4; }

run "alone"
# (without the first filter, all functions are traced until the module is there)
put $F1 $T/set_ftrace_filter
add 'backtrace_tracee:mod:callops_backtrace' $T/set_ftrace_filter
beside function run "beside the function tracer on the function"
if grep -qw function_graph $T/available_tracers; then
	put $F1 $T/set_ftrace_filter
	add 'backtrace_*:mod:callops_backtrace' $T/set_ftrace_filter
	beside function_graph run "with the functions' returns traced by function_graph"
fi
put '' $T/set_ftrace_filter

put $F1 $T/set_ftrace_filter
put function $T/current_tracer
if [ -f $T/options/func_stack_trace ]; then
	put 1 $T/options/func_stack_trace
	clear_trace
	call $P1 1
	# the function, what called it, and the system call it all began with
	stack=$(sed -n 's/^ => \([a-z0-9_.]*\).*/\1/p' $T/trace | tr '\n' ' ')
	note "$stack"
	check "func_stack_trace has the function" sh -c "case ' $stack' in *' $F1 '*) ;; *) false ;; esac"
	check "its caller" sh -c "case ' $stack' in *' $F1 seq_read_iter '*) ;; *) false ;; esac"
	check "and the system call" sh -c "case ' $stack' in *sys_read*) ;; *) false ;; esac"
	put 0 $T/options/func_stack_trace
fi
finish
