#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# sides: base patched
# boot: --smp 2 --timeout 300
# The function profiler counts what was called, alone and beside a tracer.
# shellcheck source=tests/guest/lib/common disable=SC2086
. "${0%/*}/lib/common"
begin
need_tracer function
need_function $F1
need_function $F2
need_file $T/function_profile_enabled

profiled() {
	cat $T/trace_stat/function* | awk -v f="$1" '$1 == f { n += $2 } END { print n + 0 }'
}

put "$F1 $F2" $T/set_ftrace_filter
check "the profiler starts" put 1 $T/function_profile_enabled
call $P1 25
call $P2 12
call $P3 3
put 0 $T/function_profile_enabled
same "it counted the first function's calls" 25 "$(profiled $F1)"
same "and the second's" 12 "$(profiled $F2)"
same "and no others" 0 "$(profiled $F3)"

put 1 $T/function_profile_enabled
mkdir $T/instances/a
put $F1 $T/instances/a/set_ftrace_filter
check "an instance beside it" put function $T/instances/a/current_tracer
call $P1 14
call $P2 15
same "the profiler counts" "14 15" "$(profiled $F1) $(profiled $F2)"
same "the instance traces" 14 "$(hits $F1 $T/instances/a)"
put 0 $T/function_profile_enabled
call $P1 6
same "the instance goes on without it" 20 "$(hits $F1 $T/instances/a)"
put nop $T/instances/a/current_tracer
rmdir $T/instances/a
finish
