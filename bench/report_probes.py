#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Make the table of bench/run-probes: OUT.json and OUT.txt.

Every kernel has two logs, and two more of CONFIG=bpf (multi-SIDE=LOG), where a BPF program
is the handler. What a probe adds to a call has to be the same in both; to attach
and to detach probes may differ by 0.5 %, and the mean counts.
"""

import sys

from report import (Error, complain, distinct, fields, guest_lines, n, number, pair, parser,
                    releases, save, two_runs)

UNIT = "instructions that a probe adds to a call; none: those without a probe"
ROWS = ("none", "kprobe", "kretprobe", "fprobe-entry", "fprobe-exit")
# A BPF program: as the probe of a perf event, by kprobe_multi, and of a raw tracepoint
MULTI = ("bpf-none", "bpf-kprobe", "bpf-kretprobe", "multi-entry", "multi-exit",
         "raw-tp-none", "raw-tp")
# What a row is added to, if that is not a call of the function: a tracepoint that is off
GROUND = {"raw-tp": "raw-tp-none"}

# What a row of the patched kernel may cost, as a part of a row of the base.
REACH = {"arm64": {"kprobe": ("kprobe", 0.35), "kretprobe": ("kretprobe", 0.5),
                   "bpf-kprobe": ("bpf-kprobe", 0.35), "bpf-kretprobe": ("bpf-kretprobe", 0.55),
                   "fprobe-entry": ("kprobe", 0.3), "fprobe-exit": ("kretprobe", 0.45),
                   "multi-entry": ("bpf-kprobe", 0.3), "multi-exit": ("bpf-kretprobe", 0.45),
                   "raw-tp": ("raw-tp", 0.9),
                   "attach-all": ("attach-all", 1 / 50)},
         # Its kprobes are called by ftrace, also on the base
         "riscv": {"fprobe-entry": ("kprobe", 1), "fprobe-exit": ("kretprobe", 1),
                   "multi-entry": ("bpf-kprobe", 1), "multi-exit": ("bpf-kretprobe", 1),
                   "raw-tp": ("raw-tp", 0.9), "attach-1000": ("attach-1000", 1 / 50)}}


def logs(text):
    """'multi-base=LOG' -> ('multi-base', 'LOG')"""
    side, value = pair(text.removeprefix("multi-"))
    return ("multi-" if text.startswith("multi-") else "") + side, value


def parse_log(text, calls, attach=(), rows=ROWS):
    """A log -> {'release', 'rows': {name: per call, or None}, 'attach': {(probe, N): {...}}}"""
    run = {"release": None, "rows": {}, "attach": {}}
    for what, rest in guest_lines(text):
        if what == "guest":
            run["release"] = fields(rest, "the line 'guest'", ("release",))["release"]
        elif what == "row":
            f = fields(rest, "a row", ("probe",))
            if f["probe"] in run["rows"]:
                raise Error(f"row {f['probe']} is there twice")
            run["rows"][f["probe"]] = number(f["ns"], f["probe"]) if "errno" not in f else None
        elif what == "attach":
            keys = ("functions", "attach", "detach", "ns")
            f = fields(rest, "a line 'attach'", ("probe", "of", *keys))
            run["attach"][f["probe"], f["of"]] = {k: number(f[k], k) for k in keys}
    missing = [r for r in rows if r not in run["rows"] or
               (r.endswith("none") and run["rows"][r] is None)]
    missing += [f"attach-{of}" for of in attach
                if not {("kprobe", of), ("fprobe", of)} & run["attach"].keys()]
    if run["release"] is None or missing:
        raise Error(f"the log has no {', '.join(missing) or 'release'}")
    took = dict(run["rows"])
    for name, ns in took.items():
        ground = 0 if name.endswith("none") else took[GROUND.get(name, rows[0])]
        if ns is not None:
            run["rows"][name] = round((ns - ground) / calls)
    return run


def per_call(side, runs, names):
    """(problems, rows)"""
    first, last = (run["rows"] for run in runs)
    return ([f"{side}: {name} differs between two runs: {first[name]} and {last[name]}"
             for name in names if first[name] != last[name]],
            [{"name": name, "per_call": first[name]} for name in names])


def kernel(side, runs, attach, multi):
    first, last = runs
    problems, rows = per_call(side, runs, ROWS)
    more, bpf = per_call(side, multi, MULTI)
    problems += more
    rows += bpf
    # By one fprobe, if there are, and by a kprobe each
    fprobes = [("fprobe", of) for of in attach if ("fprobe", of) in first["attach"]]
    kprobes = [("kprobe", of) for of in attach if ("kprobe", of) in first["attach"]]
    for probe, of in fprobes + kprobes:
        name = f"kprobes-{of}" if probe == "kprobe" and ("fprobe", of) in fprobes else f"attach-{of}"
        one, two = (run["attach"].get((probe, of)) for run in runs)
        if two is None or any(abs(one[k] - two[k]) > 0.005 * one[k] + 1000 for k in one):
            problems.append(f"{side}: {name} differs by more than 0.5 %: {one} and {two}")
            continue
        mean = {k: (one[k] + two[k]) // 2 for k in one}
        rows.append({"name": name, "per_call": mean["attach"] + mean["detach"],
                     "probe": probe, **mean})
    for other in (last, *multi):
        if other["release"] != first["release"]:
            problems.append(f"{side}: release {first['release']} and {other['release']}")
    if problems:
        raise Error("\n".join(problems))
    return {"release": first["release"], "rows": rows}


def judge(result):
    """Problems: where the patched kernel is not as the series promises"""
    base, patched = by_name(result, "base"), by_name(result, "patched")
    problems = releases(*(result["kernels"][k]["release"] for k in ("base", "patched")))
    problems += [f"patched: {name} is missing" for name, row in patched.items()
                 if row["per_call"] is None]
    problems += [f"patched: {name} is by kprobes" for name, row in patched.items()
                 if name.startswith("attach-") and row["probe"] != "fprobe"]
    problems += [f"{side}: {name} takes {n(row['per_call'])} instructions"
                 for side, rows in (("base", base), ("patched", patched))
                 for name, row in rows.items() if row["per_call"] is not None and row["per_call"] <= 0]
    # Kprobes refuse some
    problems += [f"patched: {name} is to {n(row['functions'])} functions"
                 for name, row in patched.items() if name.startswith("attach-") and
                 (str(row["functions"]) != name[7:] if name != "attach-all"
                  else row["functions"] < base[name]["functions"])]
    for row, (of, part) in REACH[result["arch"]].items():
        p, b = patched[row]["per_call"], base[of]["per_call"]
        if b is None:
            problems.append(f"base: {of} is missing")
        elif p is not None and p > part * b:
            problems.append(f"patched: {row} takes {n(p)}, more than {part} of the base's {of}, {n(b)}")
    return problems


def by_name(result, side):
    return {r["name"]: r for r in result["kernels"][side]["rows"]}


def attach(base, patched, kind):
    out = [f"{'functions':>10} | {'attach':>14} {'detach':>12} {'us':>12} | "
           f"{'attach':>14} {'detach':>14} {'us':>12}"]
    for name, b in base.items():
        p = patched.get(name.replace("attach", kind))
        if not name.startswith("attach-") or not p:
            continue
        nr = n(p["functions"]) + (f" ({n(b['functions'])})" if b["functions"] != p["functions"] else "")
        out.append(f"{nr:>10} | {n(b['attach']):>14} {n(b['detach']):>12} {n(b['ns'] // 1000):>12} | "
                   f"{n(p['attach']):>14} {n(p['detach']):>14} {n(p['ns'] // 1000):>12}")
    return out


def table(result):
    base, patched = by_name(result, "base"), by_name(result, "patched")
    before = ".".join(result["kernels"]["base"]["release"].split(".")[:2])
    out = [f"Instructions that a probe adds to a call, {result['arch']}", "",
           f"{'probe':14}{before:>8}{'callops':>9}"]
    for row in (r for r in ROWS + MULTI if r in patched and not r.endswith("none")):
        cells = ["-" if s[row]["per_call"] is None else s[row]["per_call"] for s in (base, patched)]
        out.append(f"{row:14}{cells[0]:>8}{cells[1]:>9}")
    out += ["", f"Instructions to attach to functions and to detach: on {before} a kprobe each (for as many as",
            "take one), with callops one fprobe for all. And the us of the guest's clock to attach", "",
            *attach(base, patched, "attach")]
    if any(name.startswith("kprobes-") for name in patched):
        out += ["", "The same by a kprobe each, on both", "", *attach(base, patched, "kprobes")]
    out += ["", f"{n(result['calls'])} calls, handlers that count; {result['qemu']}", result["compiler"]]
    return "\n".join(out) + "\n"


def main(argv=None):
    ap = parser(__doc__, logs, "[multi-]SIDE=LOG")
    ap.add_argument("--attach", type=str.split, default=["1", "100", "1000", "all"], metavar="'N...'")
    args = ap.parse_args(argv)

    try:
        kernels = {}
        distinct([path for _, path in args.run])
        for side in ("base", "patched"):
            runs = two_runs(args, side, lambda text: parse_log(text, args.calls, args.attach))
            multi = two_runs(args, f"multi-{side}", lambda text: parse_log(text, args.calls, rows=MULTI))
            kernels[side] = kernel(side, runs, args.attach, multi)
        result = {"arch": args.arch, "unit": UNIT, "calls": args.calls, "qemu": args.qemu,
                  "compiler": args.compiler, "kernels": kernels}
        problems = judge(result)
        if problems:
            raise Error("\n".join(problems))
    except Error as e:
        return complain(e)
    return save(args.out, result, table(result), None)


if __name__ == "__main__":
    sys.exit(main())
