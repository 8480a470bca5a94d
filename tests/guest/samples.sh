#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# needs: direct-calls
# sides: patched
# boot: --smp 2 --timeout 300
# The kernel's samples of direct calls, one after the other: what each of them prints for
# the functions that it is on, and nothing is left.
# shellcheck source=tests/guest/lib/common
. "${0%/*}/lib/common"
begin
E=$T/enabled_functions
put 0 /proc/sys/kernel/kptr_restrict

# page FUNCTION: its address, but for the last three digits
page() { awk -v f="$1" '$3 == f { page = substr($1, 1, 13) } END { print page ? page : "of " f }' /proc/kallsyms; }

# sample MODULE SECONDS REGEX...: in SECONDS it prints each of these
sample() {
	clear_trace
	check "$1 is loaded" load "$1"
	sleep "$2"
	name=$1
	shift 2
	for re; do check "$name: $re" grep -q "$re" $T/trace; done
	unload "$name"
	same "$name: nothing is left" 0 "$(grep -c . $E)"
}
sample ftrace-direct 1 'waking up [^ ][^ ]*-[0-9]'
sample ftrace-direct-too 1 'handle mm fault vma=[^ ]\+ address=[0-9a-f]\+ flags=[0-9a-f]\+ regs=[^ ]'
sample ftrace-direct-multi 1 "ip $(page schedule)" "ip $(page wake_up_process)"
# These go from one function to the other after two seconds, and back
sample ftrace-direct-modify 5 'my direct func1' 'my direct func2'
sample ftrace-direct-multi-modify 5 'my direct func1 ip ' 'my direct func2 ip '
finish
