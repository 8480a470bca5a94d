#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Turn the logs of bench/guest-bpf.sh into JSON, a table and a plot.

Called by bench/run-bpf. Every kernel has two logs or more without KASLR ("near")
and with it ("far"). Figures are means of many calls, with the timer's ticks in them
and, other than in bench/run, a disk that answers when it likes; "bench" prints
its rates with three digits. Two runs may differ by 0.2 %, no more; their mean is
what counts.
"""

import argparse
import re
import sys

from report import Error, fields, guest_lines, n, number, save, short_qemu

UNIT = "instructions per hit"
WORKLOAD = "dd if=/dev/zero of=/dev/null bs=1: vfs_write; trig-*: getpgid of selftests/bpf/bench"
# Those whose trampoline may be near or far
PLACED = ("fentry", "fexit", "trig-fentry", "trig-fexit")
ORDER = ("none", "kprobe", "fentry", "fentry-far", "fexit", "fexit-far", "trig-base",
         "trig-kprobe", "trig-fentry", "trig-fentry-far", "trig-fexit", "trig-fexit-far")


def parse_log(text, where, calls):
    """A log -> (release, {probe: instructions per hit})"""
    release, rows = None, {}
    for what, rest in guest_lines(text):
        if what == "guest":
            release = fields(rest, "the line 'guest'", ("release",))["release"]
        elif what == "row":
            f = fields(rest, "a row", ("probe",))
            if "us" in f:
                value = number(f["us"], "us") * 1000 / calls
            elif re.fullmatch(r"\d+\.\d+", f.get("mhz", "")) and float(f["mhz"]):
                value = 1000 / float(f["mhz"])
            else:
                raise Error(f"row {f['probe']} has no figure: {rest!r}")
            name = f["probe"] + ("-far" if where == "far" and f["probe"] in PLACED else "")
            if name in rows or name not in ORDER:
                raise Error(f"row {name} was not asked for, or is there twice")
            rows[name] = value
    if release is None:
        raise Error("the log has no line 'guest'")
    return release, rows


def kernel(side, runs):
    """What is in the JSON for one kernel, of its runs; raises Error if two differ"""
    seen, problems = {}, []
    if len({release for release, _ in runs}) != 1:
        problems.append(f"{side}: not every log is of the same release")
    if len({frozenset(name.replace("-far", "") for name in rows) for _, rows in runs}) != 1:
        problems.append(f"{side}: not every log has the same rows")
    for _, rows in runs:
        for name, value in rows.items():
            seen.setdefault(name, []).append(value)
    for name, values in seen.items():
        if max(values) > 1.002 * min(values):
            problems.append(f"{side}: {name} differs between two runs: "
                            f"{min(values):.2f} and {max(values):.2f}")
    if problems:
        raise Error("\n".join(problems))
    mean = {name: sum(values) / len(values) for name, values in seen.items()}
    rows = []
    for name in ORDER:
        if name in mean:
            ground = mean["trig-base" if name.startswith("trig-") else "none"]
            rows.append({"probe": name, "per_call": round(mean[name]),
                         "added": round(mean[name] - ground)})
    return {"release": runs[0][0], "rows": rows}


def by_probe(result, side):
    return {r["probe"]: r for r in result["kernels"][side]["rows"]}


def table(result):
    base, patched = by_probe(result, "base"), by_probe(result, "patched")
    kernels = result["kernels"]
    out = [f"Instructions that a BPF program adds to a call; {result['arch']}, {n(result['calls'])} calls",
           f"{short_qemu(result['qemu'])}, -icount shift=0,sleep=off, one CPU",
           result["compiler"],
           f"before: Linux {kernels['base']['release']}, after: Linux {kernels['patched']['release']}",
           "-far: with KASLR, where a branch does not reach the program's trampoline; kpti=0", ""]
    head = "| {:<16} || {:>8} | {:>6} || {:>8} | {:>6} | {:>14} |"
    line = "+-{}-++-{}-+-{}-++-{}-+-{}-+-{}-+".format(*("-" * w for w in (16, 8, 6, 8, 6, 14)))
    out += [line, head.format("", "before", "added", "after", "added", "of its kprobe"), line]
    for name in ORDER:
        if name == "trig-base":
            out.append(line)
        b, p = base.get(name), patched.get(name)
        if not p:
            continue
        kprobe = patched["trig-kprobe" if name.startswith("trig-") else "kprobe"]
        out.append(head.format(
            name, n(b["per_call"]) if b else "error 524", n(b["added"]) if b else "",
            n(p["per_call"]), n(p["added"]),
            f"{p['added'] / kprobe['added']:.2f}" if p["added"] else ""))
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
        names = [r for r in ORDER if r.startswith("trig-") == trig and r not in ("none", "trig-base")]
        for at, side in ((-0.2, "base"), (0.2, "patched")):
            rows = by_probe(result, side)
            for i, name in enumerate(names):
                if name in rows:
                    ax.bar(i + at, rows[name]["added"], 0.4, edgecolor="black", linewidth=0.8,
                           label=f"{side} (Linux {result['kernels'][side]['release']})"
                           if name.endswith("kprobe") else None, **looks[side])
                    ax.annotate(n(rows[name]["added"]), (i + at, rows[name]["added"]),
                                xytext=(0, 2), textcoords="offset points", ha="center", fontsize=8)
                else:
                    ax.annotate("error 524", (i + at, 0), xytext=(0, 4), rotation=90,
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
    ap = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("--arch", "--qemu", "--compiler"):
        ap.add_argument(name, required=True)
    ap.add_argument("--calls", type=int, required=True)
    ap.add_argument("--run", action="append", default=[], metavar="SIDE:near|far=LOG")
    ap.add_argument("--out", required=True, help="path of the results, without suffix")
    ap.add_argument("--no-plot", action="store_true")
    args = ap.parse_args(argv)

    try:
        runs = {"base": [], "patched": []}
        for run in args.run:
            kind, _, path = run.partition("=")
            side, _, where = kind.partition(":")
            with open(path, encoding="utf-8", errors="replace") as f:
                try:
                    runs[side].append(parse_log(f.read(), where, args.calls))
                except Error as e:
                    raise Error(f"{kind}: {e}") from None
        for side, got in runs.items():
            if len(got) < 4:
                raise Error(f"{side}: {len(got)} runs, four are needed")
        result = {"arch": args.arch, "unit": UNIT, "workload": WORKLOAD, "calls": args.calls,
                  "qemu": args.qemu, "compiler": args.compiler,
                  "kernels": {side: kernel(side, got) for side, got in runs.items()}}
    except Error as e:
        for line in str(e).splitlines():
            print(f"callops: bench: {line}", file=sys.stderr)
        return 1
    print("callops: bench: no two runs differ by more than 0.2 % in any row")
    return save(args.out, result, table(result), None if args.no_plot else plot)


if __name__ == "__main__":
    sys.exit(main())
