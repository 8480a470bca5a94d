#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Turn the logs of bench/guest-bpf.sh into JSON, a table and a plot.

Called by bench/run-bpf. Every kernel has two logs or more without KASLR ("near"), with
it ("far"), and with four CPUs ("cpus"). Figures are means of many calls, with the
timer's ticks in them and, other than in bench/run, a disk that answers when it likes;
"bench" prints its rates with three digits. Two runs may differ by 0.2 %, no more; their
mean is what counts. A program that the base cannot attach has the error as its row.
"""

import re
import sys

from report import (Error, complain, distinct, fields, guest_lines, n, number, parser, releases,
                    save, short_qemu)

UNIT = "instructions per hit"
WORKLOAD = "dd if=/dev/zero of=/dev/null bs=1: vfs_write; trig-*: getpgid of selftests/bpf/bench"
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


def parse_log(text, where, calls):
    """A log -> (release, {probe: instructions per hit, or "error N"})"""
    release, rows, places = None, {}, {}
    for what, rest in guest_lines(text):
        if what == "guest":
            release = fields(rest, "the line 'guest'", ("release",))["release"]
        elif what == "place":
            f = fields(rest, "a place", ("probe", "of", "at"))
            places.setdefault((f["probe"], f["of"]), []).append(int(f["at"], 16))
        elif what == "row":
            f = fields(rest, "a row", ("probe",))
            if "us" in f:
                value = number(f["us"], "us") * 1000 / calls
            elif re.fullmatch(r"\d+\.\d+", f.get("mhz", "")) and float(f["mhz"]):
                value = 1000 / float(f["mhz"])
            elif f.get("errno") and f["probe"] in PLACED:
                value = f"error {number(f['errno'], 'errno')}"
            else:
                raise Error(f"row {f['probe']} has no figure: {rest!r}")
            name = f["probe"] + ("-far" if where == "far" and f["probe"] in PLACED else "")
            if name in rows or name not in asked(where):
                raise Error(f"row {name} was not asked for, or is there twice")
            rows[name] = value
    if release is None:
        raise Error("the log has no line 'guest'")
    for name in asked(where):
        probe = name.removesuffix("-far")
        if name not in rows:
            raise Error(f"row {name} is missing")
        if probe.startswith(("fentry", "fexit")) and not isinstance(rows[name], str):
            check_place(name, places.get((probe, "vfs_write"), []),
                        places.get((probe, "bpf_trampoline_"), []))
    return release, rows


def check_place(name, functions, trampolines):
    """Raise Error if a program's trampoline is not where the row's name says"""
    if not functions or not trampolines:
        raise Error(f"row {name}: the log does not say where its trampoline is")
    for at in trampolines:
        distance = abs(at - functions[0])
        if (distance >= REACH) != name.endswith("-far"):
            raise Error(f"row {name}: its trampoline is {distance >> 20} MiB from vfs_write, "
                        f"{'out of' if distance >= REACH else 'in'} reach of a branch")


def kernel(side, runs):
    """What is in the JSON for one kernel, of its runs; raises Error if two differ"""
    seen, problems = {}, []
    if len({release for release, _ in runs}) > 1:
        problems.append(f"{side}: not every log is of the same release")
    for _, rows in runs:
        for name, value in rows.items():
            seen.setdefault(name, []).append(value)
    for name in ORDER:
        values = seen.get(name, [])
        if len(values) < 2:
            problems.append(f"{side}: {len(values)} runs with {name}, two are needed")
            continue
        failed = [v for v in values if isinstance(v, str)]
        if failed and side == "patched":
            problems.append(f"patched: {name} could not be attached: {failed[0]}")
        elif failed and len(set(values)) > 1:
            problems.append(f"{side}: {name} differs between two runs: "
                            + " and ".join(map(str, values)))
        # With four CPUs, what the idle ones do comes on top.
        elif not failed and max(values) > (1.005 if "perf" in name else 1.002) * min(values):
            problems.append(f"{side}: {name} differs between two runs: "
                            f"{min(values):.2f} and {max(values):.2f}")
    if problems:
        raise Error("\n".join(problems))
    rows = []
    for name in ORDER:
        values = seen[name]
        if isinstance(values[0], str):
            rows.append({"probe": name, "error": values[0]})
        else:
            mean, ground = (sum(v) / len(v) for v in (values, seen[ground_of(name, "none", "base")]))
            rows.append({"probe": name, "per_call": round(mean), "added": round(mean - ground)})
    return {"release": runs[0][0], "rows": rows}


def ground_of(name, plain, trig):
    """The row that name is compared with, dd's or that of the selftests' bench"""
    if name.startswith("fentry-shared"):
        return f"{plain}-shared" if plain == "none" else plain
    if name.startswith("perf") and plain == "none":
        return "perf-none"
    return f"trig-{trig}" if name.startswith("trig-") else plain


def judge(result):
    """Problems: where the patched kernel is not as the series promises"""
    base, patched = by_probe(result, "base"), by_probe(result, "patched")
    problems = releases(*(result["kernels"][k]["release"] for k in ("base", "patched")))
    # Or nobody has traced it
    problems += [f"{side}: {name} adds {n(row['added'])}"
                 for side, rows in (("base", base), ("patched", patched))
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


def by_probe(result, side):
    return {r["probe"]: r for r in result["kernels"][side]["rows"]}


def table(result):
    base, patched = by_probe(result, "base"), by_probe(result, "patched")
    kernels = result["kernels"]
    out = [f"Instructions that a BPF program adds to a call; {result['arch']}, {n(result['calls'])} calls",
           f"{short_qemu(result['qemu'])}, -icount shift=0,sleep=off, one CPU, but four for perf",
           result["compiler"],
           f"before: Linux {kernels['base']['release']}, after: Linux {kernels['patched']['release']}",
           "-far: with KASLR, where a branch does not reach the program's trampoline; kpti=0",
           "-shared: beside two function tracers, and what is added to them",
           "perf: perf stat -a -e ftrace:function, with four CPUs: an ops for each of them", ""]
    head = "| {:<17} || {:>8} | {:>6} || {:>8} | {:>6} | {:>14} |"
    line = "+-{}-++-{}-+-{}-++-{}-+-{}-+-{}-+".format(*("-" * w for w in (17, 8, 6, 8, 6, 14)))
    out += [line, head.format("", "before", "added", "after", "added", "of old kprobe"), line]
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
    import matplotlib
    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.hashsalt": "callops", "svg.fonttype": "none",
                                "font.size": 9, "hatch.linewidth": 0.6})
    import matplotlib.pyplot as plt

    fig, axes = plt.subplots(1, 2, figsize=(10, 4))
    looks = {"base": {"facecolor": "white", "hatch": "////"}, "patched": {"facecolor": "0.35"}}
    for ax, trig in zip(axes, (False, True)):
        names = [r for r in ORDER if r.startswith("trig-") == trig and r not in GROUNDS]
        for at, side in ((-0.2, "base"), (0.2, "patched")):
            rows = by_probe(result, side)
            for i, name in enumerate(names):
                if "error" not in rows[name]:
                    ax.bar(i + at, rows[name]["added"], 0.4, edgecolor="black", linewidth=0.8,
                           label=f"{side} (Linux {result['kernels'][side]['release']})"
                           if name.endswith("kprobe") else None, **looks[side])
                    ax.annotate(n(rows[name]["added"]), (i + at, rows[name]["added"]),
                                xytext=(0, 2), textcoords="offset points", ha="center", fontsize=8)
                else:
                    ax.annotate(rows[name]["error"], (i + at, 0), xytext=(0, 4), rotation=90,
                                textcoords="offset points", ha="center", fontsize=8)
        ax.set_xticks(range(len(names)), names, rotation=30, ha="right", rotation_mode="anchor")
        ax.set_title("selftests/bpf/bench, getpgid()" if trig else "dd, vfs_write()", fontsize=10)
        ax.grid(axis="y", color="0.85", linewidth=0.6)
        ax.set_axisbelow(True)
        ax.margins(y=0.12)
    axes[0].set_ylabel("instructions added to a call")
    axes[1].legend(loc="upper right", fontsize=8, frameon=False)
    fig.suptitle(f"{result['arch']}: what a BPF program adds ({short_qemu(result['qemu'])}, "
                 "-icount shift=0)", fontsize=10)
    fig.tight_layout()
    fig.savefig(path + ".svg.tmp", format="svg", metadata={"Date": None, "Creator": None})
    fig.savefig(path + ".png.tmp", format="png", dpi=150, metadata={"Software": None})
    plt.close(fig)


def main(argv=None):
    args = parser(__doc__, str, "SIDE:near|far|cpus=LOG").parse_args(argv)

    try:
        runs = {"base": [], "patched": []}
        distinct([run.partition("=")[2] for run in args.run])
        for run in args.run:
            kind, _, path = run.partition("=")
            side, _, where = kind.partition(":")
            with open(path, encoding="utf-8", errors="replace") as f:
                try:
                    runs[side].append(parse_log(f.read(), where, args.calls))
                except Error as e:
                    raise Error(f"{kind}: {e}") from None
        result = {"arch": args.arch, "unit": UNIT, "workload": WORKLOAD, "calls": args.calls,
                  "qemu": args.qemu, "compiler": args.compiler,
                  "kernels": {side: kernel(side, got) for side, got in runs.items()}}
        problems = judge(result)
        if problems:
            raise Error("\n".join(problems))
    except Error as e:
        return complain(e)
    print("callops: bench: no two runs differ by more than 0.2 %, or 0.5 % with four CPUs")
    return save(args.out, result, table(result), None if args.no_plot else plot)


if __name__ == "__main__":
    sys.exit(main())
