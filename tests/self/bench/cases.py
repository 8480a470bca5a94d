# SPDX-License-Identifier: GPL-2.0
"""The cases of the reports in bench/ share these."""

import contextlib
import io
import json
import os
import re
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(HERE, "..", "..", "..", "bench"))
import common  # noqa: E402


class Cases(unittest.TestCase):
    """Of a report that is given self.logs, {SIDE[:WHERE]:RUN: text}, and leaves a JSON, or says why not"""
    report = None
    calls = 2000
    arch = "arm64"
    options = ()

    def setUp(self):
        tmp = tempfile.TemporaryDirectory()
        self.addCleanup(tmp.cleanup)
        self.dir = tmp.name
        self.out = os.path.join(self.dir, "out")
        self.paths = {}     # where another log is given in the place of one
        self.sizes = []

    def both(self, base, patched, where=""):
        """Each log twice"""
        self.logs = {**getattr(self, "logs", {}), **{f"{side}{where}:{run}": text for run in (1, 2)
                     for side, text in (("base", base), ("patched", patched))}}

    def change(self, name, old, new):
        for log in self.logs:       # "patched" is all runs of it
            if log.startswith(name):
                self.assertIn(old, self.logs[log])
                self.logs[log] = self.logs[log].replace(old, new)

    @contextlib.contextmanager
    def changed(self, name, old, new):
        """The same for a while"""
        logs = dict(self.logs)
        self.change(name, old, new)
        try:
            yield
        finally:
            self.logs = logs

    def run_it(self, plot=False):
        """(exit status, its errors, the JSON or None)"""
        args = ["--arch", self.arch, "--calls", str(self.calls), *self.options, "--compiler", "gcc 12.2.0",
                "--qemu", "QEMU emulator version 7.2.22 (Debian 1:7.2)", "--out", self.out]
        for name, text in self.logs.items():
            with open(os.path.join(self.dir, name), "w", encoding="utf-8") as f:
                f.write(text)
            path = os.path.join(self.dir, self.paths.get(name, name))
            args += ["--run", f"{name.rpartition(':')[0]}={path}"]
        for size in self.sizes:
            args += ["--size", size]
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = common.main(self.report, args if plot else args + ["--no-plot"])
        self.said = out.getvalue()
        try:
            with open(self.out + ".json", encoding="utf-8") as f:
                return status, err.getvalue(), json.load(f)
        except FileNotFoundError:
            return status, err.getvalue(), None

    def good(self):
        status, said, result = self.run_it()
        self.assertEqual((status, said), (0, ""))
        return result

    def refused(self, *words):
        status, said, _ = self.run_it()
        self.assertEqual(status, 1)
        for w in words:
            self.assertIn(w, said)
        self.assertEqual([f for f in os.listdir(self.dir) if f.startswith("out")], [], "something was written")

    def test_a_run_is_missing(self):
        last = list(self.logs)[-1]
        del self.logs[last]
        self.refused(f"{last[:-2]}: 1 runs, two are needed")

    def test_cut_short(self):
        for log in self.logs:
            with self.subTest(log), self.changed(log, "bench: end\n", ""):
                side, _, run = log.rpartition(":")
                self.refused(f"{side}, run {run}: the log ends too early")

    def test_guest_error(self):
        for log in self.logs:
            with self.subTest(log), self.changed(log, "bench: end", "bench: error row 1/0: no hits"):
                side, _, run = log.rpartition(":")
                self.refused(f"{side}, run {run}: the guest says: row 1/0: no hits")

    def test_another_release(self):
        for log in self.logs:
            release = re.search(r"release=(\S+)", self.logs[log])[1]
            with self.subTest(log), self.changed(log, "release=" + release, "release=7" + release):
                self.refused(f"{log.split(':')[0]}: release differs between two runs: ", "7" + release)

    def test_one_log_as_two_runs(self):
        first = list(self.logs)[0]
        self.paths[first[:-1] + "2"] = first
        self.refused(f"{first} is given twice")

    def test_one_log_for_both(self):
        first = list(self.logs)[0]
        self.paths[first.replace("base", "patched")] = first
        self.refused(f"{first} is given twice")


def add_refused(cls, changes):
    """A test of @cls for each of @changes: {case: (log, old, new, what the report says)}"""
    def refused(name, old, new, words):
        def test(self):
            self.change(name, old, new)
            self.refused(words)
        return test

    for case, arguments in changes.items():
        setattr(cls, "test_" + case, refused(*arguments))
