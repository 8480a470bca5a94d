#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# needs: direct-calls
# sides: patched
# long: base
# flavor: bpf
# files: tests/bpf/build
# boot: --smp 2 --tools --timeout 300
# long boot: --smp 2 --tools --timeout 300 --append nokaslr --cpu max,pauth-impdef=on
# Programs at functions with arguments of all sizes, in registers and on the stack: the
# program sees them, and the function still gets them and returns its value. The base
# refuses to attach to any function.
# shellcheck source=tests/guest/lib/common
. "${0%/*}/lib/common"
begin
need_debian
need_file /sys/kernel/btf/vmlinux
load callops_args || bail "callops_args.ko is loaded"
put 0 /proc/sys/kernel/kptr_restrict
client -524 args
unload callops_args
finish
