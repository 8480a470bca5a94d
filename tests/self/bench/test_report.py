#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Golden cases of bench/report.py, and what it has to refuse."""

import contextlib
import io
import json
import os
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, "..", "..", "..", "bench"))
import report  # noqa: E402

ROWS = ["0/0", "1/0", "1/100", "2/0", "1/100:assist_rcu"]


def read(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as f:
        return f.read()


class Report(unittest.TestCase):
    def setUp(self):
        tmp = tempfile.TemporaryDirectory()
        self.addCleanup(tmp.cleanup)
        self.dir = tmp.name
        self.out = os.path.join(self.dir, "out")
        self.logs = {f"{side}{run}": read(f"{side}.log")
                     for side in ("base", "patched") for run in (1, 2)}
        self.rows = list(ROWS)
        self.plot = False

    def run_report(self):
        args = ["--arch", "arm64", "--calls", "20000", "--out", self.out,
                "--qemu", "QEMU emulator version 7.2.22 (Debian 1:7.2)",
                "--compiler", "gcc 12.2.0",
                "--size", "base=text:4249089", "--size", "base=image:6924296",
                "--size", "patched=text:4392389", "--size", "patched=image:7055368"]
        args += [] if self.plot else ["--no-plot"]
        for name, text in self.logs.items():
            path = os.path.join(self.dir, name + ".log")
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
            args += ["--run", f"{name[:-1]}={path}"]
        for row in self.rows:
            args += ["--row", row]
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = report.main(args)
        return status, out.getvalue(), err.getvalue()

    def change(self, name, old, new):
        self.assertIn(old, self.logs[name])
        self.logs[name] = self.logs[name].replace(old, new)

    def refused(self, *words):
        status, _, err = self.run_report()
        self.assertEqual(status, 1)
        for w in words:
            self.assertIn(w, err)
        left = [f for f in os.listdir(self.dir) if f.startswith("out")]
        self.assertEqual(left, [], "something was written")

    def test_golden(self):
        status, out, err = self.run_report()
        self.assertEqual((status, err), (0, ""))
        self.assertEqual(out, "callops: bench: two runs agree to the digit in every row\n")
        with open(self.out + ".txt", encoding="utf-8") as f:
            self.assertEqual(f.read(), read("table.txt"))
        with open(self.out + ".json", encoding="utf-8") as f:
            result = json.load(f)
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
        self.plot = True
        files = []
        for _ in range(2):
            self.assertEqual(self.run_report()[0], 0)
            with open(self.out + ".svg", "rb") as f:
                files.append(f.read())
            self.assertTrue(os.path.exists(self.out + ".png"))
        self.assertEqual(files[0], files[1])

    def test_row_differs(self):
        self.change("patched2", "ns=840064 per_call=42", "ns=860064 per_call=43")
        self.refused("patched: row 1/100 differs between two runs: 42 and 43")

    def test_figure_differs(self):
        self.change("base2", "boot_to_init=79443000", "boot_to_init=79444000")
        status, out, _ = self.run_report()
        self.assertEqual(status, 0)
        self.assertIn("note: base: boot_to_init differs between two runs: 79443000 and 79444000",
                      out)

    def test_missing_row(self):
        self.rows.append("10/0")
        self.refused("base, run 1: row 10/0 is missing")

    def test_unknown_row(self):
        self.rows.remove("2/0")
        self.refused("row 2/0 was not asked for")

    def test_twice(self):
        line = next(x for x in self.logs["base1"].splitlines() if "relevant=2" in x)
        self.change("base1", line, line + "\n" + line)
        self.refused("row 2/0 is there twice")

    def test_cut_short(self):
        self.change("patched1", "bench: end\n", "")
        self.refused("patched, run 1: the log ends too early")

    def test_empty(self):
        self.logs["base2"] = ""
        self.refused("base, run 2: the log ends too early")

    def test_guest_error(self):
        self.change("base1", "bench: end", "bench: error row 1/0: check_count failed")
        self.refused("base, run 1: the guest says: row 1/0: check_count failed")

    def test_check_count(self):
        self.change("base1", "per_call=186 flags=none check_count=ok",
                    "per_call=186 flags=none check_count=FAILED")
        self.refused("row 2/0: check_count is 'FAILED'")

    def test_no_check_count(self):
        self.change("base1", "per_call=186 flags=none check_count=ok",
                    "per_call=186 flags=none")
        self.refused("a row has no check_count")

    def test_wrong_calls(self):
        self.change("base1", "calls=20000 ns=3720064", "calls=2000 ns=3720064")
        self.refused("row 2/0 made 2000 calls instead of 20000")

    def test_wrong_division(self):
        self.change("base1", "per_call=186", "per_call=187")
        self.refused("row 2/0: 3720064 ns are not 187 per call")

    def test_not_a_number(self):
        self.change("base1", "ns=3720064", "ns=many")
        self.refused("not a number: 'many'")

    def test_one_run(self):
        del self.logs["patched2"]
        self.refused("patched: 1 runs, two are needed")

    def test_other_kernel(self):
        self.change("patched2", "6.1.192-callops", "6.1.193-callops")
        self.refused("release 6.1.192-callops and 6.1.193-callops")

    def test_bad_row(self):
        self.rows.append("1/0:no_such_flag")
        self.refused("not a row: '1/0:no_such_flag'")

    def test_carriage_returns(self):
        self.logs["base1"] = self.logs["base1"].replace("\n", "\r\n")
        self.assertEqual(self.run_report()[0], 0)

    def test_cannot_write(self):
        self.out = os.path.join(self.dir, "nowhere", "out")
        self.refused("cannot write")


if __name__ == "__main__":
    unittest.main()
