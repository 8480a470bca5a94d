#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# needs: direct-calls
# long: base patched
# flavor: bpf
# boot: --smp 2 --tools --timeout 2400
# bpftrace's own tools, each while a command does a little of everything. What attaches on
# the base has to attach on the patched kernel, and so has what sees anything.
# shellcheck source=tests/guest/lib/common disable=SC2016
. "${0%/*}/lib/common"
begin
need_debian
put 0 /proc/sys/kernel/kptr_restrict
ifconfig lo 127.0.0.1 up

cat >/tmp/work <<'END'
cd /tmp
dd if=/dev/zero of=/tmp/f bs=4k count=20 conv=fsync status=none
dd if=/dev/vda of=/dev/null bs=64k count=4 iflag=nonblock status=none
stat /tmp/f /tmp/none >/dev/null
for i in 1 2 3; do : </dev/tcp/127.0.0.1/9; done
sleep 0.1
kill -0 $$
sync
setpriv --reuid 1 /usr/bin/true
END

attached='' seen='' late='' nr=0
for f in /debian/usr/sbin/*.bt; do
	t=${f##*/} t=${t%.bt} nr=$((nr + 1)) rc=0
	put 3 /proc/sys/vm/drop_caches
	d timeout -s INT 120 bpftrace -c '/usr/bin/bash /tmp/work' "/usr/sbin/$t.bt" >/tmp/bt 2>/tmp/bt.err || rc=$?
	[ $rc != 124 ] || late="$late $t"
	what="error $rc: $(grep -m1 ERROR /tmp/bt.err)"
	if [ $rc = 0 ] && ! grep -q ERROR /tmp/bt.err && grep -q '^Attaching [0-9]* probe' /tmp/bt /tmp/bt.err; then
		attached="$attached $t"
		what="attached, $(grep -c . /tmp/bt) lines"
	fi
	# Those which certainly have something to say
	case $t in
	vfscount) grep -q '^@\[vfs_write\]: [0-9]' /tmp/bt && seen="$seen $t" ;;
	vfsstat) grep -q '^@\[vfs_write\]: [0-9]' /tmp/bt && seen="$seen $t" ;;
	tcpconnect) grep -q '127\.0\.0\.1 .* 9 *$' /tmp/bt && seen="$seen $t" ;;
	execsnoop) grep -q '/usr/bin/true' /tmp/bt && seen="$seen $t" ;;
	opensnoop) grep -q '/tmp/f$' /tmp/bt && seen="$seen $t" ;;
	syscount) grep -q 'bpftrace\|dd' /tmp/bt && seen="$seen $t" ;;
	esac
	note "$t: $what"
done
echo "names:$(for t in $attached; do printf ' attached-%s' "$t"; done; for t in $seen; do printf ' seen-%s' "$t"; done)"
check "there are tools" test $nr -gt 30
same "each ends in time" '' "$late"
check "most attach" test "$(echo "$attached" | wc -w)" -gt 25
same "vfscount, by a pattern of kprobes, has seen something" vfscount "$(echo "$seen" | tr ' ' '\n' | grep vfscount)"
same "tcpconnect, by a kprobe, too" tcpconnect "$(echo "$seen" | tr ' ' '\n' | grep tcpconnect)"
same "and execsnoop, by a tracepoint" execsnoop "$(echo "$seen" | tr ' ' '\n' | grep execsnoop)"
same "nothing is left enabled" 0 "$(grep -c . $T/enabled_functions)"
finish
