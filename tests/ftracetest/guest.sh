#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# In the guest: run the kernel's ftrace selftests and print KTAP.
# Usage: guest.sh startup		what the kernel tests at boot, and test modules
#        guest.sh ftracetest ['PATTERN']	all of test.d, or those whose name is like that
#
# The plan comes first, so that a run that was cut short shows. What is neither
# passed nor failed is "ok ... # SKIP" with ftracetest's word for it. The logs of
# those that did not pass are left in /out.
startup() {
	dmesg >/tmp/dmesg
	# "Testing WHAT: PASSED", or OK; the verdict may come some lines later. Of events
	# only those that fail: the tests of their systems have all of them.
	sed 's/^\[[ 0-9.]*\] *//' /tmp/dmesg | awk '
		function verdict(v) {
			if (v == "ok" && what ~ /^event / && what !~ /^event system /) v = ""
			gsub(/#/, "", what)	# which begins a directive in KTAP
			if (v) print v " - boot: " what
			what = ""
		}
		/Testing [^:]*:/ {
			if (what) verdict("not ok")
			match($0, /Testing [^:]*:/)
			what = substr($0, RSTART + 8, RLENGTH - 9)
			$0 = substr($0, RSTART + RLENGTH)
		}
		what && /PASSED|OK/ { verdict("ok") }
		what && /FAILED|[Ff]ailed/ { verdict("not ok") }
		END { if (what) verdict("not ok") }' >/tmp/tap
	for f in /sys/kernel/debug/kunit/*/results; do
		[ -f "$f" ] || continue
		n=${f#/sys/kernel/debug/kunit/} n=${n%/results}
		sed -n "s/^    \(ok\|not ok\) [0-9]* \(- \)*/\1 - kunit $n: /p" "$f" >>/tmp/tap
	done
	modprobe test_static_key_base
	for m in test_static_keys synth_event_gen_test kprobe_event_gen_test; do
		if modprobe "$m" && rmmod "$m"; then echo "ok - module $m"; else echo "not ok - module $m"; fi >>/tmp/tap
	done
	echo "KTAP version 1"
	echo "1..$(grep -c . /tmp/tap)"
	awk '{ sub(/ok/, "ok " NR); print }' /tmp/tap
	cp /tmp/dmesg /out/
}

ftracetest() {
	ifconfig lo 127.0.0.1 up	# which is pinged
	cp -r ftrace /tmp/ftrace
	cd /tmp/ftrace || exit
	tests=$(find test.d -name "${1:-*.tc}" | sort | tr '\n' ' ')
	# As ftracetest numbers them: all, and then those that are for instances, too
	# shellcheck disable=SC2086
	{ printf '%s\n' $tests; grep -l '^# *flags:.*instance' $tests | sed 's/$/ (instance)/'; } >/tmp/list
	echo "KTAP version 1"
	echo "1..$(grep -c . /tmp/list)"
	set --
	[ ! -x /debian/usr/bin/bash ] || set -- chroot /debian
	"$@" sh -c "cd /tmp/ftrace && exec ./ftracetest -k -l /tmp/logs $tests" 2>&1 | awk '
		BEGIN { while ((getline l <"/tmp/list") > 0) name[++n] = l }
		/^\[[0-9]+\].*\[[A-Z]+\]$/ {
			i = $0; sub(/^\[/, "", i); sub(/\].*/, "", i)
			v = $0; sub(/.*\[/, "", v); sub(/\]$/, "", v)
			if (v == "PASS") print "ok " i " - " name[i]
			else if (v == "FAIL" || v == "UNDEFINED") print "not ok " i " - " name[i]
			else print "ok " i " - " name[i] " # SKIP " v
			if (v != "PASS") print i >"/tmp/bad"
			fflush()
			next
		}
		{ print "# " $0 }'
	[ ! -f /tmp/bad ] || while read -r i; do cp "/tmp/logs/$i-"* /out/; done </tmp/bad
}
"$@"
