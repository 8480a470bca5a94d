#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Cases for bench/report_probes.py: what it makes of good logs, and what it refuses."""

import unittest

import cases
import report_probes as report

CALLS = 2000
ADDED = {"none": 5, "kprobe": 683, "kretprobe": 934, "fprobe-entry": 113, "fprobe-exit": 366}

BPF = {"bpf-none": 5, "bpf-kprobe": 880, "bpf-kretprobe": 1200, "multi-entry": 240, "multi-exit": 510,
       "raw-tp-none": 7, "raw-tp": 90, "perf": 1110}


# What the patched kernel saves, where ftrace calls kprobes, and tracepoints their callback
SAVED = {"kprobe": 500, "kretprobe": 500, "bpf-kprobe": 580, "bpf-kretprobe": 580, "raw-tp": 20, "perf": 300}


def multi(release, fprobes):
    out = [f"bench: guest release={release}"]
    for name, per in BPF.items():
        ground = 0 if name.endswith("none") else 7 if name == "raw-tp" else 5
        ns = (per + ground - (SAVED.get(name, 0) if fprobes else 0)) * CALLS + 7
        out.append(f"bench: row probe={name} " + (f"ns={ns}" if fprobes or name[0] != "m" else "errno=95"))
    return "\n".join(out) + "\nbench: end\n"


def log(release, fprobes):
    out = [f"bench: guest release={release}"]
    for name, per in ADDED.items():
        ns = (per + (5 if name != "none" else 0) - (SAVED.get(name, 0) if fprobes else 0)) * CALLS + 7
        out.append(f"bench: row probe={name} " + (f"ns={ns}" if fprobes or name[0] != "f" else "errno=95"))
    for of in ("1", "100", "1000", "all"):
        for probe in ("kprobe", "fprobe") if fprobes else ("kprobe",):
            nr, per = 20000 if of == "all" else int(of), 30000 if probe == "kprobe" else 300
            out.append(f"bench: attach probe={probe} of={of} functions={nr} attach={per * nr} "
                       f"detach={per * nr // 2} ns={per * nr + 9000} detach_ns={per * nr // 2 + 9000}")
    return "\n".join(out) + "\nbench: end\n"


FPROBE = "attach probe=fprobe of=all functions=20000 attach=6000000"
KPROBE = "attach probe=kprobe of=all functions=20000 attach=600000000"
# A change of these logs, and what the report says of it
REFUSED = {
    "no_row": ("base:plain:1", "bench: row probe=kprobe ns=1376007\n", "", "base:plain, run 1: the log has no kprobe"),
    "no_attach": ("base:plain", "of=1000 ", "of=100 ", "base:plain, run 1: the log has no attach-1000"),
    "two_runs_differ": ("patched:plain:2", "kprobe ns=376007", "kprobe ns=378007",
                        "patched: kprobe differs between two runs: 183 and 184"),
    "attach_differs": ("patched:plain:2", FPROBE, FPROBE.replace("6000000", "6040000"),
                       "patched: attach-all differs by more than 0.5 %"),
    "not_a_number": ("base:plain:1", "probe=kprobe ns=1376007", "probe=kprobe ns=many", "kprobe is not a number: 'many'"),
    "no_multi_row": ("base:multi:1", "row probe=bpf-kprobe", "other row", "base:multi, run 1: the log has no bpf-kprobe"),
    "an_unknown_row": ("base:multi:1", "row probe=raw-tp ", "row probe=other ", "row other was not asked for"),
    "no_raw_tp_row": ("base:multi:1", "row probe=raw-tp ", "other row ", "base:multi, run 1: the log has no raw-tp"),
    "no_ground_of_raw_tp": ("base:multi", "probe=raw-tp-none ns=14007", "probe=raw-tp-none errno=2",
                            "base:multi, run 1: the log has no raw-tp-none"),
    "two_multi_runs_differ": ("patched:multi:2", "multi-exit ns=1030007", "multi-exit ns=1032007",
                              "patched: multi-exit differs between two runs: 510 and 511"),
    "multi_of_another_release": ("base:multi", "6.1.1", "6.1.2", "base: release differs between two runs: 6.1.1 and 6.1.2"),
    # Between the kernels
    "no_multi": ("patched:multi", "multi-entry ns=490007", "multi-entry errno=95", "patched: multi-entry is missing"),
    "no_bpf_kprobe": ("base:multi", "bpf-kprobe ns=1770007", "bpf-kprobe errno=2", "base: bpf-kprobe is missing"),
    "no_raw_tp_on_the_base": ("base:multi", "raw-tp ns=194007", "raw-tp errno=2", "base: raw-tp is missing"),
    "no_raw_tp": ("patched:multi", "raw-tp ns=154007", "raw-tp errno=2", "patched: raw-tp is missing"),
    "slow_perf": ("patched:multi", "perf ns=1630007", "perf ns=2250007",
                  "patched: perf takes 1,120, more than 1 of the base's perf, 1,110"),
    "slow_raw_tp": ("patched:multi", "raw-tp ns=154007", "raw-tp ns=194007",
                    "patched: raw-tp takes 90, more than 0.9 of the base's raw-tp, 90"),
    "slow_multi_entry": ("patched:multi", "multi-entry ns=490007", "multi-entry ns=690007",
                         "patched: multi-entry takes 340, more than 0.3 of the base's bpf-kprobe, 880"),
    "slow_multi_exit": ("patched:multi", "multi-exit ns=1030007", "multi-exit ns=1230007",
                        "patched: multi-exit takes 610, more than 0.45 of the base's bpf-kretprobe, 1,200"),
    "no_fprobe": ("patched:plain", "fprobe-exit ns=742007", "fprobe-exit errno=95", "patched: fprobe-exit is missing"),
    "no_fprobe_to_attach": ("patched:plain", "attach probe=fprobe", "attach probe=other", "patched: attach-1 is by kprobes"),
    "slow_kprobe": ("patched:plain", "kprobe ns=376007", "kprobe ns=676007",
                    "patched: kprobe takes 333, more than 0.35 of the base's kprobe, 683"),
    "entry_for_nothing": ("patched:plain", "fprobe-entry ns=236007", "fprobe-entry ns=10007",
                          "patched: fprobe-entry takes 0 instructions"),
    "multi_for_nothing": ("patched:multi", "multi-entry ns=490007", "multi-entry ns=7",
                          "patched: multi-entry takes -5 instructions"),
    "a_row_twice": ("patched:multi:1", "bench: row probe=multi-entry", "bench: row probe=multi-entry ns=1\nbench: row probe=multi-entry",
                    "patched:multi, run 1: row multi-entry is there twice"),
    "attached_to_fewer": ("patched:plain", "probe=fprobe of=1000 functions=1000", "probe=fprobe of=1000 functions=10",
                          "patched: attach-1000 is to 10 functions"),
    "slow_entry": ("patched:plain", "fprobe-entry ns=236007", "fprobe-entry ns=436007",
                   "patched: fprobe-entry takes 213, more than 0.3 of the base's kprobe, 683"),
    "slow_to_attach": ("patched:plain", FPROBE, FPROBE.replace("6000000", "60000000"),
                       "patched: attach-all takes 63,000,000, more than 0.02 of the base's attach-all, 900,000,000"),
}


class Report(cases.Cases):
    report = report

    def setUp(self):
        super().setUp()
        self.both(log("6.1.1", False), log("6.1.1-callops", True), ":plain")
        self.both(multi("6.1.1", False), multi("6.1.1-callops", True), ":multi")

    def test_good(self):
        self.logs["patched:plain:2"] = self.logs["patched:plain:2"].replace(FPROBE, FPROBE.replace("6000000", "6000200"))
        result = self.good()
        rows = {side: {r["name"]: r["per_call"] for r in result["kernels"][side]["rows"]}
                for side in ("base", "patched")}
        self.assertEqual((rows["base"]["none"], rows["base"]["kprobe"], rows["base"]["fprobe-entry"]), (5, 683, None))
        self.assertEqual((rows["patched"]["fprobe-entry"], rows["base"]["attach-100"], rows["patched"]["attach-all"]),
                         (113, 4500000, 9000100))
        table = report.table(result)
        self.assertIn("fprobe-entry         -      113", table)
        self.assertIn("         20,000 |   600,000,000   600,009   300,000,000   300,009 |   6,000,100   6,009  3,000,000  3,009", table)
        self.assertIn("The same by a kprobe each, on both", table)
        self.assertIn("300,009 | 600,000,000 600,009 300,000,000 300,009", table)
        self.assertIn("bpf-kprobe         880      300\nbpf-kretprobe     1200      620\n"
                      "multi-entry          -      240\nmulti-exit           -      510\n"
                      "raw-tp              90       70\nperf              1110      810\n", table)

    def test_base_as_patched(self):
        self.change("patched:plain", "6.1.1-callops", "6.1.1")
        self.change("patched:multi", "6.1.1-callops", "6.1.1")
        self.refused("the releases 6.1.1 and 6.1.1 are not")

    def test_riscv(self):
        self.arch = "riscv"
        self.change("patched:multi", "multi-entry ns=490007", "multi-entry ns=1750007")
        self.good()

    def test_untried(self):
        self.change("base:plain", KPROBE, "untried probe=kprobe of=all\nbench: other")
        self.refused("base: attach-all is missing")

    def test_riscv_untried(self):
        self.arch = "riscv"
        self.change("base:plain", KPROBE, "untried probe=kprobe of=all\nbench: other")
        with self.changed("patched:plain", KPROBE, "untried probe=kprobe of=all\nbench: other"):
            self.refused("patched: kprobes-all is missing")
        self.assertIn("         20,000 |             -         -             -         - |   6,000,000",
                      report.table(self.good()))

    def test_riscv_no_better(self):
        self.arch = "riscv"
        self.change("patched:multi", "multi-entry ns=490007", "multi-entry ns=1790007")
        self.refused("patched: multi-entry takes 890, more than 1 of the base's bpf-kprobe, 880")


cases.add_refused(Report, REFUSED)

if __name__ == "__main__":
    unittest.main()
