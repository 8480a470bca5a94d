#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# needs: direct-calls
# long: patched
# flavor: bpf
# files: tests/bpf/build
# boot: --smp 4 --tools --timeout $((3 * ${WALK_SECONDS:-60} + 600)) --append trace_buf_size=128K --append init_on_free=1
# walk.sh, with BPF programs among what comes and goes
BPF=1
for f in /callops/bpf/client /debian/bin/bash; do [ -x $f ] || { echo "no $f"; exit 1; }; done
# shellcheck source=tests/guest/walk.sh
. "${0%/*}/walk.sh"
