#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Cases for bench/report_bpf.py: what it makes of good logs, and what it refuses."""

import re
import unittest

import cases
import report_bpf as report

PATCHED = """bench: guest release=6.1.1-callops
bench: row probe=none us=2000
bench: row probe=kprobe us=2550
bench: place probe=fentry of=vfs_write at=ffff800008200000
bench: place probe=fentry of=bpf_trampoline_ at=PLACE
bench: row probe=fentry us=2400
bench: place probe=fexit of=vfs_write at=ffff800008200000
bench: place probe=fexit of=bpf_trampoline_ at=PLACE
bench: row probe=fexit us=2500
bench: row probe=none-shared us=3000
bench: place probe=fentry-shared of=vfs_write at=ffff800008200000
bench: place probe=fentry-shared of=bpf_trampoline_ at=PLACE
bench: row probe=fentry-shared us=3390
bench: row probe=trig-base mhz=5.000
bench: row probe=trig-kprobe mhz=2.500
bench: row probe=trig-fentry mhz=4.000
bench: row probe=trig-fexit mhz=3.500
"""
FAR = PATCHED.replace("us=2400", "us=2410").replace("us=3390", "us=3396").replace("us=2500", "us=2510").replace(
    "mhz=4.000", "mhz=3.900").replace("mhz=3.500", "mhz=3.400").replace("PLACE", "ffff800010200000")
NEAR = PATCHED.replace("PLACE", "ffff8000101ff000")
BASE = re.sub("(probe=(trig-)?f(entry|exit)(-shared)?) (us|mhz)=.*", r"\1 errno=524",
              re.sub("bench: place.*\n", "", NEAR.replace("-callops", "").replace("us=3000", "us=4000")
                     .replace("us=2550", "us=3600").replace("mhz=2.500", "mhz=1.000")))
PERF = """bench: guest release=6.1.1-callops
bench: row probe=perf-none us=2000
bench: row probe=perf us=2300
"""
# Those with BPF programs
BASES, PATCHEDS = ("base:near", "base:far"), ("patched:near", "patched:far")
# A change of these logs, and what the report says of it
REFUSED = {
    "two_runs_differ": ("patched:far:2", "us=2410", "us=2420",
                        "fentry-far differs between two runs: 2410.0 and 2420.0"),
    "near_and_far_differ": ("base:far", "us=3600", "us=3700",
                            "kprobe differs between two runs: 3600.0 and 3700.0"),
    "no_figure": ("base:near:1", "mhz=5.000", "mhz=", "row trig-base has no figure"),
    "a_row_is_missing": ("patched:near", "bench: row probe=fentry us=2400\n", "",
                         "patched:near, run 1: the log has no fentry"),
    "a_row_of_the_base_is_missing": (BASES, "bench: row probe=fentry errno=524\n", "",
                                     "base:near, run 1: the log has no fentry"),
    "the_errors_differ": ("base:near:1", "probe=fexit errno=524", "probe=fexit errno=22",
                          "base: fexit differs between two runs: error 22 and error 524"),
    "no_number_of_an_error": (BASES, "probe=fexit errno=524", "probe=fexit errno=",
                              "row fexit has no figure"),
    "an_error_elsewhere": (BASES, "probe=kprobe us=3600", "probe=kprobe errno=2",
                           "row kprobe has no figure"),
    "an_error_of_the_patched": (PATCHEDS, "probe=trig-fexit mhz=", "probe=trig-fexit errno=524 m=",
                                "patched: trig-fexit could not be attached: error 524"),
    "near_is_far": ("patched:near", "at=ffff8000101ff000", "at=ffff800010200000",
                    "row fentry: its trampoline is 128 MiB from vfs_write, out of reach"),
    "far_is_near": ("patched:far", "at=ffff800010200000", "at=ffff8000101ff000",
                    "row fentry-far: its trampoline is 127 MiB from vfs_write, in reach"),
    "no_place": ("patched:far", "of=bpf_trampoline_", "of=other",
                 "row fentry-far: the log does not say where its trampoline is"),
    "shared_is_no_cheaper": (BASES, "probe=none-shared us=4000", "probe=none-shared us=3000",
                             "none-shared takes 3,000, no less than 3,000 on the base"),
    "perf_is_no_cheaper": ("base:cpus", "probe=perf us=2400", "probe=perf us=2300",
                           "perf takes 2,300, no less than 2,300 on the base"),
    "perf_adds_nothing": ("patched:cpus", "probe=perf us=2300", "probe=perf us=2000",
                          "patched: perf adds 0"),
    "perf_takes_nothing": ("patched:cpus", "probe=perf us=2300", "probe=perf us=0",
                           "patched: perf adds -2,000"),
    "shared_adds_nothing": (PATCHEDS, "probe=none-shared us=3000", "probe=none-shared us=1990",
                            "patched: none-shared adds -10"),
    "perf_on_one_cpu": ("base:near", "bench: row probe=kprobe", "bench: row probe=perf us=2400\nbench: row probe=kprobe",
                        "base:near, run 1: row perf was not asked for"),
    "no_perf": ("patched:cpus", "probe=perf us=2300", "probe=other us=2300", "row other was not asked for"),
    "far_is_free": ("patched:far", "us=2410", "us=2400", "fentry-far adds 400, no more than 400"),
    "no_better_than_a_kprobe": ("patched:near", "us=2500", "us=3500",
                                "fexit adds 1,500, and a kprobe of the base 1,600"),
    "slow_kprobe": (PATCHEDS, "us=2550", "us=3000", "kprobe adds 1,000, more than 0.35 of the 1,600 on the base"),
    "untraced_costs": ("patched", "us=2000", "us=2020",
                       "none takes 2,000 on the base and 2,020 on the patched kernel"),
    "base_as_patched": ("patched", "6.1.1-callops", "6.1.1", "the releases 6.1.1 and 6.1.1 are not"),
}
END = "bench: end\n"


class Report(cases.Cases):
    report = report
    calls = 1000

    def setUp(self):
        super().setUp()
        for where, base, patched in ((":near", BASE, NEAR), (":far", BASE, FAR),
                                     (":cpus", PERF.replace("-callops", "").replace("2300", "2400"), PERF)):
            self.both(base + END, patched + END, where)

    def test_good(self):
        result = self.good()
        rows = {r["probe"]: r for r in result["kernels"]["patched"]["rows"]}
        self.assertEqual(rows["none"], {"probe": "none", "per_call": 2000, "added": 0})
        self.assertEqual(rows["kprobe"]["added"], 550)
        self.assertEqual(rows["fentry"]["added"], 400)
        self.assertEqual(rows["fentry-far"]["added"], 410)
        self.assertEqual(rows["trig-kprobe"]["added"], 200)
        self.assertEqual(rows["trig-fentry-far"]["added"], 56)
        rows = {r["probe"]: r for r in result["kernels"]["base"]["rows"]}
        self.assertEqual(rows["fentry"], {"probe": "fentry", "error": "error 524"})
        self.assertIn("| fentry            || error 524 |        ||    2,400 |",
                      report.table(result))


cases.add_refused(Report, REFUSED)

if __name__ == "__main__":
    unittest.main()
