#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# sides: base patched
# boot: --smp 2 --timeout 300
# Filters set and cleared by hand: a function, several, globs; notrace.
# shellcheck source=tests/guest/lib/common disable=SC2086
. "${0%/*}/lib/common"
begin
need_tracer function
need_functions

all() { call $P1 "$1"; call $P2 "$2"; call $P3 "$3"; }
counts() { echo "$(hits $F1) $(hits $F2) $(hits $F3)"; }
# traces WHAT HOW FILTER CALLS SAYS COUNTS: put or add the filter, call the three as often
traces() {
	clear_trace
	check "$1" "$2" "$3" $T/set_ftrace_filter
	all $4
	same "$5" "$6" "$(counts)"
}

check "a filter on one function" put $F1 $T/set_ftrace_filter
same "it is what the file shows" $F1 "$(cat $T/set_ftrace_filter)"
check "the function tracer starts" put function $T/current_tracer
all 25 5 3
same "25 calls of one function are 25 lines" "25 0 0" "$(counts)"
same "nothing else was traced" 0 "$(others $T $F1)"

traces "a second function is added under way" add $F2 "7 11 3" "both are traced" "7 11 0"
traces "the first is taken out again" add "!$F1" "7 13 3" "only the second is traced" "0 13 0"
traces "another filter replaces it" put $F3 "2 2 17" "only the third is traced" "0 0 17"
traces "a glob at the end" put "${F1%_show}*" "4 4 4" "it matches its function" "4 0 0"
traces "a glob at the start" put "*${F2#up}" "4 6 4" "it matches its function" "0 6 0"
traces "a glob on both sides" put '*_proc_sho*' "3 4 5" "it matches all three" "3 4 5"
traces "a glob in the middle" put 'l*_proc_show' "3 4 9" "it matches its function" "0 0 9"
# (An update of four callsites or fewer looks at these only.)
three="$F1 $F2 $F3 vfs_mkdir vfs_rmdir vfs_link"
traces "six functions, with all three" put "$three" "3 4 5" "the three are traced" "3 4 5"
traces "six others replace them" put "vfs_symlink vfs_mknod vfs_unlink vfs_rename vfs_create vfs_readlink" "3 4 5" "none of the three is traced" "0 0 0"
traces "and the first six those" put "$three" "5 4 3" "the three are traced again" "5 4 3"

clear_trace
check "all three by a glob, and notrace on one" put '*_proc_show' $T/set_ftrace_filter
check "notrace is set" put $F2 $T/set_ftrace_notrace
same "it is what the file shows" $F2 "$(cat $T/set_ftrace_notrace)"
all 8 9 10
same "the one is left out" "8 0 10" "$(counts)"

clear_trace
check "notrace by a glob" put '*avg_proc*' $T/set_ftrace_notrace
all 8 9 10
same "it leaves out what it matches" "8 9 0" "$(counts)"

clear_trace
check "notrace is cleared" put '' $T/set_ftrace_notrace
all 2 3 4
same "all are traced again" "2 3 4" "$(counts)"

refused "a function that is not there" put no_such_function_here $T/set_ftrace_filter

clear_trace
put nop $T/current_tracer
all 5 5 5
same "without a tracer nothing is traced" "0 0 0" "$(counts)"

check "the filter is cleared" put '' $T/set_ftrace_filter
clear_trace
check "the tracer of all functions starts" put function $T/current_tracer
all 3 4 5
put 0 $T/tracing_on
same "the three are traced" "3 4 5" "$(counts)"
check "and the function that calls them" test "$(hits vfs_read)" -ge 12
put nop $T/current_tracer
put 1 $T/tracing_on
for i in 1 2 3 4 5; do
	put '*' $T/set_ftrace_filter
	put function $T/current_tracer
	put nop $T/current_tracer
	put '' $T/set_ftrace_filter
done
same "on and off with every function leaves nothing behind" 0 "$(grep -c . $T/enabled_functions)"
finish
