#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Turn the logs of bench/guest.sh into JSON, a table and a plot.

Called by bench/run. Every kernel has two logs. Its rows must be the same in both, to the
digit (those of inexact() to 0.2 %), and the patched kernel must be as the series promises,
see judge().
"""

import re
import sys

from common import (SIDES, Error, add, bars, complete, differs, figure, heading, labels, lower_block,
                    main, n, name_bars, number, rule, signed)

UNIT = "instructions per call"
FLAGS = ("save_regs", "assist_recursion", "assist_rcu", "mixed", "function_graph", "function")
# The lower block: key, what it is, and the limits of patched / base
FIGURES = (("enable", "instructions to enable 'function' on all functions", 0.1, 0.45),
           ("enable_10", "the same, with 10 tracers of another function", 0.01, 0.45),
           ("enable_100", "the same, with 100 tracers of another function", 0.01, 0.45),
           ("disable", "instructions to disable it", 0.1, 0.45),
           ("enable_2", "to enable it beside another tracer of all functions", 0.1, 6),
           ("disable_2", "to disable it then", 0.1, 6),
           ("disable_2_100", "to disable it then, with 100 of another function", 0.1, 1),
           ("enable_10_all", "to enable it beside 10 others of all functions", 0.01, 6),
           ("enable_100_all", "to enable it beside 100 others of all functions", 0.01, 6),
           ("off", "to write 0 to ftrace_enabled, all functions traced", 0.01, 0.45),
           ("on", "to write 1 to it", 0.01, 0.6),
           ("load", "to load a module of 1,000 functions then", 0.2, 1),
           ("unload", "to unload it", 0.5, 1.6),
           ("broadcasts", "TLB flushes (or fence.i) to enable all functions", 0, 0.2),
           ("broadcasts_off", "the same, to disable them", 0, 0.2),
           ("functions", "functions that can be traced", 0.99, 1.01),
           ("boot_to_init", "instructions from boot to init", 0.8, 1),
           ("text", "bytes of text in vmlinux", 1, 1.06),
           ("image", "bytes of the boot image", 1, 1.05))
# How far they may be apart: a timer interrupt more or less, in which all tracers take part
TICKS = {"enable_10_all": 0.1, "enable_100_all": 0.5}
PER_FUNCTION = 100      # instructions that enabling or disabling one takes at least
BOOT_FROM = "from reset, firmware included, to the line 'Run /init as init process', without unpacking the initramfs"
TRACER_FROM = "CPU time of a write(2) to current_tracer, the second time, all functions"

FACTS = {"unit": UNIT}
WHERE = ("",)
AGREE = "two runs agree in every row"
TRACER = ("functions", "enable", "disable", "enable_2", "disable_2", "disable_2_100", "enable_10",
          "enable_100", "enable_10_all", "enable_100_all", "off", "on", "load", "unload", "broadcasts", "broadcasts_off")
WANTED = {"guest": ("boot_to_init",), "tracer": TRACER,
          "row": ("relevant", "irrelevant", "calls", "ns", "per_call", "flags", "check_count")}


def options(ap):
    ap.add_argument("--row", action="append", default=[], metavar="R/I[:FLAG]")


def more(args):
    return {"boot_to_init_is": BOOT_FROM, "enable_disable_are": TRACER_FROM}


def parse_row(text):
    """'1/100:save_regs' -> (1, 100, 'save_regs'); the last is '' for none."""
    m = re.fullmatch(r"(\d+)/(\d+)(?::(\w+))?", text)
    if not m or (m[3] and m[3] not in FLAGS):
        raise Error(f"not a row: {text!r}")
    return int(m[1]), int(m[2]), m[3] or ""


def row_name(row):
    return f"{row[0]}/{row[1]}" + (f" {row[2]}" if row[2] else "")


def parse(lines, where, args):
    """({row: total}, {figure: value})"""
    asked, rows, figures = [parse_row(r) for r in args.row], {}, {}
    for what, f in lines:
        if what != "row":
            figures.update((k, number(f[k], k)) for k in WANTED[what])
            continue
        flag = "" if f["flags"] == "none" else f["flags"]
        row = number(f["relevant"], "relevant"), number(f["irrelevant"], "irrelevant"), flag
        name = row_name(row)
        made = args.calls // 10 if flag == "function" else args.calls
        if number(f["calls"], "calls") != made:
            raise Error(f"row {name} made {f['calls']} calls instead of {made}")
        if f["check_count"] != "ok":
            raise Error(f"row {name}: check_count is {f['check_count']!r}")
        total = number(f["per_call"], "per_call")
        if total != number(f["ns"], "ns") // made:
            raise Error(f"row {name}: {f['ns']} ns are not {total} per call")
        add(rows, name, total, map(row_name, asked))
    complete({**rows, **figures}, [*map(row_name, asked), *TRACER, "boot_to_init"])
    return {row: rows[row_name(row)] for row in asked}, figures     # in the order of the table


def inexact(flag):
    """How far two runs of a row may be apart: interrupts are traced, too, where all is, and
    function_graph's record may need a new page of the buffer"""
    return 0.002 if flag in ("function", "function_graph") else 0


def kernel(side, runs, args):
    (rows, figures), (again, others) = runs[""]
    problems = []
    for row, total in rows.items():
        problems += differs(side, f"row {row_name(row)}", (total, again[row]), inexact(row[2]))
    for key, value in figures.items():
        values = value, others[key]
        problems += differs(side, key, values, TICKS.get(key, 0.001))
        for note in differs(side, key, values):
            print(f"callops: bench: note: {note}")
    untraced = rows[0, 0, ""]
    return {"rows": [{"relevant": relevant, "irrelevant": irrelevant, "total": total,
                      "overhead": total - untraced, **({"flag": flag} if flag else {})}
                     for (relevant, irrelevant, flag), total in rows.items()],
            **figures, **args.size[side]}, problems


def judge(result):
    problems = []
    base, patched = (result["kernels"][side] for side in SIDES)
    before, after = (
        {(r["relevant"], r["irrelevant"], r.get("flag", "")): r["total"] for r in k["rows"]}
        for k in (base, patched))
    for row, total in after.items():
        relevant, _, flag = row
        name, alone = row_name(row), (relevant, 0, flag)
        if relevant == 0 and not total == before[row] == after[alone]:
            problems.append(f"row {name}: {before[row]} on the base and {total} on the patched "
                            "kernel, but a function without a tracer costs the same on both")
        if relevant and total != after.get(alone, total):
            problems.append(f"patched: row {name} takes {total} instead of {after[alone]}, "
                            "so tracers pay for those of other functions")
        if relevant and (total > before[row] or relevant == 1 and total == before[row]):
            problems.append(f"patched: row {name} takes {total}, no better than "
                            f"{before[row]} on the base")
    for key, _, low, high in FIGURES:
        for side, k in zip(SIDES, (base, patched)):
            if key not in k:
                problems.append(f"{side}: {key} is missing")
            elif key.endswith("able") and k[key] < PER_FUNCTION * k["functions"]:
                problems.append(f"{side}: {key} is {n(k[key])}, too few instructions for "
                                f"{n(k['functions'])} functions")
            elif key.startswith("broadcasts") and not k[key]:
                problems.append(f"{side}: {key} is 0: other CPUs were told nothing")
        if key in base and key in patched and not (
                base[key] and low <= patched[key] / base[key] <= high):
            problems.append(f"patched: {key} is {n(patched[key])}, not within {low} and {high} "
                            f"of {n(base[key])} on the base")
    return problems


def table(result):
    base, patched = (result["kernels"][side] for side in SIDES)
    head = "| {:>8} | {:>10} | {:<16} || {:>7} | {:>8} || {:>7} | {:>8} |"
    top, line = "| {:<40} || {:<18} || {:<18} |", rule(head)
    out = [*heading(result, "Instructions per traced call, the call included"), "", rule(top),
           top.format("tracers of", "before", "after"), line,
           head.format("this one", "another", "flag", "total", "overhead", "total", "overhead"), line]
    last = None
    for b, p in zip(base["rows"], patched["rows"]):
        group = "flag" if b.get("flag") else min(b["relevant"], 2)
        if last not in (None, group):
            out.append(line)
        last = group
        out.append(head.format(
            b["relevant"], b["irrelevant"], b.get("flag", ""),
            n(b["total"]), n(b["overhead"]) if b["relevant"] else "-",
            n(p["total"]), n(p["overhead"]) if p["relevant"] else "-"))
    out += [line, ""]

    out += lower_block((name, base[key], patched[key], signed(base[key], patched[key]))
                       for key, name, _, _ in FIGURES)
    return "\n".join(out) + "\n"


def plot(result, path):
    lines = {"base": {"linestyle": "--", "marker": "s", "markerfacecolor": "white"},
             "patched": {"linestyle": "-", "marker": "o", "markerfacecolor": "black"}}
    short = {"save_regs": "regs", "assist_recursion": "recursion", "assist_rcu": "RCU", "mixed": "mixed",
             "function_graph": "+graph", "function": "+function"}
    kernels = {side: result["kernels"][side]["rows"] for side in SIDES}
    with figure(result, path, "instructions per traced call", ncols=2, figsize=(10, 4.2), sharey=True,
                gridspec_kw={"width_ratios": (1, 1.35)}) as (left, right):
        for side, rows in kernels.items():
            points = sorted((r["irrelevant"], r["total"]) for r in rows if r["relevant"] == 1 and "flag" not in r)
            left.plot(range(len(points)), [p[1] for p in points], color="black",
                      label=labels(result)[side], **lines[side])
            for i in (0, len(points) - 1):
                left.annotate(n(points[i][1]), (i, points[i][1]), xytext=(0, 7),
                              textcoords="offset points", ha="center")
        left.set_xticks(range(len(points)), [str(p[0]) for p in points])
        left.set_xlim(-0.5, len(points) - 0.5)
        left.set_xlabel("tracers on another function")
        left.set_ylabel(UNIT)
        left.set_title("one tracer on the function", fontsize=10)
        left.legend(loc="upper left", fontsize=8, frameon=False)

        for side, rows in kernels.items():
            # Not the lines of the left side again
            rows = [r for r in rows if r["relevant"] != 1 and (r["relevant"] or not r["irrelevant"]) or "flag" in r]
            bars(right, side, [r["total"] for r in rows], side)
        name_bars(right, [f"{r['relevant']}/{r['irrelevant']}" + (f" {short[r['flag']]}" if "flag" in r else "")
                          for r in rows], 45)
        right.set_title("tracers on the function / on another, with flags", fontsize=10)
        right.legend(loc="upper right", fontsize=8, frameon=False)
        right.set_yscale("log")
        right.set_ylim(5, 4 * max(r["total"] for rows in kernels.values() for r in rows))
        right.yaxis.set_major_formatter(lambda y, _: n(int(y)))
        right.yaxis.set_minor_formatter("")


if __name__ == "__main__":
    sys.exit(main(sys.modules[__name__]))
