#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# needs: kprobe-multi debian-tools
# short needs: direct-calls
# sides: patched
# long: base
# flavor: bpf
# files: tests/bpf/build
# boot: --smp 2 --tools --timeout 300
# long boot: --smp 2 --tools --timeout 300$([ "$ARCH" != arm64 ] || echo " --append nokaslr --cpu max,pauth-impdef=on")
# BPF's kprobe_multi, by libbpf and by bpftrace, which takes it for patterns where the
# kernel has it. On the base libbpf cannot attach, and bpftrace makes kprobes.
# shellcheck source=tests/guest/lib/common disable=SC2016
. "${0%/*}/lib/common"
begin
need_debian
put 0 /proc/sys/kernel/kptr_restrict

client -95 multi

# bt WHAT SCRIPT EXPECTED COMMAND...: what bpftrace prints, without blank lines
bt() {
	bt_what=$1 bt_script=$2 bt_expected=$3
	shift 3
	same "bpftrace $bt_what" "$bt_expected" "$(d bpftrace -q -e "$bt_script" -c "$*" 2>/tmp/bt.err | grep -v '^$')" ||
		sed 's/^/# /' /tmp/bt.err | head -n 5
}
DD='/usr/bin/dd if=/dev/zero of=/dev/null bs=1 count=1000 status=none'
bt 'kprobe of a pattern' 'kprobe:vfs_writ* /comm == "dd"/ { @[func] = count(); }' '@[vfs_write]: 1000' "$DD"
bt 'kretprobe of a pattern' 'kretprobe:vfs_writ* /comm == "dd"/ { @ = sum(retval); }' '@: 1000' "$DD"
bt 'both' 'kprobe:vfs_writ* /comm == "dd"/ { @a = count(); } kretprobe:vfs_writ* /comm == "dd"/ { @b = count(); }' \
	"$(printf '@a: 1000\n@b: 1000')" "$DD"
bt 'a pattern and a single kretprobe' 'kretprobe:vfs_writ* /comm == "dd"/ { @a = count(); } kretprobe:vfs_write /comm == "dd"/ { @b = count(); }' \
	"$(printf '@a: 1000\n@b: 1000')" "$DD"
cat >/debian/tmp/others <<END
perf stat -x, -o /tmp/stat -e ftrace:function --filter 'ip == vfs_write' -- $DD
trace-cmd record -q -o /tmp/t.dat -p function -l vfs_write -F $DD
END
bt 'a pattern, while perf and trace-cmd trace the function' 'kprobe:vfs_writ* /comm == "dd"/ { @[func] = count(); }' \
	'@[vfs_write]: 2000' /usr/bin/bash /tmp/others
same "perf has counted each call" 1000 "$(sed -n 's/^\([0-9]*\),.*ftrace:function.*/\1/p' /debian/tmp/stat)"
same "trace-cmd has recorded each" 1000 "$(d trace-cmd report -i /tmp/t.dat 2>/dev/null | grep -c '^ *dd-.* vfs_write')"
cat >/debian/tmp/cats <<'END'
(sleep 1; echo) | (for i in 1 2 3 4 5 6 7 8; do /usr/bin/cat >/dev/null & done; wait)
END
bt 'the returns of many tasks that sleep in one function' 'kprobe:pipe_rea* /comm == "cat"/ { @a = count(); } kretprobe:pipe_rea* /comm == "cat"/ { @b = count(); }' \
	"$(printf '@a: 9\n@b: 9')" /usr/bin/bash /tmp/cats

check "a module is there" load callops_target
cat >/debian/tmp/target <<'END'
echo 5 >/sys/module/callops_target/parameters/one
if [ -e /tmp/keep ] && rmmod callops_target 2>/dev/null; then rm /tmp/keep; fi
END
[ $SIDE = base ] || : >/debian/tmp/keep
bt 'a pattern of functions of a module' 'kprobe:target_o* { @ = count(); }' '@: 5' /usr/bin/bash /tmp/target
[ $SIDE = base ] || check "it stays while it is probed" test -e /debian/tmp/keep
check "and goes then" unload callops_target
d bpftrace -q -e 'kretprobe:vfs_writ* /comm == "dd"/ { @[kstack(3)] = count(); }' -c "$DD" >/tmp/stack 2>&1
check "the stack at the return begins with the caller" sh -c 'grep -A1 "^@\[" /tmp/stack | grep -q "^ *ksys_write+"' ||
	sed 's/^/# /' /tmp/stack
if [ $SIDE = patched ]; then	# riscv's base takes it for user space's
	d bpftrace -q -e 'kprobe:vfs_write /comm == "dd"/ { @[kstack(3)] = count(); }' -c "$DD" >/tmp/stack 2>&1
	check "the stack at a kprobe is the kernel's, too" grep -q 'sys_write+' /tmp/stack || sed 's/^/# /' /tmp/stack
fi
cat >/debian/tmp/links <<'EOF'
grep -c . /sys/kernel/tracing/enabled_functions
bpftool link show | grep -c kprobe_multi
EOF
d bpftrace -q -e 'kprobe:vfs_* /comm == "dd"/ { @ = count(); }' -c '/bin/sh /tmp/links' >/tmp/n 2>&1
if [ $SIDE = patched ]; then
	same "one kprobe_multi link" 1 "$(sed -n 2p /tmp/n)" || sed 's/^/# /' /tmp/n
	check "serves all functions of the pattern" test "$(sed -n 1p /tmp/n)" -gt 20
fi
same "nothing is left enabled" 0 "$(grep -c . $T/enabled_functions)"
finish
