#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# sides: patched
# boot: --icount --timeout 300
# enabled_functions says which ops serves a callsite: " O" among the flags and
# "<tab>ops: <ops> (<function>)" where there is one, and "<tab>set: " with as many of
# these as there are, where there are more.
# shellcheck source=tests/guest/lib/common disable=SC2086
. "${0%/*}/lib/common"
begin
need_tracer function
need_function $F1
A=$T/instances/a
tab=$(printf '\t')

line() { grep "^$1\( \[[^]]*\]\)\{0,1\} (" $T/enabled_functions; }
flags() { line "$1" | sed "s/^[^(]*([0-9]*)//; s/$tab.*//"; }
served() {
	case $(flags "$1") in *" O"*) ;; *) line "$1"; return 1 ;; esac
	line "$1" | grep -Eq "${tab}ops: [^ ]+( \[[^]]*\])? \(${2:-[^()]+}( \[[^]]*\])?\)\$" || { line "$1"; return 1; }
}
not_served() {
	[ -n "$(line "$1")" ] || return 1
	case $(flags "$1") in *" O"*) line "$1"; return 1 ;; esac
	! line "$1" | grep "${tab}ops:" || return 1
	not_served_n=$(line "$1" | sed 's/^[^(]*(\([0-9]*\)).*/\1/')
	line "$1" | sed "s/.*${tab}set: //" | awk -F', ' -v n="$not_served_n" 'NF != n { print; exit 1 }'
}

put $F1 $T/set_ftrace_filter
put function $T/current_tracer
line $F1 | sed 's/^/# /'
check "one ops serves its callsite" served $F1 'function_[a-z_]*\+0x[0-9a-f]+/0x[0-9a-f]+'
check "by its name" sh -c "grep -q '${tab}ops: global_ops+0x0/' $T/enabled_functions"
same "and no other function is there" 1 "$(grep -c . $T/enabled_functions)"

mkdir $A
put $F1 $A/set_ftrace_filter
put function $A/current_tracer
same "a second ops" 1 "$(line $F1 | grep -c '(2)')"
check "and there is no longer one that serves it" not_served $F1
call $P1 5
same "both trace" "5 5" "$(hits $F1) $(hits $F1 $A)"
put nop $T/current_tracer
check "the first leaves, the second serves it" served $F1
same "alone" 1 "$(line $F1 | grep -c '(1)')"
clear_trace
clear_trace $A
call $P1 6
same "and traces" "0 6" "$(hits $F1) $(hits $F1 $A)"
put function $T/current_tracer
check "the first comes back" not_served $F1
put nop $A/current_tracer
check "the second leaves, the first serves it" served $F1
rmdir $A

put $F1 $T/set_ftrace_filter
put $$ $T/set_ftrace_pid
check "filtered by task, it does by another function" served $F1 'ftrace_pid_func\+0x[0-9a-f]+/0x[0-9a-f]+'
line $F1 | sed 's/^/# /'
put '' $T/set_ftrace_pid
check "and no longer" served $F1 'function_trace_call\+0x[0-9a-f]+/0x[0-9a-f]+'
put nop $T/current_tracer

if grep -qw function_graph $T/available_tracers; then
	put function_graph $T/current_tracer
	line $F1 | sed 's/^/# /'
	check "function_graph serves it" served $F1
	put nop $T/current_tracer
fi
if [ -f $T/function_profile_enabled ]; then
	put 1 $T/function_profile_enabled
	check "the profiler serves it" served $F1
	put 0 $T/function_profile_enabled
fi

if module ftrace-ops >/dev/null; then
	for row in '1 0' '1 100'; do
		for flag in '' save_regs=1 assist_recursion=1 assist_rcu=1; do
			# shellcheck disable=SC2086
			load ftrace-ops nr_function_calls=10 persist=1 $flag \
				nr_ops_relevant="${row% *}" nr_ops_irrelevant="${row#* }"
			check "the sample's ops serves its tracee, $row $flag" served tracee_relevant
			case $flag in
			save_regs*) check "with registers" sh -c "grep -q '^tracee_relevant .* R' $T/enabled_functions" ;;
			esac
			[ "${row#* }" != 100 ] ||
				check "a hundred do not serve theirs" not_served tracee_irrelevant
			unload ftrace_ops
		done
	done
	load ftrace-ops nr_function_calls=10 persist=1
	line tracee_relevant | sed 's/^/# /'
	check "by the name of its function" served tracee_relevant 'tracer_nop\+0x[0-9a-f]+/0x[0-9a-f]+'
	put 'tracee_relevant' $T/set_ftrace_filter
	put function $T/current_tracer
	check "the function tracer beside it" not_served tracee_relevant
	put nop $T/current_tracer
	check "and away again" served tracee_relevant
	unload ftrace_ops
	load ftrace-ops nr_function_calls=10 persist=1 nr_ops_relevant=2
	check "two do not serve theirs" not_served tracee_relevant
	unload ftrace_ops
fi

put '' $T/set_ftrace_filter
put function $T/current_tracer
same "with all functions traced by one, each is served by it" "$(grep -c . $T/available_filter_functions) 0" \
	"$(grep -c "${tab}ops: global_ops" $T/enabled_functions) $(grep -vc "${tab}ops: global_ops" $T/enabled_functions)"
same "and there is no error" 0 "$(grep -c ERROR $T/enabled_functions)"
put nop $T/current_tracer
same "nothing is left enabled" 0 "$(grep -c . $T/enabled_functions)"
finish
