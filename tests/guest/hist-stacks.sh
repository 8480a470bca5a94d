#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# long: base patched
# flavor: hist
# arches: arm64
# boot: --smp 2 --timeout 300
# stacks.sh, with histograms that count by backtrace. riscv has no HIST_TRIGGERS in 6.1: it
# needs ARCH_HAVE_NMI_SAFE_CMPXCHG.
# shellcheck source=tests/guest/stacks.sh
. "${0%/*}/stacks.sh"
