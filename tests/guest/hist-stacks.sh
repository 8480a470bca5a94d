#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# long: base patched
# flavor: hist
# needs: hist-triggers
# boot: --smp 2 --timeout 300
# stacks.sh, with histograms that count by backtrace.
# shellcheck source=tests/guest/stacks.sh
. "${0%/*}/stacks.sh"
