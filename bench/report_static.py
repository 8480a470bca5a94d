#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Turn the logs of bench/guest-static.sh into JSON, a table and a plot.

Called by bench/run-static. Every kernel has two logs. Calls have to be the same in
both, to the digit; a load, in which tasks and the timer are at work, may differ by
0.2 %, and the mean counts. What has to hold between the two kernels is in judge().
"""

import sys

from report import (Error, complain, distinct, fields, guest_lines, n, number, pair, parser,
                    releases, save, short_qemu, signed, two_runs)

UNIT = "instructions per call, less an empty loop"
ROWS = {
    "direct": "a direct call",
    "pointer": "a call through a pointer",
    "static-near": "a static call, in range of a branch",
    "static-first": "... that was never updated",
    "static-far": "... out of range",
    "static-module": "... by the kernel's trampoline",
    "cond-null": "... of nothing, NULL",
    "ret0": "... of __static_call_return0",
    "tp-off": "a tracepoint that is off",
    "tp-1": "... with 1 callback",
    "tp-2": "... with 2",
    "tp-10": "... with 10",
    "tp-1-core": "1 callback in the kernel",
    "tp-1-module": "1, all in one module",
    "tp-1-args1": "... of 1 argument",
    "tp-1-args4": "... of 4 arguments",
    "tp-1-args12": "... of 12 arguments",
}
# Of an architecture where code has a register that calls between kernel and modules
# change: what the caller, the trampoline and the target are in, in functions of their own.
IN = {"k": "kernel", "m": "module"}
EIGHT = {
    "control_kk": "a direct call in the kernel",
    "control_mm": "... in a module",
    **{c + t + f: f"from {IN[c]} by {IN[t]} to {IN[f]}" for c in IN for t in IN for f in IN},
}
ROWS.update(EIGHT)
UPDATES = {
    "update-near": "an update, in range",
    "update-far": "... out of range, or back",
    "update-module": "... from kernel to module, or back",
    "update-0-1": "a tracepoint's first callback",
    "update-1-2": "... and the second",
}
LOADS = {
    "load-off": "tasks that send messages, events off",
    "load-on": "... all events on",
    "events": "events in that",
    "events-enable": "to enable all events",
    "events-disable": "to disable them",
}
SIZES = {"text": "bytes of text in vmlinux", "image": "bytes of the boot image"}


def per_call(name, f, calls):
    """Of a row's fields: what it says, if that is right"""
    made = calls // 100 if name in UPDATES else calls
    if number(f["calls"], "calls") != made:
        raise Error(f"row {name} made {f['calls']} calls instead of {made}")
    ns, per = number(f["ns"], "ns"), number(f["per_call"], "per_call")
    if per != (ns if name in UPDATES else ns + made // 2) // made:
        raise Error(f"row {name}: {ns} ns are not {per} per call")
    return per


def parse_log(text, calls):
    """A log -> {'release', 'rows': {name: (ns, per call)}, 'loads': {name: instructions}}"""
    run = {"release": None, "rows": {}, "loads": {}}
    for what, rest in guest_lines(text):
        if what == "guest":
            run["release"] = fields(rest, "the line 'guest'", ("release",))["release"]
        elif what in ("row", "load"):
            f = fields(rest, f"a {what}",
                       ("name", "ns") + (("calls", "per_call") if what == "row" else ()))
            name, got = f["name"], run[what + "s"]
            if name not in ((*ROWS, *UPDATES) if what == "row" else LOADS):
                raise Error(f"{what} {name} was not asked for")
            if name in got:
                raise Error(f"{name} is there twice")
            got[name] = number(f["ns"], name)
            if what == "row":
                got[name] = got[name], per_call(name, f, calls)
            elif not got[name]:
                raise Error(f"{name} is 0")
    missing = [r for r in (*ROWS, *UPDATES, *LOADS)
               if r not in run["rows"] and r not in run["loads"] and r not in ("tp-1-core", *EIGHT)]
    if run["release"] is None or missing:
        raise Error(f"the log has no {', '.join(missing) or 'release'}")
    return run


def kernel(side, runs, sizes):
    first, last = runs
    problems = [f"{side}: {name} differs between two runs: "
                + " and ".join(f"{run['rows'][name][0]} ns" if name in run["rows"] else "none"
                               for run in runs)
                for name in (*ROWS, *UPDATES) if first["rows"].get(name) != last["rows"].get(name)]
    loads = {}
    for name, value in first["loads"].items():
        other = last["loads"][name]
        if abs(other - value) > 0.002 * value:
            problems.append(f"{side}: {name} differs by more than 0.2 %: {value} and {other}")
        loads[name] = (value + other) // 2
    if first["release"] != last["release"]:
        problems.append(f"{side}: release {first['release']} and {last['release']}")
    problems += [f"{side}: {name} is missing" for name in SIZES if name not in sizes]
    if problems:
        raise Error("\n".join(problems))
    return {"release": first["release"],
            "rows": [{"name": r, "per_call": first["rows"][r][1]}
                     for r in (*ROWS, *UPDATES) if r in first["rows"]],
            "loads": {**loads, **sizes}}


# What may cost more than on the base, and by how much: the messages of 0603, 0604, 0605
# and 0610 say why.
MORE = {
    "arm64": {"tp-2": 1, "static-far": 2},
    "riscv": {"static-near": 1, "static-first": 3, "static-far": 3, "static-module": 3},
    "powerpc": {"ret0": 2},
}
# Where each of the eight cases has to be there
ALL_EIGHT = ("powerpc",)
# A call that is not made costs less than one that is: each of these takes more than the last
RISING = ("tp-off", "tp-1", "tp-2", "tp-10")


def judge(result):
    """Problems: where the patched kernel is not as the series promises"""
    base, patched = by_name(result, "base"), by_name(result, "patched")
    problems = releases(*(result["kernels"][k]["release"] for k in ("base", "patched")))
    for name in sorted(base.keys() ^ patched.keys()):
        problems.append(f"{name} is there on one kernel only")
    for name in EIGHT if result["arch"] in ALL_EIGHT else ():
        if name not in base:
            problems.append(f"{name} is missing")
    for side, rows in (("base", base), ("patched", patched)):
        for less, more in zip(RISING, RISING[1:]):
            if rows[more] <= rows[less]:
                problems.append(f"{side}: {more} takes {rows[more]}, no more than {less}")
        for name in ROWS:
            control = "control_kk" if name[0] == "k" else "control_mm" if name in EIGHT else "direct"
            if name in rows and name not in ("tp-off", "cond-null", "ret0") and rows[name] < rows[control]:
                problems.append(f"{side}: {name} takes {rows[name]}, less than {control}")
    for name in (r for r in ROWS if r in base and r in patched):
        b, p = base[name], patched[name]
        if name in ("direct", "pointer", "tp-off") and p != b:
            problems.append(f"{name} takes {b} on the base and {p} on the patched kernel, "
                            "but the series does not change it")
        more = MORE.get(result["arch"], {}).get(name, 0)
        if p > b + more:
            problems.append(f"{name} takes {p}, and {b} on the base")
        # What a lone callback takes beyond a direct call: half of it, rounded up
        before, after = b - base["direct"], p - patched["direct"]
        if name.startswith("tp-1") and name != "tp-10" and (p >= b or after > (before + 1) // 2):
            problems.append(f"{name}: the dispatch takes {after}, more than half of {before}")
        if name == "kkk" and p > patched["control_kk"] + 2:
            problems.append(f"kkk takes {p}, a direct call {patched['control_kk']}")
    before, after = (result["kernels"][side]["loads"] for side in ("base", "patched"))
    b, p = before["load-on"], after["load-on"]
    if p >= b:
        problems.append(f"with all events on the tasks take {p}, no less than {b} on the base")
    # Fewer events are less work: each has to take less, too, and hardly any may be missing
    b, p = ((load["load-on"] - load["load-off"]) / load["events"] for load in (before, after))
    if p >= b:
        problems.append(f"an event takes {p:.2f}, no less than {b:.2f} on the base")
    # Another archive of the guest alone moves load-off by up to 1.2 %. What a tracepoint that
    # is off takes has a row of its own, to the digit.
    for name, less, more in (("load-off", 0.98, 1.02), ("events", 0.95, 1.05)):
        b, p = before[name], after[name]
        if not less * b <= p <= more * b:
            problems.append(f"{name} is {p}, and {b} on the base")
    return problems


def by_name(result, side):
    return {r["name"]: r["per_call"] for r in result["kernels"][side]["rows"]}


def table(result):
    base, patched = by_name(result, "base"), by_name(result, "patched")
    kernels = result["kernels"]
    out = [f"Instructions per static call and tracepoint; {result['arch']}, {n(result['calls'])} calls",
           f"{short_qemu(result['qemu'])}, -icount shift=0,sleep=off, one CPU",
           result["compiler"],
           f"configuration: {result['config'] or 'plain, without JUMP_LABEL'}",
           f"before: Linux {kernels['base']['release']}, after: Linux {kernels['patched']['release']}",
           "the whole call, to a function that does nothing; dispatch: beyond a direct call", ""]
    head = "| {:<13} | {:<35} || {:>6} | {:>8} || {:>6} | {:>8} | {:>5} |"
    line = "+-{}-+-{}-++-{}-+-{}-++-{}-+-{}-+-{}-+".format(*("-" * w for w in (13, 35, 6, 8, 6, 8, 5)))
    out += [line, head.format("row", "", "before", "dispatch", "after", "dispatch", ""), line]
    for name, text in ROWS.items():
        if name not in base or name not in patched:
            continue
        if name in ("tp-off", "control_kk"):
            out.append(line)
        b, p = base[name], patched[name]
        more = [v - d["direct"] if v >= d["direct"] and name not in ("direct", "tp-off", "cond-null", "ret0", *EIGHT) else ""
                for v, d in ((b, base), (p, patched))]
        out.append(head.format(name, text, n(b), more[0], n(p), more[1],
                               f"{more[1] / more[0]:.2f}" if more[0] not in ("", 0) and more[1] != "" else ""))
    out += [line, ""]
    row = "{:<51} {:>13} {:>13} {:>8}"
    out.append(row.format("", "before", "after", "").rstrip())
    for name, text in UPDATES.items():
        out.append(row.format("instructions: " + text, n(base[name]), n(patched[name]), ""). rstrip())
    for name, text in {**LOADS, **SIZES}.items():
        b, p = (kernels[side]["loads"][name] for side in ("base", "patched"))
        what = text if name in ("events", *SIZES) else "instructions: " + text
        out.append(row.format(what, n(b), n(p), signed(b, p)))
    return "\n".join(out) + "\n"


def plot(result, path):
    import matplotlib
    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.hashsalt": "callops", "svg.fonttype": "none",
                                "font.size": 9, "hatch.linewidth": 0.6})
    import matplotlib.pyplot as plt

    looks = {"base": {"facecolor": "white", "hatch": "////"}, "patched": {"facecolor": "0.35"}}
    both = {side: by_name(result, side) for side in looks}
    names = [r for r in ROWS if all(r in rows for rows in both.values())]
    fig, ax = plt.subplots(figsize=(10, 4))
    for at, side in ((-0.2, "base"), (0.2, "patched")):
        values = [both[side][r] for r in names]
        ax.bar([i + at for i in range(len(names))], values, 0.4, edgecolor="black", linewidth=0.8,
               label=f"{side} (Linux {result['kernels'][side]['release']})", **looks[side])
        for i, value in enumerate(values):
            ax.annotate(n(value), (i + at, value), xytext=(0, 2), textcoords="offset points",
                        ha="center", fontsize=7)
    ax.set_xticks(range(len(names)), names, rotation=30, ha="right", rotation_mode="anchor")
    ax.set_ylabel("instructions per call")
    ax.grid(axis="y", color="0.85", linewidth=0.6)
    ax.set_axisbelow(True)
    ax.legend(loc="upper left", fontsize=8, frameon=False)
    fig.suptitle(f"{result['arch']}: static calls and tracepoints ({short_qemu(result['qemu'])}, "
                 "-icount shift=0)", fontsize=10)
    fig.tight_layout()
    fig.savefig(path + ".svg.tmp", format="svg", metadata={"Date": None, "Creator": None})
    fig.savefig(path + ".png.tmp", format="png", dpi=150, metadata={"Software": None})
    plt.close(fig)


def main(argv=None):
    ap = parser(__doc__)
    ap.add_argument("--config", default="", help="CONFIG of both kernels")
    ap.add_argument("--size", type=pair, action="append", default=[], metavar="SIDE=KEY:BYTES")
    args = ap.parse_args(argv)

    try:
        kernels = {}
        distinct([path for _, path in args.run])
        for side in ("base", "patched"):
            runs = two_runs(args, side, lambda text: parse_log(text, args.calls))
            sizes = dict(v.split(":") for s, v in args.size if s == side)
            kernels[side] = kernel(side, runs, {k: number(v, k) for k, v in sizes.items()})
        result = {"arch": args.arch, "unit": UNIT, "calls": args.calls, "qemu": args.qemu,
                  "compiler": args.compiler, "config": args.config, "kernels": kernels}
        problems = judge(result)
        if problems:
            raise Error("\n".join(problems))
    except Error as e:
        return complain(e)
    print("callops: bench: two runs agree to the digit in every call")
    return save(args.out, result, table(result), None if args.no_plot else plot)


if __name__ == "__main__":
    sys.exit(main())
