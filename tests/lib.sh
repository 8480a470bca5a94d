# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Sourced by tests/all and tests/configs: several parts, and the sum of them.
sum_pass=0 sum_fail=0 sum_skip=0

# part NAME COMMAND...: run it, show what it says but for its last line, which is
# "N passed, N failed, N skipped", and add that.
part() {
	local name=$1 log=$BUILD/tests/part.$BASHPID.log rc
	shift
	mkdirs "$BUILD/tests"
	{ rc=0; "$@" || rc=$?; echo "$rc" >"$log.rc"; } </dev/null 2>&1 | tee "$log" | sed -u '$d'
	rc=$(cat "$log.rc")
	if [[ $(tail -n 1 "$log") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed,\ ([0-9]+)\ skipped$ ]]; then
		sum_pass=$((sum_pass + BASH_REMATCH[1]))
		sum_fail=$((sum_fail + BASH_REMATCH[2]))
		sum_skip=$((sum_skip + BASH_REMATCH[3]))
		if [ "$rc" != 0 ] && [ "${BASH_REMATCH[2]}" = 0 ]; then
			echo "not ok - $name: exit status $rc"
			sum_fail=$((sum_fail + 1))
		fi
	else
		tail -n 1 "$log"
		echo "not ok - $name gave no result"
		sum_fail=$((sum_fail + 1))
	fi
	rm -f "$log" "$log.rc"
}

sum() {
	echo "$sum_pass passed, $sum_fail failed, $sum_skip skipped"
	[ "$sum_fail" = 0 ] && [ "$sum_pass" -gt 0 ]
}
