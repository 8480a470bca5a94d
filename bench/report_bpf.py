#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Turn the logs of bench/guest-bpf.sh into JSON, a table and a plot.

Called by bench/run-bpf. Every kernel has two logs without KASLR ("near"), with it ("far"),
and with four CPUs ("cpus"). Figures are means of many calls, with the timer's ticks in
them and, other than in bench/run, a disk that answers when it likes; "bench" prints its
rates with three digits. Two runs may differ by 0.2 %, no more; their mean is what counts.
A program that the base cannot attach has the error as its row.
"""

import re
import sys

from common import (SIDES, Error, add, bars, complete, differs, figure, heading, labels, main, n, name_bars,
                    number, rows_of, rule)

FACTS = {"unit": "instructions per hit",
         "workload": "dd if=/dev/zero of=/dev/null bs=1: vfs_write; trig-*: getpgid of selftests/bpf/bench"}
WHERE = ("near", "far", "cpus")
WANTED = {"guest": (), "place": ("probe", "of", "at"), "row": ("probe",)}
AGREE = "no two runs differ by more than 0.2 %, or 0.5 % with four CPUs"
REACH = 128 << 20       # of a branch, in bytes
# Those whose trampoline may be near or far
PLACED = ("fentry", "fexit", "fentry-shared", "trig-fentry", "trig-fexit")
ORDER = ("none", "kprobe", "fentry", "fentry-far", "fexit", "fexit-far",
         "none-shared", "fentry-shared", "fentry-shared-far", "trig-base",
         "trig-kprobe", "trig-fentry", "trig-fentry-far", "trig-fexit", "trig-fexit-far",
         "perf-none", "perf")
GROUNDS = ("none", "trig-base", "perf-none")


def asked(where):
    """The names of the rows that a log has"""
    return [name + ("-far" if where == "far" and name in PLACED else "") for name in ORDER
            if not name.endswith("-far") and name.startswith("perf") == (where == "cpus")]


def parse(lines, where, args):
    """{probe: instructions per hit, or "error N"}"""
    rows, places = {}, {}
    for what, f in lines:
        if what == "place":
            places.setdefault((f["probe"], f["of"]), []).append(int(f["at"], 16))
        elif what == "row":
            probe = f["probe"]
            if "us" in f:
                value = number(f["us"], "us") * 1000 / args.calls
            elif re.fullmatch(r"\d+\.\d+", f.get("mhz", "")) and float(f["mhz"]):
                value = 1000 / float(f["mhz"])
            elif f.get("errno") and probe in PLACED:
                value = f"error {number(f['errno'], 'errno')}"
            else:
                raise Error(f"row {probe} has no figure")
            add(rows, probe + ("-far" if where == "far" and probe in PLACED else ""), value, asked(where))
    complete(rows, asked(where))
    for name, value in rows.items():
        probe = name.removesuffix("-far")
        if probe.startswith(("fentry", "fexit")) and not isinstance(value, str):
            check_place(name, places.get((probe, "vfs_write"), []),
                        places.get((probe, "bpf_trampoline_"), []))
    return rows


def check_place(name, functions, trampolines):
    """Raise Error if a program's trampoline is not where the row's name says"""
    if not functions or not trampolines:
        raise Error(f"row {name}: the log does not say where its trampoline is")
    for at in trampolines:
        distance = abs(at - functions[0])
        if (distance >= REACH) != name.endswith("-far"):
            raise Error(f"row {name}: its trampoline is {distance >> 20} MiB from vfs_write, "
                        f"{'out of' if distance >= REACH else 'in'} reach of a branch")


def kernel(side, runs, args):
    seen, problems, rows = {}, [], []
    for run in (run for both in runs.values() for run in both):
        for name, value in run.items():
            seen.setdefault(name, []).append(value)
    means = {}
    for name in ORDER:
        values = seen[name]
        failed = [v for v in values if isinstance(v, str)]
        if failed and side == "patched":
            problems.append(f"patched: {name} could not be attached: {failed[0]}")
        # With four CPUs, what the idle ones do comes on top.
        problems += differs(side, name, values, 0 if failed else 0.005 if "perf" in name else 0.002)
        means[name] = None if failed else sum(values) / len(values)
        ground = means[ground_of(name, "none", "base")]
        rows.append({"probe": name, "error": values[0]} if failed else
                    {"probe": name, "per_call": round(means[name]), "added": round(means[name] - ground)})
    return {"rows": rows}, problems


def ground_of(name, plain, trig):
    """The row that name is compared with, dd's or that of the selftests' bench"""
    if name.startswith("fentry-shared"):
        return f"{plain}-shared" if plain == "none" else plain
    if name.startswith("perf") and plain == "none":
        return "perf-none"
    return f"trig-{trig}" if name.startswith("trig-") else plain


def judge(result):
    base, patched = rows_of(result, "probe")
    # Or nobody has traced it
    problems = [f"{side}: {name} adds {n(row['added'])}"
                 for side, rows in zip(SIDES, (base, patched))
                 for name, row in rows.items() if name not in GROUNDS and row.get("added", 1) <= 0]
    for name, row in patched.items():
        near = patched.get(name.replace("-far", ""))
        kprobe = base[ground_of(name, "kprobe", "kprobe")]
        if name in ("none-shared", "perf"):
            if row["per_call"] >= base[name]["per_call"]:
                problems.append(f"{name} takes {n(row['per_call'])}, no less than "
                                f"{n(base[name]['per_call'])} on the base")
        elif name.endswith("kprobe"):
            if row["added"] > 0.35 * kprobe["added"]:
                problems.append(f"{name} adds {n(row['added'])}, more than 0.35 of the "
                                f"{n(kprobe['added'])} on the base")
        elif not name.startswith(PLACED) and abs(
                row["per_call"] - base[name]["per_call"]) > base[name]["per_call"] / 200:
            problems.append(f"{name} takes {n(base[name]['per_call'])} on the base and "
                            f"{n(row['per_call'])} on the patched kernel")
        if name.startswith(PLACED) and not 0 < row["added"] < kprobe["added"] / 2:
            problems.append(f"patched: {name} adds {n(row['added'])}, and a kprobe of the base "
                            f"{n(kprobe['added'])}: it is to add less than half of that")
        # In company the direct call is made behind the tracers, wherever it leads.
        if near is not row and "shared" not in name and row["added"] <= near["added"]:
            problems.append(f"patched: {name} adds {n(row['added'])}, no more than "
                            f"{n(near['added'])} with its trampoline in reach")
    return problems


def table(result):
    base, patched = rows_of(result, "probe")
    head = "| {:<17} || {:>8} | {:>6} || {:>8} | {:>6} | {:>14} |"
    line = rule(head)
    out = [*heading(result, "Instructions that a BPF program adds to a call", "one CPU, but four for perf"),
           "-far: with KASLR, where a branch does not reach the program's trampoline; kpti=0",
           "-shared: beside two function tracers, and what is added to them",
           "perf: perf stat -a -e ftrace:function, with four CPUs: an ops for each of them", "",
           line, head.format("", "before", "added", "after", "added", "of old kprobe"), line]
    for name in ORDER:
        if name in ("none-shared", "trig-base", "perf-none"):
            out.append(line)
        b, p = base[name], patched[name]
        kprobe = base[ground_of(name, "kprobe", "kprobe")]
        out.append(head.format(
            name, b.get("error") or n(b["per_call"]), "" if "error" in b else n(b["added"]),
            n(p["per_call"]), n(p["added"]),
            f"{p['added'] / kprobe['added']:.2f}" if p["added"] and not name.startswith(("none", "perf")) else ""))
    out.append(line)
    return "\n".join(out) + "\n"


def plot(result, path):
    with figure(result, path, "what a BPF program adds", ncols=2, figsize=(10, 4)) as axes:
        for ax, trig in zip(axes, (False, True)):
            names = [r for r in ORDER if r.startswith("trig-") == trig and r not in GROUNDS]
            for (side, label), rows in zip(labels(result).items(), rows_of(result, "probe")):
                bars(ax, side, [rows[name].get("error", rows[name].get("added")) for name in names], label, 8)
            name_bars(ax, names)
            ax.set_title("selftests/bpf/bench, getpgid()" if trig else "dd, vfs_write()", fontsize=10)
            ax.margins(y=0.12)
        axes[0].set_ylabel("instructions added to a call")
        axes[1].legend(loc="upper right", fontsize=8, frameon=False)


if __name__ == "__main__":
    sys.exit(main(sys.modules[__name__]))
