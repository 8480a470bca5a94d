#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# needs: direct-calls
# sides: patched
# flavor: bpf
# files: tests/bpf/build
# boot: --smp 4 --tools --timeout 900
# BPF programs come to a function and go, 500 times beside another program and 500
# times alone, while four CPUs call it without a pause.
# shellcheck source=tests/guest/lib/common
. "${0%/*}/lib/common"
begin
need_debian
kb=1024
! kasan || kb=32768
client '' stress 500 4 $kb
same "nothing is left enabled" 0 "$(grep -c . $T/enabled_functions)"
finish
