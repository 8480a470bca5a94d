#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Compare published figures with measured ones.

Usage: published.py RESULT.json FILE...
       published.py MEASURED.txt FILE...

In each FILE, be it a table of bases/<base>/results or the message of a patch, the
rows behind a line with "; <arch>, ..." are looked at, and those that begin with "<arch>, "
and name the tracers, if it is the arch of RESULT.json (of bench/run): per-call figures
have to be the same to the digit (those of inexact() to 0.2 %), those of the lower block
to 0.1 % (of updates, to 1 %; but see TICKS and PAGES), percentages and overheads as these
figures give them, and millions and thousands as they are rounded. A FILE without a figure
is an error, too, and so is a table (.txt) that lacks a row.

The second form compares the tables of bench/run-*: the same heads and rows, with figures in
the same columns, within 3 % of each other, or 0.5 % below 1,000, which is to the digit for
small ones, and percentages as these figures give them. A load moves by 1.5 % with the archive
of the guest.
"""

import json
import re
import sys

from common import n, signed
from report import FIGURES, FLAGS, TICKS, inexact

# A page with functions takes its flushes, and another layout has a few more or less of them.
PAGES = {"broadcasts": 0.03, "broadcasts_off": 0.03}
# In a table of bench/run-*
FIGURE = r"(?<![\w.-])\d+(?:\.\d+)?(?![\w-])"
PERCENT = r"[-+][\d.]+ %"
# In prose: what is in front of the figure, and the figure for (base, patched)
PROSE = (
    (r"all of the series text grows by ", lambda b, p: f"{100 * (p['text'] - b['text']) / b['text']:.1f} %"),
    (r"8 bytes for each of about ", lambda b, p: n(round(p["functions"], -3))),
    (r"on all [\d,]+ functions takes ", lambda b, p: f"{p['enable'] / 1e6:.1f} million"),
    (r"million instructions instead of ", lambda b, p: f"{b['enable'] / 1e6:.1f}"),
    (r"configuration, and Image\s+by ", lambda b, p: f"{100 * (p['image'] - b['image']) / b['image']:.1f} %"),
    (r", and to disable it ", lambda b, p: f"{p['disable'] / 1e6:.1f}"),
    (r"to disable it [\d.]+ instead of ", lambda b, p: f"{b['disable'] / 1e6:.1f}"),
)


def problems(text, result, whole=False):
    """(number of figures that were found, what is wrong with them) in one file

    If it is the whole table, no row may be missing.
    """
    base, patched = (result["kernels"][side] for side in ("base", "patched"))
    totals = {}
    for b, p in zip(base["rows"], patched["rows"]):
        row = (b["relevant"], b["irrelevant"], b.get("flag", ""))
        totals[row] = (b["total"], p["total"])
    seen, bad, arch, found = 0, [], None, set()
    untraced = totals.get((0, 0, ""), (0, 0))
    for line in text.splitlines():
        start = re.search(r"; (arm64|riscv), ", line)
        if start:
            arch = start[1]
        row = re.sub(r"[|* ]+", " ", line).strip()
        row = re.sub(r"one tracer on the function, (\d+) tracers on another function", r"1 \1", row)
        row = row.replace("one tracer on the function", "1 0")
        row = re.sub(r"two tracers on the function, (\d+) on another one", r"2 \1", row)
        row = re.sub(r"the same, and (\d+) tracers on another function", r"1 \1", row)
        own, _, rest = row.rpartition(", ") if re.match(r"(arm64|riscv), \d", row) else (arch, "", row)
        if own != result["arch"]:
            continue
        m = re.fullmatch(r"(\d+) +(\d+|any)(?: +(" + "|".join(FLAGS) + r"))?((?: +(?:[\d,]+|-))+)",
                         rest)
        if m:
            figures = [f for f in m[4].split() if f != "-"]
            overheads = []
            row = (int(m[1]), 0 if m[2] == "any" else int(m[2]), m[3] or "")
            measured = totals.get(row, ())
            want = list(map(n, measured))
            if len(figures) > 3:        # total and overhead of each
                figures, overheads = figures[::2], figures[1::2]
            seen += 1
            found.add(row)
            said = [int(f.replace(",", "")) for f in figures[:2]]   # the third is mainline's
            if not len(said) == len(measured) == 2 or any(
                    abs(s - t) > t * inexact(row[2]) for s, t in zip(said, measured)):
                bad.append(f"{' '.join(m[0].split())}: measured {' and '.join(want) or 'nothing'}")
            elif overheads and overheads != [n(s - u) for s, u in zip(said, untraced)]:
                bad.append(f"{' '.join(m[0].split())}: the overheads are not beyond "
                           f"{' and '.join(map(n, untraced))}")
        for key, name, _, _ in FIGURES:
            m = re.match(re.escape(name) + r" +([\d,]+) +([\d,]+) +(\S+ %)", line)
            if not m:
                continue
            seen += 1
            found.add(name)
            said = [int(f.replace(",", "")) for f in (m[1], m[2])]
            # To find a set takes a hash of where in memory the ops are.
            part = 1000 if key in ("functions", "boot_to_init", "text", "image") else 100
            wrong = [f"{name}: {n(f)}, measured {n(k[key])}" for f, k in zip(said, (base, patched))
                     if abs(f - k[key]) > k[key] * {**TICKS, **PAGES}.get(key, 1 / part)]
            if not wrong and m[3] != signed(*said):
                wrong = [f"{name}: {m[3]}, measured {signed(*said)}"]
            bad += wrong
    if whole and seen:
        rows = [*totals, *(name for key, name, _, _ in FIGURES if key in patched)]
        bad += [f"no row {name if isinstance(name, str) else ' '.join(map(str, name)).strip()}"
                for name in rows if name not in found]
    # Prose is of the arch of the table in front of it.
    prose = " ".join(text.split()) if arch == result["arch"] else ""
    for before, figure in PROSE:
        for m in re.finditer(before + r"([\d.,]*\d(?: %| million)?)", prose):
            seen += 1
            if m[1] != figure(base, patched):
                bad.append(f"'{m[0]}': measured {figure(base, patched)}")
    return seen, bad


def rows_of(table):
    """A table -> {line, with # for each figure: its figures}: but for who made it, and with what"""
    rows = {}
    for line in table.splitlines():
        if re.search("QEMU|gcc|clang|Linux", line) or not re.search(r"\w", line):
            continue
        line = re.sub(PERCENT, "%", line.replace(",", ""))
        line = re.sub(r"\berror (\d+)", r"error E\1", line)   # an errno is not a figure
        figures = re.findall(FIGURE, line)
        name = " ".join(re.sub(FIGURE, "#", line).split())
        rows.setdefault(name, []).extend(float(f) if "." in f else int(f) for f in figures)
    return rows


def other_table(published, measured):
    """(number of published rows, what differs) between two tables"""
    bad = []
    for line in published.replace(",", "").splitlines():
        percent = re.search(PERCENT, line)
        if percent and percent[0] != signed(*map(int, re.findall(FIGURE, line[:percent.start()])[-2:])):
            bad.append(f"{' '.join(line.split())}: these figures give another percentage")
    published, measured = rows_of(published), rows_of(measured)
    for row in {**published, **measured}:
        was, now = published.get(row, []), measured.get(row, [])
        if len(was) != len(now) or any(abs(a - b) > (0.03 if max(a, b) >= 1000 else 0.005) * max(a, b)
                                       for a, b in zip(was, now)):
            bad.append(f"{row}: {' '.join(map(n, was)) or 'nothing'}, measured "
                       f"{' '.join(map(n, now)) or 'nothing'}")
        elif row not in published or row not in measured:
            bad.append(f"{row}: is {'not ' if row not in measured else ''}in what was measured")
    return sum(map(bool, published.values())), bad


def main(measured, *paths):
    table = measured.endswith(".txt")
    with open(measured, encoding="utf-8") as f:
        result = f.read() if table else json.load(f)
    status = 0
    for path in paths:
        with open(path, encoding="utf-8") as f:
            text = f.read()
        if table:
            seen, bad = other_table(text, result)
        else:
            seen, bad = problems(text, result, path.endswith(".txt"))
        for line in bad if seen else ["no figure" + ("" if table else " of " + result["arch"])]:
            print(f"callops: error: {path}: {line}", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
