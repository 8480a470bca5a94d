# SPDX-License-Identifier: GPL-2.0
"""The reports in bench/ share how they read logs, compare runs, and write their results.

A report is a module with

    FACTS       what its JSON says of itself, the unit at least
    WANTED      {line: fields} of a log, see read_log()
    WHERE       what else than the kernel tells its logs apart, "" for nothing
    AGREE       what it says of two runs that are the same
    parse(lines, where, args)   a run; raises Error
    kernel(side, runs, args)    (its entry in the JSON, problems), of {where: [run, run]}
    judge(result)   problems: where the patched kernel is not as the series promises
    table(result)   the table
    plot(result, path), options(parser), more(args)     if it has any

main() checks everything before it writes anything, and writes the JSON last.
"""

import argparse
import contextlib
import json
import os
import re
import sys

SIDES = ("base", "patched")
SUFFIX = "-callops"     # of the patched kernel's release
LOOKS = {"base": {"facecolor": "white", "hatch": "////"}, "patched": {"facecolor": "0.35"}}


class Error(Exception):
    """What is wrong with a run, in one line."""


def number(text, what):
    if not re.fullmatch(r"\d+", text):
        raise Error(f"{what} is not a number: {text!r}")
    return int(text)


def read_log(text, wanted):
    """(release, [(what, {field: value})]) of the lines "bench: WHAT FIELD=VALUE..." that are
    @wanted: {what: fields that have to be there}. A log has to have a release, and an end."""
    lines, ended, release = [], False, None
    for line in text.replace("\r", "").splitlines():
        m = re.match(r"bench: (\w+) ?(.*)", line)
        if not m:
            continue
        what, rest = m.groups()
        if what == "error":
            raise Error(f"the guest says: {rest}")
        ended |= what == "end"
        f = dict(w.split("=", 1) for w in rest.split() if "=" in w)
        missing = [w for w in wanted.get(what, ()) if w not in f]
        if missing:
            raise Error(f"a line '{what}' has no {', '.join(missing)}")
        if what == "guest":
            release = f.get("release")
        if what in wanted:
            lines.append((what, f))
    if not ended:
        raise Error("the log ends too early")
    if release is None:
        raise Error("the log has no release")
    return release, lines


def add(rows, name, value, asked):
    """Add a row to @rows, which is one of those that were asked for"""
    if name not in asked or name in rows:
        raise Error(f"row {name} " + ("is there twice" if name in rows else "was not asked for"))
    rows[name] = value


def complete(rows, names):
    """Raise Error unless @rows has all of @names"""
    missing = [str(name) for name in names if name not in rows]
    if missing:
        raise Error(f"the log has no {', '.join(missing)}")


def differs(side, name, values, part=0):
    """The problem if two runs are further apart than that part of the figure, in a list"""
    if len(set(values)) == 1 or part and max(values) - min(values) <= part * min(values):
        return []
    return [f"{side}: {name} differs between two runs: {' and '.join(map(str, dict.fromkeys(values)))}"]


def n(value):
    return f"{value:,}"


def signed(before, after):
    return f"{100 * (after - before) / before:+.1f} %"


def short_qemu(version):
    """'QEMU emulator version 7.2.22 (Debian ...)' -> 'QEMU 7.2.22'"""
    return version.split(" (")[0].replace("emulator version ", "")


def rows_of(result, key="name"):
    """The rows by name, of the base and of the patched kernel"""
    return [{row[key]: row for row in result["kernels"][side]["rows"]} for side in SIDES]


def heading(result, title, cpus="one CPU", more=()):
    base, patched = (result["kernels"][side]["release"] for side in SIDES)
    return [f"{title}; {result['arch']}, {n(result['calls'])} calls",
            f"{short_qemu(result['qemu'])}, -icount shift=0,sleep=off, {cpus}",
            result["compiler"], *more, f"before: Linux {base}, after: Linux {patched}"]


def rule(row):
    """The line between rows of that format"""
    return re.sub(r"{:.(\d+)}", lambda m: "-" * int(m[1]), row).replace("|", "+").replace(" ", "-")


def lower_block(figures):
    """Lines of (what, before, after, percent or nothing)"""
    row = "{:<51} {:>13} {:>13} {:>8}"
    return [row.format(*f).rstrip() for f in
            [("", "before", "after", ""), *((what, n(b), n(p), more) for what, b, p, more in figures)]]


@contextlib.contextmanager
def figure(result, path, title, **how):
    """The axes to draw on; then PATH.svg.tmp and PATH.png.tmp, the same each time"""
    import matplotlib
    matplotlib.use("Agg")
    # No date, no random ids; text as text
    matplotlib.rcParams.update({"svg.hashsalt": "callops", "svg.fonttype": "none",
                                "font.size": 9, "hatch.linewidth": 0.6})
    import matplotlib.pyplot as plt

    fig, axes = plt.subplots(1, **how)
    yield axes
    for ax in fig.axes:
        ax.grid(axis="y", color="0.85", linewidth=0.6)
        ax.set_axisbelow(True)
    fig.suptitle(f"{result['arch']}: {title} ({short_qemu(result['qemu'])}, -icount shift=0)", fontsize=10)
    fig.tight_layout()
    fig.savefig(path + ".svg.tmp", format="svg", metadata={"Date": None, "Creator": None})
    fig.savefig(path + ".png.tmp", format="png", dpi=150, metadata={"Software": None})
    plt.close(fig)


def labels(result):
    return {side: f"{side} (Linux {result['kernels'][side]['release']})" for side in SIDES}


def bars(ax, side, values, label, size=0):
    """A bar for each of @values, with the figure above it if that has a size, or an error instead"""
    places = [i + (-0.2 if side == "base" else 0.2) for i in range(len(values))]
    there = [(x, v) for x, v in zip(places, values) if not isinstance(v, str)]
    ax.bar([x for x, _ in there], [v for _, v in there], 0.4, edgecolor="black", linewidth=0.8,
           label=label, **LOOKS[side])
    for x, v in zip(places, values) if size else ():
        text, y, up, rotation = (v, 0, 4, 90) if isinstance(v, str) else (n(v), v, 2, 0)
        ax.annotate(text, (x, y), xytext=(0, up), rotation=rotation, textcoords="offset points",
                    ha="center", fontsize=size)


def name_bars(ax, names, rotation=30):
    ax.set_xticks(range(len(names)), names, rotation=rotation, ha="right", rotation_mode="anchor")


def of_side(text):
    """'base:far=LOG' -> ('base', 'far', 'LOG')"""
    m = re.fullmatch(r"(base|patched)(?::(\w+))?=(.+)", text)
    if not m:
        raise argparse.ArgumentTypeError(f"not base[:...]=... or patched[:...]=...: {text!r}")
    return m[1], m[2] or "", m[3]


def distinct(paths):
    """Raise Error if one log is given as two runs"""
    seen = {}
    for path in paths:
        if seen.setdefault(os.path.realpath(path), path) is not path:
            raise Error(f"{path} is given twice: each run needs a log of its own")


def read_runs(report, args, side, where):
    """The releases and what the report makes of the two logs of @side"""
    kind = f"{side}:{where}".rstrip(":")
    paths = [path for *of, path in args.run if of == [side, where]]
    if len(paths) != 2:
        raise Error(f"{kind}: {len(paths)} runs, two are needed")
    runs = []
    for i, path in enumerate(paths):
        with open(path, encoding="utf-8", errors="replace") as f:
            try:
                release, lines = read_log(f.read(), report.WANTED)
                runs.append((release, report.parse(lines, where, args)))
            except Error as e:
                raise Error(f"{kind}, run {i + 1}: {e}") from None
    return zip(*runs)


def make_result(report, args):
    """What is in the JSON; raises Error with all that is wrong"""
    kernels, problems = {}, []
    distinct([path for _, _, path in args.run])
    args.size = {side: {key: number(size, f"{side}: size of {key}")
                        for s, key, size in args.size if s == side} for side in SIDES}
    for side in SIDES:
        releases, runs = [], {}
        for where in report.WHERE:
            of, runs[where] = read_runs(report, args, side, where)
            releases += of
        entry, wrong = report.kernel(side, runs, args)
        problems += differs(side, "release", releases) + wrong
        kernels[side] = {"release": releases[0], **entry}
    if problems:
        raise Error("\n".join(problems))
    result = {"arch": args.arch, **report.FACTS, "calls": args.calls, "qemu": args.qemu,
              "compiler": args.compiler, **getattr(report, "more", lambda args: {})(args), "kernels": kernels}
    base, patched = (kernels[side]["release"] for side in SIDES)
    if patched != base + SUFFIX or base.endswith(SUFFIX):
        problems.append(f"the releases {base} and {patched} are not those of a base and of a patched "
                        f"kernel (X and X{SUFFIX})")
    problems += report.judge(result)
    if problems:
        raise Error("\n".join(problems))
    return result


def write(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
        f.flush()
        os.fsync(f.fileno())


def save(out, result, text, plotter):
    """Write all results, or none"""
    suffixes = ["txt", "svg", "png", "json"] if plotter else ["txt", "json"]
    try:
        write(out + ".txt.tmp", text)
        if plotter:
            plotter(result, out)
        write(out + ".json.tmp", json.dumps(result, indent=1) + "\n")
        for suffix in suffixes:
            os.replace(f"{out}.{suffix}.tmp", f"{out}.{suffix}")
    except OSError as e:
        for suffix in suffixes:
            for path in (f"{out}.{suffix}.tmp", f"{out}.{suffix}"):
                if os.path.exists(path):
                    os.unlink(path)
        raise Error(f"cannot write {e.filename or out}: {e.strerror}") from None


def main(report, argv=None):
    """The exit status"""
    ap = argparse.ArgumentParser(description=report.__doc__.splitlines()[0])
    for name in ("--arch", "--qemu", "--compiler"):
        ap.add_argument(name, required=True)
    ap.add_argument("--calls", type=int, required=True)
    ap.add_argument("--run", type=of_side, action="append", default=[], metavar="SIDE[:WHERE]=LOG")
    ap.add_argument("--size", type=of_side, action="append", default=[], metavar="SIDE:KEY=BYTES")
    ap.add_argument("--out", required=True, help="path of the results, without suffix")
    ap.add_argument("--no-plot", action="store_true")
    getattr(report, "options", lambda ap: None)(ap)
    args = ap.parse_args(argv)
    try:
        result = make_result(report, args)
        print(f"callops: bench: {report.AGREE}")
        save(args.out, result, report.table(result), None if args.no_plot else getattr(report, "plot", None))
    except Error as e:
        for line in str(e).splitlines():
            print(f"callops: bench: {line}", file=sys.stderr)
        return 1
    return 0
