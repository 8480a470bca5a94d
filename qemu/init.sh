#!/bin/busybox sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
# PID 1 of the guest: mounts, runs /.callops/command, reports, powers off.
# The console is only for kernel messages. The command's output, its verdict and its
# files each have a virtio-serial port of their own.
/bin/busybox --install -s /bin
export PATH=/bin:/sbin HOME=/root TERM=linux
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev 2>/dev/null
mount -t tmpfs tmp /tmp
mount -t tmpfs out /out
mount -t debugfs debug /sys/kernel/debug 2>/dev/null
mount -t tracefs trace /sys/kernel/tracing
mount -t bpf bpf /sys/fs/bpf 2>/dev/null
mount -t cgroup2 cgroup /sys/fs/cgroup 2>/dev/null
mount -t securityfs security /sys/kernel/security 2>/dev/null
ln -s /proc/self/fd /dev/fd
hostname callops
if [ -b /dev/vda ] && mount -t ext2 -o ro /dev/vda /debian; then
	for d in proc sys dev tmp out callops; do mount -o rbind "/$d" "/debian/$d"; done
	mount -o bind /lib/modules /debian/usr/lib/modules
	mount -t tmpfs run /debian/run
fi

# The host names the ports, but maybe not at once.
port() {
	local p n=0
	while [ "$n" -lt 100 ]; do
		for p in /sys/class/virtio-ports/*; do
			[ "$(cat "$p/name" 2>/dev/null)" = "$1" ] && echo "/dev/${p##*/}" && return
		done
		n=$((n + 1))
		sleep 0.1
	done
	echo "callops: no port $1" >/dev/console
	poweroff -f
}

if [ -e /.callops/shell ]; then
	cat <<-EOF

	callops: Linux $(uname -r), tracefs is in /sys/kernel/tracing, files in /callops.
	callops: Ctrl-A X leaves QEMU; so does 'exit'.

	EOF
	cd /callops || cd /
	setsid cttyhack sh
	poweroff -f
fi

# What the kernel ends is in its log then.
echo 1 2>/dev/null >/proc/sys/debug/exception-trace
verdict=$(port callops.verdict)
cd /callops || exit
sh /.callops/command </dev/null >"$(port callops.output)" 2>&1
status=$?
cd /
# What tests may have missed. lib/common keeps in /tmp/dmesg what they clear.
{
	cat /tmp/dmesg 2>/dev/null
	dmesg
} | grep -aE 'unhandled (signal|exception)|(segfault|illegal instruction|bus error|unhandled trap) \([0-9]+\) at' |
	head -n 1 | sed -E 's/^(\[[^]]*\])* */<3>callops: /' >/dev/kmsg
[ "$(nproc)" = "$(cat /.callops/cpus)" ] || echo "<3>callops: $(nproc) CPUs, of $(cat /.callops/cpus)" >/dev/kmsg
tar -cf - -C /out . >"$(port callops.out)" 2>/dev/null
# "done" is last, so that a truncated verdict can be told.
echo "status $status done" >"$verdict"
sync
poweroff -f
