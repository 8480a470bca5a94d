#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# bin/verdict against golden cases: verdict/NAME.{console,verdict,want}.
. "$(dirname "$0")/lib.sh"
cd "$REAL/tests/tools/verdict" || exit 1
for w in *.want; do
	n=${w%.want}
	get() { sed -n "s/^$1 //p" "$w"; }
	read -ra opt < <(get option) || :
	rc=0
	out=$("$REAL/bin/verdict" "$n.console" "$n.verdict" "$(get qemu)" "${opt[@]}" 2>&1) || rc=$?
	same "$n" "$(get exit): $(get says)" "$rc: $out"
done
rc=0; "$REAL/bin/verdict" >/dev/null 2>&1 || rc=$?
same "a wrong usage" 64 "$rc"
rc=0; "$REAL/bin/verdict" /nonexistent /nonexistent 0 >"$T/log" 2>&1 || rc=$?
same "no console" "69: 1" "$rc: $(grep -c . "$T/log")"
