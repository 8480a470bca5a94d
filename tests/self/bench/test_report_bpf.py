#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Cases for bench/report_bpf.py: what it makes of good logs, and what it refuses."""

import contextlib
import io
import json
import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "bench"))
import report_bpf as report  # noqa: E402

BASE = """bench: guest release=6.1.1
bench: row probe=none us=2000
bench: row probe=kprobe us=3600
bench: row probe=trig-base mhz=5.000
bench: row probe=trig-kprobe mhz=1.000
"""
PATCHED = BASE.replace("6.1.1", "6.1.1-callops") + """bench: row probe=fentry us=2400
bench: row probe=trig-fentry mhz=4.000
"""
END = "bench: end\n"


class Report(unittest.TestCase):
    def setUp(self):
        tmp = tempfile.TemporaryDirectory()
        self.addCleanup(tmp.cleanup)
        self.dir = tmp.name
        self.logs = {f"{side}:{where}:{i}": text + END
                     for side, text in (("base", BASE), ("patched", PATCHED))
                     for where in ("near", "far") for i in (1, 2)}

    def run_it(self):
        """(exit status, what it said, the JSON or None)"""
        args = ["--arch", "arm64", "--calls", "1000", "--qemu", "QEMU 7", "--compiler", "cc"]
        for kind, text in self.logs.items():
            path = os.path.join(self.dir, kind.replace(":", "-"))
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
            args += ["--run", f"{kind.rpartition(':')[0]}={path}"]
        out = os.path.join(self.dir, "out")
        said = io.StringIO()
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
            status = report.main(args + ["--out", out, "--no-plot"])
        try:
            with open(out + ".json", encoding="utf-8") as f:
                return status, said.getvalue(), json.load(f)
        except FileNotFoundError:
            return status, said.getvalue(), None

    def refused(self, text):
        status, said, result = self.run_it()
        self.assertEqual(status, 1)
        self.assertIn(text, said)
        self.assertIsNone(result)

    def test_good(self):
        status, said, result = self.run_it()
        self.assertEqual((status, said), (0, ""))
        rows = {r["probe"]: r for r in result["kernels"]["patched"]["rows"]}
        self.assertEqual(rows["none"], {"probe": "none", "per_call": 2000, "added": 0})
        self.assertEqual(rows["kprobe"]["added"], 1600)
        self.assertEqual(rows["fentry"]["added"], 400)
        self.assertEqual(rows["fentry-far"]["added"], 400)
        self.assertEqual(rows["trig-kprobe"]["added"], 800)
        self.assertEqual(rows["trig-fentry-far"]["added"], 50)
        self.assertNotIn("fentry", {r["probe"] for r in result["kernels"]["base"]["rows"]})

    def test_two_runs_differ(self):
        self.logs["patched:far:2"] = self.logs["patched:far:2"].replace("us=2400", "us=2410")
        self.refused("fentry-far differs between two runs: 2400.00 and 2410.00")

    def test_near_and_far_differ_where_they_must_not(self):
        for i in (1, 2):
            self.logs[f"base:far:{i}"] = self.logs[f"base:far:{i}"].replace("us=3600", "us=3700")
        self.refused("kprobe differs between two runs: 3600.00 and 3700.00")

    def test_cut_short(self):
        self.logs["base:near:1"] = BASE
        self.refused("base:near: the log ends too early")

    def test_guest_error(self):
        self.logs["patched:near:1"] += "bench: error fentry: 12 hits instead of 13\n"
        self.refused("the guest says: fentry: 12 hits instead of 13")

    def test_no_figure(self):
        self.logs["base:near:1"] = self.logs["base:near:1"].replace("mhz=5.000", "mhz=")
        self.refused("row trig-base has no figure")

    def test_a_run_is_missing(self):
        del self.logs["base:far:2"]
        self.refused("base: 3 runs, four are needed")

    def test_a_row_is_missing(self):
        self.logs["patched:near:1"] = self.logs["patched:near:1"].replace(
            "bench: row probe=fentry us=2400\n", "")
        self.logs["patched:near:2"] = self.logs["patched:near:1"]
        self.refused("patched: not every log has the same rows")


if __name__ == "__main__":
    unittest.main()
