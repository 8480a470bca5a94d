#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Golden cases of bench/report.py, and what it has to refuse."""

import os
import re
import unittest

import cases
import published
import report

# A change of the golden logs, and what the report says of it
REFUSED = {
    "row_differs": ("patched:2", "ns=840064 per_call=42", "ns=860064 per_call=43",
                    "patched: row 1/100 differs between two runs: 42 and 43"),
    "figure_differs_much": ("patched:2", "enable=26622032", "enable=26722032",
                            "patched: enable differs between two runs: 26622032 and 26722032"),
    "check_count": ("base:1", "per_call=186 flags=none check_count=ok",
                    "per_call=186 flags=none check_count=FAILED",
                    "row 2/0: check_count is 'FAILED'"),
    "no_check_count": ("base:1", "per_call=186 flags=none check_count=ok",
                       "per_call=186 flags=none", "a line 'row' has no check_count"),
    "wrong_calls": ("base:1", "calls=20000 ns=3720064", "calls=2000 ns=3720064",
                    "row 2/0 made 2000 calls instead of 20000"),
    "wrong_division": ("base:1", "per_call=186", "per_call=187",
                       "row 2/0: 3720064 ns are not 187 per call"),
    "not_a_number": ("base:1", "ns=3720064", "ns=many", "not a number: 'many'"),
    # What the series promises
    "other_tracers_cost": ("patched", "ns=840064 per_call=42", "ns=860064 per_call=43",
                           "patched: row 1/100 takes 43 instead of 42"),
    "no_better": ("patched", "ns=1860064 per_call=93", "ns=100928960 per_call=5046",
                  "row 1/100 assist_rcu takes 5046, no better than 5046 on the base"),
    "many_worse": ("patched", "ns=3680064 per_call=184", "ns=3740064 per_call=187",
                   "row 2/0 takes 187, no better than 186 on the base"),
    "untraced_costs": ("patched", "ns=180064 per_call=9", "ns=200064 per_call=10",
                       "row 0/0: 9 on the base and 10 on the patched kernel"),
    "enable_one": ("patched", "enable=26622032", "enable=1",
                   "patched: enable is 1, too few instructions for 10,940 functions"),
    "disable_slow": ("patched", "disable=21668880", "disable=31668880",
                     "disable is 31,668,880, not within 0.1 and 0.45 of 61,827,296"),
    "others_cost": ("patched", "enable_100=26632032", "enable_100=36632032",
                    "enable_100 is 36,632,032, not within 0.01 and 0.45 of 66,490,720"),
    "functions_lost": ("patched", "functions=10940", "functions=10827",
                       "functions is 10,827, not within 0.99 and 1.01 of 10,938"),
    "no_broadcasts": ("patched", "broadcasts=1100", "broadcasts=0",
                      "patched: broadcasts is 0: other CPUs were told nothing"),
    "no_broadcasts_off": ("patched", "broadcasts_off=1110", "broadcasts_off=0",
                          "patched: broadcasts_off is 0: other CPUs were told nothing"),
    "boot_slow": ("patched", "boot_to_init=79088000", "boot_to_init=89088000",
                  "boot_to_init is 89,088,000, not within 0.8 and 1"),
}
ROWS = ["0/0", "1/0", "1/100", "2/0", "1/100:assist_rcu"]


def read(name):
    with open(os.path.join(cases.HERE, name), encoding="utf-8") as f:
        return f.read()


class Report(cases.Cases):
    report = report
    calls = 20000
    options = [f"--row={row}" for row in ROWS]

    def setUp(self):
        super().setUp()
        self.both(read("base.log"), read("patched.log"))
        self.sizes = ["base:text=4249089", "base:image=6924296",
                      "patched:text=4392389", "patched:image=7055368"]

    def test_golden(self):
        result = self.good()
        self.assertEqual(self.said, "callops: bench: two runs agree in every row\n")
        with open(self.out + ".txt", encoding="utf-8") as f:
            self.assertEqual(f.read(), read("table.txt"))
        self.assertEqual(result["arch"], "arm64")
        self.assertEqual(result["unit"], "instructions per call")
        self.assertEqual(result["calls"], 20000)
        patched = result["kernels"]["patched"]
        self.assertEqual(patched["release"], "6.1.192-callops")
        self.assertEqual(patched["rows"][0], {"relevant": 0, "irrelevant": 0,
                                              "total": 9, "overhead": 0})
        self.assertEqual(patched["rows"][4], {"relevant": 1, "irrelevant": 100, "total": 93,
                                              "overhead": 84, "flag": "assist_rcu"})
        self.assertEqual(result["kernels"]["base"]["text"], 4249089)
        self.assertEqual(result["kernels"]["base"]["enable"], 66480720)

    def test_plot_is_stable(self):
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            self.skipTest("no matplotlib")
        files = []
        for _ in range(2):
            self.assertEqual(self.run_it(plot=True)[0], 0)
            with open(self.out + ".svg", "rb") as f:
                files.append(f.read())
            self.assertTrue(os.path.exists(self.out + ".png"))
        self.assertEqual(files[0], files[1])

    def test_figure_differs(self):
        self.change("base:2", "boot_to_init=79443000", "boot_to_init=79444000")
        self.good()
        self.assertIn("note: base: boot_to_init differs between two runs: 79443000 and 79444000", self.said)

    def test_missing_row(self):
        self.options = [*self.options, "--row=10/0"]
        self.refused("base, run 1: the log has no 10/0")

    def test_unknown_row(self):
        self.options = [row for row in self.options if not row.endswith("2/0")]
        self.refused("row 2/0 was not asked for")

    def test_twice(self):
        line = next(x for x in self.logs["base:1"].splitlines() if "relevant=2" in x)
        self.change("base:1", line, line + "\n" + line)
        self.refused("row 2/0 is there twice")

    def test_empty(self):
        self.logs["base:2"] = ""
        self.refused("base, run 2: the log ends too early")

    def test_others_are_paid_for(self):
        result = self.good()
        self.assertEqual(report.judge(result), [])
        for relevant in (1, 2):
            for side, total in (("base", 5000), ("patched", 4187)):
                result["kernels"][side]["rows"].append(
                    {"relevant": relevant, "irrelevant": 200, "total": total, "overhead": total - 9})
        self.assertEqual([p[:47] for p in report.judge(result)],
                         ["patched: row 1/200 takes 4187 instead of 42, so",
                          "patched: row 2/200 takes 4187 instead of 184, s"])

    def test_published(self):
        result = self.good()
        good = read("table.txt") + (
            "; riscv, GCC\n 1  0  1  2\n; arm64, GCC\n 0 any 9 9\n 1 100 assist_rcu 5,046 93\n"
            "| arm64, the same, and 100 tracers on another function | 4,137 | **42** | 50 |\n"
            "| riscv, one tracer on the function | 1 | **2** | 3 |\n"
            "8 bytes for each of about 11,000\nfunctions. With\nall of the series text grows by 3.4 % in\nthis one\n")
        self.assertEqual(published.problems(good, result), (29, []))
        for old, new, said in (
                ("4,137 |    4,128", "4,138 |    4,128",
                 "1 100 4,138 4,128 42 33: measured 4,137 and 42"),
                ("5,046 93", "5,046 92", "1 100 assist_rcu 5,046 92: measured 5,046 and 93"),
                ("**42**", "**43**", "1 100 4,137 43 50: measured 4,137 and 42"),
                ("0 any 9 9", "3 0 9 9", "3 0 9 9: measured nothing"),
                ("0 any 9 9", "0 any 9 -", "0 any 9 -: measured 9 and 9"),
                ("+3.4 %", "+3.3 %", "bytes of text in vmlinux: +3.3 %, measured +3.4 %"),
                ("26,622,032", "66,722,032", "on all functions: 66,722,032, measured 26,622,032"),
                ("1,100  -89.9 %", "1,160  -89.4 %", "all functions: 1,160, measured 1,100"),
                ("text grows by 3.4 %", "text grows by 2.7 %", "text grows by 2.7 %': measured 3.4 %"),
                ("about 11,000\n", "about 12,000\n", "about 12,000': measured 11,000")):
            self.assertIn(old, good)
            bad = published.problems(good.replace(old, new), result)[1]
            self.assertEqual(len(bad), 1, bad)
            self.assertIn(said, bad[0])
        over = good.replace("4,137 |    4,128", "4,137 |    9,128")
        self.assertEqual(published.problems(over, result)[1],
                         ["1 100 4,137 9,128 42 33: the overheads are not beyond 9 and 9"])
        table = read("table.txt")
        self.assertEqual(published.problems(table, result, True)[1], [])
        for line in table.splitlines(True):
            if re.match(r"\| +\d|[Tbfit].*\d  ", line):
                bad = published.problems(table.replace(line, ""), result, True)[1]
                self.assertEqual((len(bad), bad[0][:7]), (1, "no row "), line)
        more = good.replace("1,100  -89.9 %", "1,120  -89.8 %")
        self.assertEqual(published.problems(more, result), (29, []))
        self.assertEqual(published.problems(good, dict(result, arch="ppc64")), (0, []))

    def test_published_table(self):
        good = ("x, arm64, 2,000 calls\nQEMU 7.2.22\n\n| kprobe | 683 | 126 | 0.18 |\n"
                "| load | 60,000,000 | 59,000,000 | -1.7 % |\n  100 (83) | 2,846 | 608\n"
                "| row | before | after |\n| exit | - | 382 |\n| fentry | error 524 | 194 |\n")
        table = published.other_table
        self.assertEqual(table(good.replace("-1.7", "-17.0"), good)[1],
                         ["| load | 60000000 | 59000000 | -17.0 % |: these figures give another percentage"])
        self.assertEqual(len(table(good.replace("before | after", "after | before"), good)[1]), 2)
        self.assertEqual(len(table(good.replace("- | 382", "382 | -"), good)[1]), 2)
        self.assertEqual(table("| row | before |\n", "| row | before |\n"), (0, []))
        for old, new, said in (
                ("683", "684", []), ("7.2.22", "9.9.99", []), ("-1.7 %", "-9.9 %", []),
                ("59,000,000", "60,500,000", []),
                ("126", "130", ["| kprobe | # | # | # |: 683 126 0.18, measured 683 130 0.18"]),
                ("| load", "| lead", ["| load | # | # | % |: 60,000,000 59,000,000, measured nothing",
                                      "| lead | # | # | % |: nothing, measured 60,000,000 59,000,000"]),
                ("error 524", "error 529", ["| fentry | error E524 | # |: 194, measured nothing",
                                            "| fentry | error E529 | # |: nothing, measured 194"]),
                ("608", "658", ["# (#) | # | #: 100 83 2,846 608, measured 100 83 2,846 658"])):
            self.assertIn(old, good)
            self.assertEqual(published.other_table(good, good.replace(old, new)), (6, said))

    def test_base_as_patched(self):
        for run in "12":
            self.logs["patched:" + run] = self.logs["base:" + run]
        self.refused("the releases 6.1.192 and 6.1.192 are not those of a base and of a patched",
                     "row 1/0 takes 136, no better than 136 on the base")

    def test_other_order(self):
        for run in "12":
            lines = self.logs["patched:" + run].splitlines(keepends=True)
            self.logs["patched:" + run] = "".join(lines[:3] + lines[-2:2:-1] + lines[-1:])
        self.test_golden()

    def test_no_size(self):
        self.sizes = [s for s in self.sizes if not s.startswith("base:image")]
        self.refused("base: image is missing")

    def test_bad_row(self):
        self.options = [*self.options, "--row=1/0:no_such_flag"]
        self.refused("not a row: '1/0:no_such_flag'")

    def test_carriage_returns(self):
        self.logs["base:1"] = self.logs["base:1"].replace("\n", "\r\n")
        self.good()

    def test_cannot_write(self):
        self.out = os.path.join(self.dir, "nowhere", "out")
        self.refused("cannot write")


cases.add_refused(Report, REFUSED)

if __name__ == "__main__":
    unittest.main()
