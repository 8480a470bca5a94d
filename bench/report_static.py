#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Turn the logs of bench/guest-static.sh into JSON, a table and a plot.

Called by bench/run-static. Every kernel has two logs. Calls have to be the same in
both, to the digit; a load, in which tasks and the timer are at work, may differ by
0.2 %, and the mean counts. What has to hold between the two kernels is in judge().
"""

import sys

from common import (SIDES, Error, add, bars, complete, differs, figure, heading, labels, lower_block,
                    main, n, name_bars, number, rows_of, rule, signed)

FACTS = {"unit": "instructions per call, less an empty loop"}
WHERE = ("",)
WANTED = {"guest": (), "row": ("name", "ns", "calls", "per_call"), "load": ("name", "ns")}
AGREE = "two runs agree to the digit in every call"
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


def options(ap):
    ap.add_argument("--config", default="", help="CONFIG of both kernels")


def more(args):
    return {"config": args.config}


def per_call(name, f, calls):
    """Of a row's fields: what it says, if that is right"""
    made = calls // 100 if name in UPDATES else calls
    if number(f["calls"], "calls") != made:
        raise Error(f"row {name} made {f['calls']} calls instead of {made}")
    ns, per = number(f["ns"], "ns"), number(f["per_call"], "per_call")
    if per != (ns if name in UPDATES else ns + made // 2) // made:
        raise Error(f"row {name}: {ns} ns are not {per} per call")
    return per


def parse(lines, where, args):
    """({name: (ns, per call)}, {load: instructions})"""
    rows, loads = {}, {}
    for what, f in lines:
        if what == "row":
            name = f["name"]
            add(rows, name, (number(f["ns"], name), per_call(name, f, args.calls)), {**ROWS, **UPDATES})
        elif what == "load":
            add(loads, f["name"], number(f["ns"], f["name"]), LOADS)
            if not loads[f["name"]]:
                raise Error(f"{f['name']} is 0")
    complete({**rows, **loads}, [r for r in (*ROWS, *UPDATES, *LOADS) if r not in ("tp-1-core", *EIGHT)])
    return rows, loads


def kernel(side, runs, args):
    (rows, loads), (again, others) = runs[""]
    problems = []
    for name in (r for r in (*ROWS, *UPDATES) if r in rows or r in again):
        problems += differs(side, name, [f"{run[name][0]} ns" if name in run else "none" for run in (rows, again)])
    for name, value in loads.items():
        problems += differs(side, name, (value, others[name]), 0.002)
    problems += [f"{side}: {name} is missing" for name in SIZES if name not in args.size[side]]
    return {"rows": [{"name": r, "per_call": rows[r][1]} for r in (*ROWS, *UPDATES) if r in rows],
            "loads": {**{name: (value + others[name]) // 2 for name, value in loads.items()},
                      **args.size[side]}}, problems


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
    base, patched = per_name(result)
    problems = [f"{name} is there on one kernel only" for name in sorted(base.keys() ^ patched.keys())]
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
    before, after = (result["kernels"][side]["loads"] for side in SIDES)
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


def per_name(result):
    return [{name: row["per_call"] for name, row in rows.items()} for rows in rows_of(result)]


def table(result):
    base, patched = per_name(result)
    head = "| {:<13} | {:<35} || {:>6} | {:>8} || {:>6} | {:>8} | {:>5} |"
    line = rule(head)
    out = [*heading(result, "Instructions per static call and tracepoint",
                    more=[f"configuration: {result['config'] or 'plain, without JUMP_LABEL'}"]),
           "the whole call, to a function that does nothing; dispatch: beyond a direct call", "",
           line, head.format("row", "", "before", "dispatch", "after", "dispatch", ""), line]
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
    figures = [("instructions: " + text, base[name], patched[name], "") for name, text in UPDATES.items()]
    for name, text in {**LOADS, **SIZES}.items():
        b, p = (result["kernels"][side]["loads"][name] for side in SIDES)
        what = text if name in ("events", *SIZES) else "instructions: " + text
        figures.append((what, b, p, signed(b, p)))
    return "\n".join(out + lower_block(figures)) + "\n"


def plot(result, path):
    base, patched = per_name(result)
    names = [r for r in ROWS if r in base and r in patched]
    with figure(result, path, "static calls and tracepoints", figsize=(10, 4)) as ax:
        for (side, label), rows in zip(labels(result).items(), (base, patched)):
            bars(ax, side, [rows[name] for name in names], label, 7)
        name_bars(ax, names)
        ax.set_ylabel("instructions per call")
        ax.legend(loc="upper left", fontsize=8, frameon=False)


if __name__ == "__main__":
    sys.exit(main(sys.modules[__name__]))
