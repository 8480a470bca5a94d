#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# needs: kprobe-multi debian-tools
# long: patched
# flavor: bpf
# files: tests/bpf/build
# boot: --smp 4 --tools --timeout 1800
# Links of kretprobe.multi come to three functions and go, 500 times beside a kprobe.multi,
# and 500 times that one, while four CPUs call the functions without a pause.
# shellcheck source=tests/guest/lib/common
. "${0%/*}/lib/common"
begin
need_debian
kb=1024
! kasan || kb=32768
client '' multi-stress 500 4 $kb
same "nothing is left enabled" 0 "$(grep -c . $T/enabled_functions)"
finish
