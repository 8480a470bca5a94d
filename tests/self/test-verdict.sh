#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# bin/verdict against golden cases: verdict/NAME.{console,verdict,want}.
. "$(dirname "$0")/lib.sh"
cd "$REAL/tests/self/verdict" || exit 1
for w in *.want; do
	n=${w%.want}
	get() { sed -n "s/^$1 //p" "$w"; }
	read -ra opt < <(get option) || :
	rc=0
	out=$("$REAL/bin/verdict" "$n.console" "$n.verdict" "$(get qemu)" "${opt[@]}" 2>&1) || rc=$?
	same "$n" "$(get exit): $(get says)" "$rc: $out"
done
# What else a kernel may say of itself, in front of a success
echo 'status 0 done' >"$T/verdict"
while IFS= read -r line; do
	printf '[    1.500000] %s\n' 'Run /init as init process' "$line" >"$T/console"
	rc=0
	out=$("$REAL/bin/verdict" "$T/console" "$T/verdict" 0) || rc=$?
	same "\"$line\"" "68: callops: kernel splat: $line" "$rc: $out"
done <<'END'
UBSAN: array-index-out-of-bounds in kernel/x.c:1:2
refcount_t: underflow; use-after-free.
list_add corruption. next->prev should be prev (x), but was y. (next=z).
BUG: Bad page state in process sh  pfn:12345
BUG: workqueue lockup - pool cpus=0 node=0 flags=0x0 nice=0 stuck for 31s!
watchdog: BUG: soft lockup - CPU#0 stuck for 22s! [sh:1]
INFO: task sh:1 blocked for more than 120 seconds.
rcu: INFO: rcu_sched detected stalls on CPUs/tasks:
kprobes: Failed to populate blacklist (error -22), kprobes not restricted, be careful using them!
ftrace: failed to allocate entries for functions
ODEBUG: free active (active state 0) object type: work_struct
Unhandled fault at 0xffff800008000000
END
rc=0; "$REAL/bin/verdict" >/dev/null 2>&1 || rc=$?
same "a wrong usage" 64 "$rc"
rc=0; "$REAL/bin/verdict" /nonexistent /nonexistent 0 >"$T/log" 2>&1 || rc=$?
same "no console" "69: 1" "$rc: $(grep -c . "$T/log")"
