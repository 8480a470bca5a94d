#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Turn the logs of bench/guest.sh into JSON, a table and a plot.

Called by bench/run. Every kernel has two logs or more. Its rows must be the same in each,
to the digit (those of inexact() to 0.2 %), and the patched kernel must be as the series
promises, see judge(). Everything is checked before anything is written, and the JSON is
written last.
"""

import argparse
import json
import os
import re
import sys

UNIT = "instructions per call"
FLAGS = ("save_regs", "assist_recursion", "assist_rcu", "mixed", "function_graph", "function")
SUFFIX = "-callops"     # of the patched kernel's release
# The lower block: key, what it is, and the limits of patched / base
FIGURES = (("enable", "instructions to enable 'function' on all functions", 0.1, 0.45),
           ("enable_10", "the same, with 10 tracers of another function", 0.01, 0.45),
           ("enable_100", "the same, with 100 tracers of another function", 0.01, 0.45),
           ("disable", "instructions to disable it", 0.1, 0.45),
           ("enable_2", "to enable it beside another tracer of all functions", 0.1, 6),
           ("disable_2", "to disable it then", 0.1, 6),
           ("enable_10_all", "to enable it beside 10 others of all functions", 0.01, 6),
           ("enable_100_all", "to enable it beside 100 others of all functions", 0.01, 6),
           ("off", "to write 0 to ftrace_enabled, all functions traced", 0.01, 0.45),
           ("on", "to write 1 to it", 0.01, 0.6),
           ("load", "to load a module of 1,000 functions then", 0.3, 1),
           ("unload", "to unload it", 0.5, 1.2),
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


class Error(Exception):
    """What is wrong with a run, in one line."""


def parse_row(text):
    """'1/100:save_regs' -> (1, 100, 'save_regs'); the last is '' for none."""
    m = re.fullmatch(r"(\d+)/(\d+)(?::(\w+))?", text)
    if not m or (m[3] and m[3] not in FLAGS):
        raise Error(f"not a row: {text!r}")
    return int(m[1]), int(m[2]), m[3] or ""


def row_name(row):
    return f"{row[0]}/{row[1]}" + (f" {row[2]}" if row[2] else "")


def fields(text, what, wanted):
    """'a=1 b=x' -> {'a': '1', 'b': 'x'}, with all that are wanted there."""
    got = dict(w.split("=", 1) for w in text.split() if "=" in w)
    missing = [w for w in wanted if w not in got]
    if missing:
        raise Error(f"{what} has no {', '.join(missing)}")
    return got


def number(text, what):
    if not re.fullmatch(r"\d+", text):
        raise Error(f"{what} is not a number: {text!r}")
    return int(text)


def guest_lines(text):
    """(what, rest) of each line "bench: WHAT REST" of a log, which has to have an end"""
    ended = False
    for line in text.replace("\r", "").splitlines():
        m = re.match(r"bench: (\w+) ?(.*)", line)
        if not m:
            continue
        if m[1] == "error":
            raise Error(f"the guest says: {m[2]}")
        if m[1] == "end":
            ended = True
        else:
            yield m[1], m[2]
    if not ended:
        raise Error("the log ends too early")


def parse_log(text, rows, calls):
    """A log -> {'release', 'rows': {row: total}, 'figures': {...}}"""
    run = {"release": None, "rows": {}, "figures": {}}
    for what, rest in guest_lines(text):
        if what == "guest":
            f = fields(rest, "the line 'guest'", ("release", "boot_to_init"))
            run["release"] = f["release"]
            run["figures"]["boot_to_init"] = number(f["boot_to_init"], "boot_to_init")
        elif what == "tracer":
            keys = ("functions", "enable", "disable", "enable_2", "disable_2",
                    "enable_10", "enable_100", "enable_10_all", "enable_100_all", "off", "on",
                    "load", "unload", "broadcasts", "broadcasts_off")
            f = fields(rest, "the line 'tracer'", keys)
            for k in keys:
                run["figures"][k] = number(f[k], k)
        elif what == "row":
            f = fields(rest, "a row", ("relevant", "irrelevant", "calls", "ns",
                                       "per_call", "flags", "check_count"))
            flag = "" if f["flags"] == "none" else f["flags"]
            row = (number(f["relevant"], "relevant"),
                   number(f["irrelevant"], "irrelevant"), flag)
            name = row_name(row)
            if row not in rows:
                raise Error(f"row {name} was not asked for")
            if row in run["rows"]:
                raise Error(f"row {name} is there twice")
            made = calls // 10 if flag == "function" else calls
            if number(f["calls"], "calls") != made:
                raise Error(f"row {name} made {f['calls']} calls instead of {made}")
            if f["check_count"] != "ok":
                raise Error(f"row {name}: check_count is {f['check_count']!r}")
            total = number(f["per_call"], "per_call")
            if total != number(f["ns"], "ns") // made:
                raise Error(f"row {name}: {f['ns']} ns are not {total} per call")
            run["rows"][row] = total
    if run["release"] is None or "enable" not in run["figures"]:
        raise Error("the log has no line 'guest' or 'tracer'")
    for row in rows:
        if row not in run["rows"]:
            raise Error(f"row {row_name(row)} is missing")
    run["rows"] = {row: run["rows"][row] for row in rows}   # in the order of the table
    return run


def inexact(flag):
    """How far two runs of a row may be apart: interrupts are traced, too, where all is, and
    function_graph's record may need a new page of the buffer"""
    return 0.002 if flag in ("function", "function_graph") else 0


def compare(side, runs):
    """(problems, notes) about the runs of one kernel"""
    problems, notes = [], []
    first = runs[0]
    for run in runs[1:]:
        if run["release"] != first["release"]:
            problems.append(f"{side}: release {first['release']} and {run['release']}")
        for row, total in first["rows"].items():
            if abs(run["rows"][row] - total) > total * inexact(row[2]):
                problems.append(f"{side}: row {row_name(row)} differs between two runs: "
                                f"{total} and {run['rows'][row]}")
        for key, value in first["figures"].items():
            other = run["figures"][key]
            if other != value:
                (notes if abs(other - value) <= value * TICKS.get(key, 0.001) else problems).append(
                    f"{side}: {key} differs between two runs: {value} and {other}")
    return problems, notes


def releases(base, patched):
    """Problems: if they are not those of a base and of a patched kernel"""
    if patched == base + SUFFIX and not base.endswith(SUFFIX):
        return []
    return [f"the releases {base} and {patched} are not those of a base and of a patched "
            f"kernel (X and X{SUFFIX})"]


def judge(base, patched):
    """Problems: where the patched kernel is not as the series promises"""
    problems = releases(base["release"], patched["release"])
    before, after = (
        {(r["relevant"], r["irrelevant"], r.get("flag", "")): r["total"] for r in k["rows"]}
        for k in (base, patched))
    for row, total in after.items():
        relevant, _, flag = row
        name, alone = row_name(row), (relevant, 0, flag)
        if relevant == 0 and not total == before[row] == after[alone]:
            problems.append(f"row {name}: {before[row]} on the base and {total} on the patched "
                            "kernel, but a function without a tracer costs the same on both")
        if relevant == 1 and total != after.get(alone, total):
            problems.append(f"patched: row {name} takes {total} instead of {after[alone]}, "
                            "so one tracer pays for tracers of other functions")
        if relevant and (total > before[row] or relevant == 1 and total == before[row]):
            problems.append(f"patched: row {name} takes {total}, no better than "
                            f"{before[row]} on the base")
    for key, _, low, high in FIGURES:
        for side, k in (("base", base), ("patched", patched)):
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


def kernel(run, sizes):
    base = run["rows"][(0, 0, "")]
    rows = []
    for (relevant, irrelevant, flag), total in run["rows"].items():
        row = {"relevant": relevant, "irrelevant": irrelevant, "total": total,
               "overhead": total - base}
        if flag:
            row["flag"] = flag
        rows.append(row)
    return {"release": run["release"], "rows": rows, **run["figures"], **sizes}


def n(value):
    return f"{value:,}"


def short_qemu(version):
    """'QEMU emulator version 7.2.22 (Debian ...)' -> 'QEMU 7.2.22'"""
    return version.split(" (")[0].replace("emulator version ", "")


def signed(before, after):
    return f"{100 * (after - before) / before:+.1f} %"


def table(result):
    base, patched = (result["kernels"][k] for k in ("base", "patched"))
    out = [
        f"Instructions per traced call, the call included; {result['arch']}, "
        f"{n(result['calls'])} calls",
        f"{short_qemu(result['qemu'])}, -icount shift=0,sleep=off, one CPU",
        f"{result['compiler']}",
        f"before: Linux {base['release']}, after: Linux {patched['release']}",
        "",
    ]
    head = "| {:>8} | {:>10} | {:<16} || {:>7} | {:>8} || {:>7} | {:>8} |"
    line = "+-{}-+-{}-+-{}-++-{}-+-{}-++-{}-+-{}-+".format(
        *("-" * w for w in (8, 10, 16, 7, 8, 7, 8)))
    top = "+-{}-++-{}-++-{}-+".format(*("-" * w for w in (40, 18, 18)))
    out += [top,
            "| {:<40} || {:<18} || {:<18} |".format("tracers of", "before", "after"),
            line,
            head.format("this one", "another", "flag", "total", "overhead", "total", "overhead"),
            line]
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

    row = "{:<51} {:>13} {:>13} {:>8}"
    out.append(row.format("", "before", "after", "").rstrip())
    for key, name, _, _ in FIGURES:
        out.append(row.format(name, n(base[key]), n(patched[key]),
                              signed(base[key], patched[key])))
    return "\n".join(out) + "\n"


def plot(result, path):
    import matplotlib
    matplotlib.use("Agg")
    # Byte-stable: no date, no random ids; text as text.
    matplotlib.rcParams.update({"svg.hashsalt": "callops", "svg.fonttype": "none",
                                "font.size": 9, "hatch.linewidth": 0.6})
    import matplotlib.pyplot as plt
    from matplotlib.ticker import FuncFormatter, NullFormatter

    kernels = [(k, result["kernels"][k]) for k in ("base", "patched")]
    labels = {k: f"{k} (Linux {v['release']})" for k, v in kernels}
    fig, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), sharey=True,
                                      gridspec_kw={"width_ratios": (1, 1.35)})

    lines = {"base": {"linestyle": "--", "marker": "s", "markerfacecolor": "white"},
             "patched": {"linestyle": "-", "marker": "o", "markerfacecolor": "black"}}
    ticks = []
    for k, v in kernels:
        points = sorted((r["irrelevant"], r["total"]) for r in v["rows"]
                        if r["relevant"] == 1 and "flag" not in r)
        ticks = [p[0] for p in points]
        left.plot(range(len(points)), [p[1] for p in points], color="black",
                  label=labels[k], **lines[k])
        for i in (0, len(points) - 1):
            left.annotate(n(points[i][1]), (i, points[i][1]), xytext=(0, 7),
                          textcoords="offset points", ha="center")
    left.set_xticks(range(len(ticks)), [str(t) for t in ticks])
    left.set_xlim(-0.5, len(ticks) - 0.5)
    left.set_xlabel("tracers on another function")
    left.set_ylabel(UNIT)
    left.set_title("one tracer on the function", fontsize=10)
    left.legend(loc="upper left", fontsize=8, frameon=False)

    # Not the lines of the left side again.
    rows = [r for r in kernels[0][1]["rows"]
            if r["relevant"] != 1 and (r["relevant"] or not r["irrelevant"]) or "flag" in r]
    bars = {"base": {"facecolor": "white", "hatch": "////"},
            "patched": {"facecolor": "0.35"}}
    short = {"save_regs": "regs", "assist_recursion": "recursion", "assist_rcu": "RCU", "mixed": "mixed",
             "function_graph": "+graph", "function": "+function"}
    for at, (k, v) in zip((-0.2, 0.2), kernels):
        totals = {(r["relevant"], r["irrelevant"], r.get("flag")): r["total"] for r in v["rows"]}
        values = [totals[(r["relevant"], r["irrelevant"], r.get("flag"))] for r in rows]
        right.bar([i + at for i in range(len(rows))], values, 0.4, edgecolor="black",
                  linewidth=0.8, label=k, **bars[k])
    right.set_xticks(range(len(rows)),
                     [f"{r['relevant']}/{r['irrelevant']}" +
                      (f" {short[r['flag']]}" if "flag" in r else "") for r in rows],
                     rotation=45, ha="right", rotation_mode="anchor")
    right.set_title("tracers on the function / on another, with flags", fontsize=10)
    right.legend(loc="upper right", fontsize=8, frameon=False)

    right.set_yscale("log")
    top = max(r["total"] for _, v in kernels for r in v["rows"])
    right.set_ylim(5, top * 4)
    right.yaxis.set_major_formatter(FuncFormatter(lambda y, _: n(int(y))))
    right.yaxis.set_minor_formatter(NullFormatter())
    for ax in (left, right):
        ax.grid(axis="y", color="0.85", linewidth=0.6)
        ax.set_axisbelow(True)
    fig.suptitle(f"{result['arch']}: instructions per traced call "
                 f"({short_qemu(result['qemu'])}, -icount shift=0)", fontsize=10)
    fig.tight_layout()
    fig.savefig(path + ".svg.tmp", format="svg", metadata={"Date": None, "Creator": None})
    fig.savefig(path + ".png.tmp", format="png", dpi=150, metadata={"Software": None})
    plt.close(fig)


def write(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
        f.flush()
        os.fsync(f.fileno())


def pair(text):
    side, sep, value = text.partition("=")
    if not sep or side not in ("base", "patched"):
        raise argparse.ArgumentTypeError(f"not base=... or patched=...: {text!r}")
    return side, value


def distinct(paths):
    """Raise Error if one log is given as two runs"""
    seen = {}
    for path in paths:
        other = seen.setdefault(os.path.realpath(path), path)
        if other is not path:
            raise Error(f"{path} is given twice: each run needs a log of its own")


def make_result(args):
    """(result, notes); raises Error with all that is wrong."""
    rows = [parse_row(r) for r in args.row]
    kernels, problems, notes = {}, [], []
    distinct([path for _, path in args.run])
    for side in ("base", "patched"):
        runs = []
        for s, path in args.run:
            if s != side:
                continue
            try:
                with open(path, encoding="utf-8", errors="replace") as f:
                    runs.append(parse_log(f.read(), rows, args.calls))
            except Error as e:
                raise Error(f"{side}, run {len(runs) + 1}: {e}") from None
        if len(runs) < 2:
            raise Error(f"{side}: {len(runs)} runs, two are needed")
        p, q = compare(side, runs)
        problems += p
        notes += q
        sizes = {}
        for s, value in args.size:
            if s == side:
                key, _, size = value.partition(":")
                sizes[key] = number(size, f"{side}: size of {key}")
        kernels[side] = kernel(runs[0], sizes)
    problems += judge(kernels["base"], kernels["patched"])
    if problems:
        raise Error("\n".join(problems))
    return {"arch": args.arch, "unit": UNIT, "calls": args.calls, "qemu": args.qemu,
            "compiler": args.compiler, "boot_to_init_is": BOOT_FROM,
            "enable_disable_are": TRACER_FROM, "kernels": kernels}, notes


def save(out, result, text, plotter):
    """Write all results, the JSON last; the exit status"""
    suffixes = ["txt", "svg", "png"] if plotter else ["txt"]
    try:
        write(out + ".txt.tmp", text)
        if plotter:
            plotter(result, out)
        write(out + ".json.tmp", json.dumps(result, indent=1) + "\n")
        for suffix in suffixes + ["json"]:
            os.replace(f"{out}.{suffix}.tmp", f"{out}.{suffix}")
    except OSError as e:
        print(f"callops: bench: cannot write {e.filename or out}: {e.strerror}", file=sys.stderr)
        for suffix in ("txt", "svg", "png", "json"):
            for path in (f"{out}.{suffix}.tmp", f"{out}.{suffix}"):
                if os.path.exists(path):
                    os.unlink(path)
        return 1
    return 0


def complain(error):
    """Say what is wrong, a line each; the exit status"""
    for line in str(error).splitlines():
        print(f"callops: bench: {line}", file=sys.stderr)
    return 1


def parser(doc, run=pair, logs="SIDE=LOG"):
    """The options of each report"""
    ap = argparse.ArgumentParser(description=doc.splitlines()[0])
    for name in ("--arch", "--qemu", "--compiler"):
        ap.add_argument(name, required=True)
    ap.add_argument("--calls", type=int, required=True)
    ap.add_argument("--run", type=run, action="append", default=[], metavar=logs)
    ap.add_argument("--out", required=True, help="path of the results, without suffix")
    ap.add_argument("--no-plot", action="store_true")
    return ap


def two_runs(args, side, parse):
    """What parse(text) makes of the two logs of @side"""
    runs = []
    for path in (p for s, p in args.run if s == side):
        with open(path, encoding="utf-8", errors="replace") as f:
            try:
                runs.append(parse(f.read()))
            except Error as e:
                raise Error(f"{side}: {e}") from None
    if len(runs) != 2:
        raise Error(f"{side}: {len(runs)} runs, two are needed")
    return runs


def main(argv=None):
    ap = parser(__doc__)
    ap.add_argument("--size", type=pair, action="append", default=[], metavar="SIDE=KEY:BYTES")
    ap.add_argument("--row", action="append", default=[], metavar="R/I[:FLAG]")
    args = ap.parse_args(argv)

    try:
        result, notes = make_result(args)
    except Error as e:
        return complain(e)
    for note in notes:
        print(f"callops: bench: note: {note}")
    print("callops: bench: two runs agree in every row")

    return save(args.out, result, table(result), None if args.no_plot else plot)


if __name__ == "__main__":
    sys.exit(main())
