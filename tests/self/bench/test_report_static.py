#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Cases for bench/report_static.py: what it makes of good logs, and what it refuses."""

import unittest

import cases
import report_static as report

CALLS = 2000


def log(release, tracepoint, update, load_on):
    out = [f"bench: guest release={release}"]
    for name in report.ROWS:
        per = tracepoint if name.startswith("tp-") and name != "tp-off" else 5
        per += {"tp-2": 8, "tp-10": 40}.get(name, 0)
        out.append(f"bench: row name={name} calls={CALLS} ns={per * CALLS - 16} per_call={per}")
    out += [f"bench: row name={name} calls={CALLS // 100} ns={update * CALLS // 100 + 16} per_call={update}"
            for name in report.UPDATES]
    out += [f"bench: load name={name} ns={load_on if name == 'load-on' else 100000}" for name in report.LOADS]
    return "\n".join(out) + "\nbench: end\n"


TP1 = "name=tp-1 calls=2000 ns=37984 per_call=19"
BASE_ARGS4 = "name=tp-1-args4 calls=2000 ns=73984 per_call=37"
ARGS4 = TP1.replace("tp-1", "tp-1-args4")
# A change of these logs, and what the report says of it
REFUSED = {
    "no_load": ("base:1", "bench: load name=load-on ns=200000\n", "", "base, run 1: the log has no load-on"),
    "no_load_in_any": ("", "bench: load name=load-off ns=100000\n", "", "the log has no load-off"),
    "no_row": ("patched", f"bench: row {TP1}\n", "", "patched, run 1: the log has no tp-1"),
    "no_args4": ("base", f"bench: row {BASE_ARGS4}\n", "", "base, run 1: the log has no tp-1-args4"),
    "no_core_in_one_run": ("base:2", "bench: row name=tp-1-core calls=2000 ns=73984 per_call=37\n", "",
                           "base: tp-1-core differs between two runs: 73984 ns and none"),
    "few_calls": ("patched", TP1, "name=tp-1 calls=10 ns=190 per_call=19",
                  "row tp-1 made 10 calls instead of 2000"),
    "few_updates": ("patched", "name=update-far calls=20 ns=13016", "name=update-far calls=2 ns=1301",
                    "row update-far made 2 calls instead of 20"),
    "wrong_division": ("base:1", "name=tp-off calls=2000 ns=9984 per_call=5",
                       "name=tp-off calls=2000 ns=9984 per_call=6", "row tp-off: 9984 ns are not 6 per call"),
    "two_runs_differ": ("patched:2", TP1, TP1.replace("37984", "38000"),
                        "patched: tp-1 differs between two runs: 37984 ns and 38000 ns"),
    "updates_differ": ("patched:2", "name=update-near calls=20 ns=13016", "name=update-near calls=20 ns=13018",
                       "patched: update-near differs between two runs: 13016 ns and 13018 ns"),
    "loads_differ": ("base:2", "load-on ns=200000", "load-on ns=200401",
                     "base: load-on differs between two runs: 200000 and 200401"),
    "no_events": ("patched", "name=events ns=100000", "name=events ns=0", "events is 0"),
    "an_unknown_row": ("base:1", "bench: end", "bench: row name=tp-3 calls=2000 ns=9984 per_call=5\nbench: end",
                       "row tp-3 was not asked for"),
    "a_load_twice": ("base:1", "bench: end", "bench: load name=events ns=1\nbench: end", "row events is there twice"),
    "not_a_number": ("base:1", "name=events ns=100000", "name=events ns=many", "events is not a number: 'many'"),
    # Between the kernels
    "base_as_patched": ("patched", "6.1.1-callops", "6.1.1", "the releases 6.1.1 and 6.1.1 are not"),
    "core_on_one_kernel": ("base", "bench: row name=tp-1-core calls=2000 ns=73984 per_call=37\n", "",
                           "tp-1-core is there on one kernel only"),
    "no_better": ("patched", TP1, "name=tp-1 calls=2000 ns=73984 per_call=37",
                  "tp-1: the dispatch takes 32, more than half of 32"),
    "not_half": ("patched", TP1, "name=tp-1 calls=2000 ns=43984 per_call=22",
                 "tp-1: the dispatch takes 17, more than half of 32"),
    "not_half_of_4_arguments": ("patched", ARGS4, "name=tp-1-args4 calls=2000 ns=43984 per_call=22",
                                "tp-1-args4: the dispatch takes 17, more than half of 32"),
    "slower_tracepoint": ("patched", "name=tp-10 calls=2000 ns=117984 per_call=59",
                          "name=tp-10 calls=2000 ns=155984 per_call=78", "tp-10 takes 78, and 77 on the base"),
    "slower_static_call": ("patched", "name=static-far calls=2000 ns=9984 per_call=5",
                           "name=static-far calls=2000 ns=15984 per_call=8", "static-far takes 8, and 5 on the base"),
    "slower_than_generic": ("patched", "name=mkm calls=2000 ns=9984 per_call=5",
                            "name=mkm calls=2000 ns=11984 per_call=6", "mkm takes 6, and 5 on the base"),
    "slower_load": ("patched", "name=load-on ns=198000", "name=load-on ns=200000",
                    "with all events on the tasks take 200000, no less than 200000 on the base"),
    "not_like_a_direct_call": ("", "name=kkk calls=2000 ns=9984 per_call=5",
                               "name=kkk calls=2000 ns=15984 per_call=8", "kkk takes 8, a direct call 5"),
    # A call that is not made
    "no_second_probe": ("patched", "name=tp-2 calls=2000 ns=53984 per_call=27",
                        "name=tp-2 calls=2000 ns=37984 per_call=19",
                        "patched: tp-2 takes 19, no more than tp-1"),
    "no_call": ("patched", "name=static-far calls=2000 ns=9984 per_call=5",
                "name=static-far calls=2000 ns=7984 per_call=4",
                "patched: static-far takes 4, less than direct"),
    "no_target": ("patched", "name=kkm calls=2000 ns=9984 per_call=5", "name=kkm calls=2000 ns=7984 per_call=4",
                  "patched: kkm takes 4, less than control_kk"),
    "fewer_events": ("patched", "name=events ns=100000", "name=events ns=90000",
                     "events is 90000, and 100000 on the base"),
    "dearer_events": ("patched", "name=events ns=100000", "name=events ns=97000",
                      "an event takes 1.01, no less than 1.00 on the base"),
    "slower_when_off": ("patched", "name=load-off ns=100000", "name=load-off ns=102100",
                        "load-off is 102100, and 100000 on the base"),
    "off_costs": ("patched", "name=tp-off calls=2000 ns=9984 per_call=5", "name=tp-off calls=2000 ns=11984 per_call=6",
                  "tp-off takes 5 on the base and 6 on the patched kernel"),
}


class Report(cases.Cases):
    report = report

    def setUp(self):
        super().setUp()
        self.both(log("6.1.1", 37, 4, 200000), log("6.1.1-callops", 19, 650, 198000))
        self.sizes = ["base:text=4000", "base:image=5000", "patched:text=4100", "patched:image=5000"]

    def test_good(self):
        self.logs["patched:2"] = self.logs["patched:2"].replace("load-on ns=198000", "load-on ns=198396")
        result = self.good()
        patched = result["kernels"]["patched"]
        rows = {r["name"]: r["per_call"] for r in patched["rows"]}
        self.assertEqual((rows["tp-1"], rows["tp-off"], rows["update-far"]), (19, 5, 650))
        self.assertEqual((patched["loads"]["load-on"], patched["loads"]["text"]), (198198, 4100))
        table = report.table(result)
        self.assertIn("| tp-1          | ... with 1 callback                 ||     37 |       32 ||"
                      "     19 |       14 |  0.44 |", table)
        self.assertIn("instructions: ... all events on                           200,000       198,198   -0.9 %", table)

    def test_no_eight_on_powerpc(self):
        for name in report.EIGHT:
            self.change("", f"bench: row name={name} calls=2000 ns=9984 per_call=5\n", "")
        self.arch = "powerpc"
        self.refused("kkm is missing")

    def test_no_eight_elsewhere(self):
        for name in report.EIGHT:
            self.change("", f"bench: row name={name} calls=2000 ns=9984 per_call=5\n", "")
        self.good()

    def test_no_size(self):
        self.sizes.remove("patched:text=4100")
        self.refused("patched: text is missing")


cases.add_refused(Report, REFUSED)

if __name__ == "__main__":
    unittest.main()
