#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# sides: base patched
# boot: --icount --timeout 300
# The sample module: what it counts, what it says, what it refuses, how it ends.
# shellcheck source=tests/guest/lib/common disable=SC2086
. "${0%/*}/lib/common"
begin
need_module ftrace-ops
KO=$(module ftrace-ops)

# try PARAMETER...: insmod's exit status, which in busybox is the errno
try() { dmesg_clear; insmod "$KO" "$@" 2>/dev/null; }
status() { try "$@"; echo $?; }
said() { dmesg | grep -q "ftrace_ops: $1"; }

for row in 0/0 0/1 0/100 1/0 1/1 1/10 1/100 2/0 2/100 10/0 100/0; do
	for flag in '' save_regs=1 assist_recursion=1 assist_rcu=1 \
		mixed=1 'assist_recursion=1 assist_rcu=1' 'save_regs=1 assist_recursion=1 assist_rcu=1'; do
		what="$row${flag:+ $flag}"
		# shellcheck disable=SC2086
		if ! try nr_function_calls=1000 nr_ops_relevant="${row%/*}" \
			nr_ops_irrelevant="${row#*/}" check_count=1 persist=1 $flag; then
			not_ok "check_count, $what"
			dmesg | sed 's/^/# /'
			continue
		fi
		check "check_count, $what" said 'check_count: ok'
		unload ftrace_ops || not_ok "unload, $what"
	done
done

same "success without persist is an errno of its own" 11 \
	"$(status nr_function_calls=100 check_count=1)"
check "and says so" said 'measured, not kept'
check "in a line for machines" said 'relevant=1 irrelevant=0 calls=100 ns=[0-9]* per_call=[0-9]* flags=none$'
check "and the module is gone" test ! -d /sys/module/ftrace_ops
same "as are its ops" 0 "$(grep -c '\[ftrace_ops\]' $T/enabled_functions)"

check "flags are named" try nr_function_calls=10 save_regs=1 assist_rcu=1 persist=1
check "in the line" said '.* flags=save_regs,assist_rcu$'
unload ftrace_ops

same "no calls are refused" 22 "$(status nr_function_calls=0)"
check "by name" said 'nr_function_calls=0 refused'
same "too many calls are" 22 "$(status nr_function_calls=100000001)"
check "by name" said 'nr_function_calls=100000001 refused'
same "too many relevant ops are" 22 "$(status nr_ops_relevant=1001)"
check "by name" said 'nr_ops_relevant=1001 refused'
same "too many irrelevant ops are" 22 "$(status nr_ops_irrelevant=4294967295)"
check "by name" said 'nr_ops_irrelevant=4294967295 refused'
same "a negative number is" 22 "$(status nr_ops_relevant=-1)"
same "one that does not fit is" 34 "$(status nr_ops_relevant=4294967296)"
same "what is no number is" 22 "$(status nr_function_calls=many)"
check "nothing of it is left" test ! -d /sys/module/ftrace_ops

# With ftrace off no ops is called, so the check has to fail, and to clean up.
put 0 /proc/sys/kernel/ftrace_enabled
same "a count that is wrong is an errno of its own" 5 \
	"$(status nr_function_calls=100 nr_ops_relevant=3 check_count=1 persist=1)"
check "and says so" said 'check_count: FAILED: relevant ops 0 of 3 called 0 times, expected 100'
provoked=$(dmesg | grep -c 'check_count: FAILED')	# insmod tries twice
put 1 /proc/sys/kernel/ftrace_enabled
check "the module is gone" test ! -d /sys/module/ftrace_ops

same "the largest set" 11 "$(status nr_function_calls=10 nr_ops_relevant=1000 check_count=1)"
check "is counted, too" said 'check_count: ok'

same "nothing is left enabled" 0 "$(grep -c . $T/enabled_functions)"
finish
