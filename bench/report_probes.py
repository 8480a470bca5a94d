#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Make the table of bench/run-probes: OUT.json and OUT.txt.

Every kernel has two logs ("plain"), and two of CONFIG=bpf ("multi"), where a BPF program is
the handler. What a probe adds to a call has to be the same in both; to attach and to detach
probes may differ by 0.5 %, and the mean counts.
"""

import sys

from common import SIDES, add, complete, differs, main, n, number, rows_of

FACTS = {"unit": "instructions that a probe adds to a call; none: those without a probe"}
WHERE = ("plain", "multi")
# Functions; to attach to them, and to detach: instructions, and ns of the guest's clock
KEYS = ("functions", "attach", "ns", "detach", "detach_ns")
WANTED = {"guest": (), "row": ("probe",), "attach": ("probe", "of", *KEYS), "untried": ("probe", "of")}
AGREE = "two runs agree in every probe, and to 0.5 % in what attaching takes"
ROWS = ("none", "kprobe", "kretprobe", "fprobe-entry", "fprobe-exit")
# A BPF program: as the probe of a perf event, by kprobe_multi, and of a raw tracepoint. And
# four events of perf, each with an ops
MULTI = ("bpf-none", "bpf-kprobe", "bpf-kretprobe", "multi-entry", "multi-exit",
         "raw-tp-none", "raw-tp", "perf")
# What a row is added to, if that is not a call of the function: a tracepoint that is off
GROUND = {"raw-tp": "raw-tp-none"}

# What a row of the patched kernel may cost, as a part of a row of the base.
REACH = {"arm64": {"kprobe": ("kprobe", 0.35), "kretprobe": ("kretprobe", 0.5),
                   "bpf-kprobe": ("bpf-kprobe", 0.35), "bpf-kretprobe": ("bpf-kretprobe", 0.55),
                   "fprobe-entry": ("kprobe", 0.3), "fprobe-exit": ("kretprobe", 0.45),
                   "multi-entry": ("bpf-kprobe", 0.3), "multi-exit": ("bpf-kretprobe", 0.45),
                   "raw-tp": ("raw-tp", 0.9), "perf": ("perf", 1),
                   "attach-all": ("attach-all", 1 / 50)},
         # Its kprobes are called by ftrace, also on the base
         "riscv": {"fprobe-entry": ("kprobe", 1), "fprobe-exit": ("kretprobe", 1),
                   "multi-entry": ("bpf-kprobe", 1), "multi-exit": ("bpf-kretprobe", 1),
                   "raw-tp": ("raw-tp", 0.9), "perf": ("perf", 1),
                   "attach-1000": ("attach-1000", 1 / 50)}}


def options(ap):
    ap.add_argument("--attach", type=str.split, default=["1", "100", "1000", "all"], metavar="'N...'")


def parse(lines, where, args):
    """({name: per call, or None}, {(probe, N): {...}, or None where it would take too long})"""
    names, took, attached = MULTI if where == "multi" else ROWS, {}, {}
    for what, f in lines:
        if what == "row":
            add(took, f["probe"], None if "errno" in f else number(f.get("ns", ""), f["probe"]), names)
        elif what == "attach":
            attached[f["probe"], f["of"]] = {k: number(f[k], k) for k in KEYS}
        elif what == "untried":
            attached[f["probe"], f["of"]] = None
    complete([name for name, ns in took.items() if ns is not None or not name.endswith("none")], names)
    if where != "multi":
        complete([f"attach-{of}" for probe, of in attached if probe in ("kprobe", "fprobe")],
                 [f"attach-{of}" for of in args.attach])
    rows = {}
    for name, ns in took.items():
        ground = 0 if name.endswith("none") else took[GROUND.get(name, names[0])]
        rows[name] = None if ns is None else round((ns - ground) / args.calls)
    return rows, attached


def kernel(side, runs, args):
    rows, problems = [], []
    for where, names in (("plain", ROWS), ("multi", MULTI)):
        (first, _), (last, _) = runs[where]
        for name in names:
            # A timer interrupt more or less, in which perf's ops take part
            problems += differs(side, name, (first[name], last[name]), 0.005 if name == "perf" else 0)
            rows.append({"name": name, "per_call": first[name]})
    # By one fprobe, if there are, and by a kprobe each
    (_, first), (_, last) = runs["plain"]
    for probe, of in ((probe, of) for probe in ("fprobe", "kprobe") for of in args.attach if (probe, of) in first):
        name = f"kprobes-{of}" if probe == "kprobe" and ("fprobe", of) in first else f"attach-{of}"
        one, two = first[probe, of], last.get((probe, of))
        if one is two is None:
            rows.append({"name": name, "per_call": None})
            continue
        if one is None or two is None or any(abs(one[k] - two[k]) > 0.005 * one[k] + 1000 for k in one):
            problems.append(f"{side}: {name} differs by more than 0.5 %: {one} and {two}")
            continue
        mean = {k: (one[k] + two[k]) // 2 for k in one}
        rows.append({"name": name, "per_call": mean["attach"] + mean["detach"], "probe": probe, **mean})
    return {"rows": rows}, problems


def judge(result):
    base, patched = rows_of(result)
    problems = [f"patched: {name} is missing" for name, row in patched.items()
                 if row["per_call"] is None]
    problems += [f"patched: {name} is by kprobes" for name, row in patched.items()
                 if name.startswith("attach-") and row.get("probe") == "kprobe"]
    problems += [f"{side}: {name} takes {n(row['per_call'])} instructions"
                 for side, rows in zip(SIDES, (base, patched))
                 for name, row in rows.items() if row["per_call"] is not None and row["per_call"] <= 0]
    # Kprobes refuse some
    problems += [f"patched: {name} is to {n(row['functions'])} functions"
                 for name, row in patched.items() if name.startswith("attach-") and row["per_call"] is not None and
                 (str(row["functions"]) != name[7:] if name != "attach-all"
                  else row["functions"] < base[name].get("functions", 1))]
    for row, (of, part) in REACH[result["arch"]].items():
        p, b = patched[row]["per_call"], base[of]["per_call"]
        if b is None:
            problems.append(f"base: {of} is missing")
        elif p is not None and p > part * b:
            problems.append(f"patched: {row} takes {n(p)}, more than {part} of the base's {of}, {n(b)}")
    return problems


def attach(base, patched, kind):
    head = "{:>15} | {:>13} {:>9} {:>13} {:>9} | {:>11} {:>7} {:>10} {:>6}"
    out = [head.format("functions", *["attach", "us", "detach", "us"] * 2)]
    for name, b in base.items():
        p = patched.get(name.replace("attach", kind))
        if not name.startswith("attach-") or not p:
            continue
        before = b.get("functions", p["functions"])
        out.append(head.format(
            n(p["functions"]) + (f" ({n(before)})" if before != p["functions"] else ""),
            *(n(side[k] // (1000 if k.endswith("ns") else 1)) if k in side else "-"
              for side in (b, p) for k in KEYS[1:])))
    return out


def table(result):
    base, patched = rows_of(result)
    before = ".".join(result["kernels"]["base"]["release"].split(".")[:2])
    out = [f"Instructions that a probe adds to a call, {result['arch']}", "",
           f"{'probe':14}{before:>8}{'callops':>9}"]
    for row in (r for r in ROWS + MULTI if r in patched and not r.endswith("none")):
        cells = ["-" if s[row]["per_call"] is None else s[row]["per_call"] for s in (base, patched)]
        out.append(f"{row:14}{cells[0]:>8}{cells[1]:>9}")
    out += ["", f"Instructions to attach to functions and to detach: on {before} a kprobe each (for as many as",
            "take one), with callops one fprobe for all. us: by the guest's clock, with what is waited for", "",
            *attach(base, patched, "attach")]
    if any(name.startswith("kprobes-") for name in patched):
        out += ["", "The same by a kprobe each, on both", "", *attach(base, patched, "kprobes")]
    out += ["", f"{n(result['calls'])} calls, handlers that count; {result['qemu']}", result["compiler"]]
    return "\n".join(out) + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.modules[__name__]))
