#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# bench/report.py, report_bpf.py, report_static.py and report_probes.py: golden cases, and what they have to refuse;
# bench/run: its arguments.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

python=/usr/bin/python3
[ -x "$python" ] || { skip "no $python"; exit 0; }
for cases in test_report test_report_bpf test_report_static test_report_probes; do
	"$python" -B "$REAL/tests/self/bench/$cases.py" -v >"$T/log" 2>&1
	status=$?
	sed -nE 's/^(test_[a-z_]+) \(.*\) \.\.\. ok$/ok - bench: \1/p; s/^(test_[a-z_]+) \(.*\) \.\.\. skipped.*/ok - bench: \1 # SKIP/p' "$T/log"
	n=$(grep -cE '^test_.* \.\.\. (ok|skipped)' "$T/log")
	if [ "$status" = 0 ] && [ "$n" -gt 0 ]; then ok "bench: $n cases"; else not_ok "bench: $n cases, status $status"; fi
done

fails "bench: an unknown option" 64 'unknown option --nonsense' "$REAL/bench/run" --nonsense
fails "bench: an unknown ARCH" 1 "unknown ARCH 'vax'" env ARCH=vax "$REAL/bench/run"
fails "bench: BPF where there is no fentry" 1 'ARCH=riscv has no direct calls' env ARCH=riscv "$REAL/bench/run-bpf"
fails "... is said before kernels are built" 2 'ARCH=riscv has no direct calls' make -C "$REAL" bench-bpf ARCH=riscv
fails "bench: an unknown option of run-bpf" 64 'unknown option --nonsense' "$REAL/bench/run-bpf" --nonsense
