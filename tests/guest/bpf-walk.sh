#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# needs: direct-calls
# long: patched
# flavor: bpf
# files: tests/bpf/build
# boot: --smp 4 --tools --timeout $((3 * ${WALK_SECONDS:-60} + 600)) --append trace_buf_size=128K
# walk.sh, with BPF programs among what comes and goes
# shellcheck source=tests/guest/walk.sh
. "${0%/*}/walk.sh"
