# SPDX-License-Identifier: GPL-2.0
"""What the cases of the reports in bench/ have in common."""

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


class Changed(unittest.TestCase):
    """self.logs: {name: text}"""

    def change(self, name, old, new):
        for log in self.logs:       # "patched" is all runs of it
            if log.startswith(name):
                self.assertIn(old, self.logs[log])
                self.logs[log] = self.logs[log].replace(old, new)


class Cases(Changed):
    """Of a report that is given logs named SIDE:...:RUN, and leaves a JSON, or says why not"""
    report = None
    calls = 0
    arch = "arm64"

    def setUp(self):
        tmp = tempfile.TemporaryDirectory()
        self.addCleanup(tmp.cleanup)
        self.dir = tmp.name
        self.paths = {}     # where another log is given in the place of one
        self.sizes = []

    def run_it(self):
        """(exit status, what it said, the JSON or None)"""
        args = ["--arch", self.arch, "--calls", str(self.calls), "--qemu", "QEMU 7", "--compiler", "cc"]
        for name, text in self.logs.items():
            with open(os.path.join(self.dir, name), "w", encoding="utf-8") as f:
                f.write(text)
            path = os.path.join(self.dir, self.paths.get(name, name))
            args += ["--run", f"{name.rpartition(':')[0]}={path}"]
        for size in self.sizes:
            args += ["--size", size]
        out = os.path.join(self.dir, "out")
        said = io.StringIO()
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
            status = self.report.main(args + ["--out", out, "--no-plot"])
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


class TwoRuns(Cases):
    """Of a report that takes two logs of each kernel, SIDE:RUN"""

    def both(self, base, patched):
        self.logs = {f"{side}:{run}": text for run in (1, 2)
                     for side, text in (("base", base), ("patched", patched))}

    def test_a_run_is_missing(self):
        del self.logs["base:2"]
        self.refused("base: 1 runs, two are needed")

    def test_one_log_as_two_runs(self):
        self.paths["base:2"] = "base:1"
        self.refused("base:1 is given twice")

    def test_one_log_for_both(self):
        self.paths["patched:1"] = "base:1"
        self.refused("base:1 is given twice")


def add_refused(cls, changes):
    """A test of @cls for each of @changes: {case: (log, old, new, what the report says)}"""
    def refused(name, old, new, words):
        def test(self):
            self.change(name, old, new)
            self.refused(words)
        return test

    for case, arguments in changes.items():
        setattr(cls, "test_" + case, refused(*arguments))
