#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# needs: debian-tools
# long: base patched
# flavor: bpf
# boot: --smp 2 --tools --timeout 1800
# bcc's tools, which compile their programs in the guest, and libbpf-tools. Each watches a
# function that a read of a file in /proc calls once; both kernels count the same.
# shellcheck source=tests/guest/lib/common disable=SC2016
. "${0%/*}/lib/common"
begin
need_debian
need_functions
need_file /sys/kernel/kheaders.tar.xz

# attached TOOL: it has a probe; one in Python prints a line when it has them all
attached() {
	grep -qs "$F1" /sys/kernel/debug/kprobes/list $T/enabled_functions &&
		{ [ "$1" = "${1%-bpfcc}" ] || [ -s /tmp/said ]; }
}

# watch COMMAND...: what it prints, in /tmp/said, of 100 reads that it sees
watch() {
	# A shell's background jobs ignore it otherwise.
	d /usr/bin/env --default-signal=INT PYTHONUNBUFFERED=1 "$@" >/tmp/said 2>/tmp/said.err &
	watch_pid=$! watch_i=0
	while ! attached "$1" && [ $watch_i -lt 150 ] && ! grep -q "^State:.Z" /proc/$watch_pid/status; do
		sleep 1
		watch_i=$((watch_i + 1))
	done
	sleep 2
	call $P1 100
	sleep 1
	d /usr/bin/pkill -INT -f "^(/usr/bin/python3 )?$1"
	wait $watch_pid
	note "$*: attached after $watch_i s, status $?"
}
# said: the end of it, but for what tar says of the headers
said() { { grep -v '^tar:' /tmp/said.err | tail -n 5; tail -n 15 /tmp/said; } | sed 's/^/# /'; }
# sees WHAT PATTERN: a line of it does
sees() { check "$1" grep -qE "$2" /tmp/said || said; }

watch /usr/sbin/funccount-bpfcc "${F1%show}*"
sees "funccount, by a pattern" "$F1 +100$"
watch /usr/sbin/trace-bpfcc -M 100 "r::$F1 \"%d\", retval"
same "trace, at the return" 100 "$(grep -c "$F1 *0\$" /tmp/said)" || said
watch /usr/sbin/funclatency-bpfcc $F1
sees "funclatency, by a kprobe and a kretprobe" "count: 100$"
watch /usr/sbin/stackcount-bpfcc $F1
sees "stackcount: the function" "^ +$F1\$"
if [ "$SIDE-$(uname -m)" != base-riscv64 ]; then
	sees "who called it" '^ +vfs_read$'
	sees "all calls, in one backtrace" '^ +100$'
else	# which by chance takes the registers for those of user space, see clients.sh
	same "all calls" 100 "$(awk '/^ +[0-9]+$/ { n += $1 } END { print n }' /tmp/said)" || said
fi
if [ "$(uname -m)" != riscv64 ]; then	# where Debian has no libbpf-tools
	watch /usr/sbin/funclatency-libbpf $F1
	sees "libbpf's funclatency" '^ +[0-9]+ -> [0-9]+ +: [1-9]'
	d timeout 100 /usr/sbin/vfsstat-libbpf 1 3 >/tmp/said 2>/tmp/said.err &
	call $P1 1000
	wait $! || :
	check "libbpf's vfsstat sees reads" awk '/^[0-9]/ && $2 > 0 { ok = 1 } END { exit !ok }' /tmp/said || said
fi
same "nothing is left enabled" 0 "$(grep -c . $T/enabled_functions)"
finish
