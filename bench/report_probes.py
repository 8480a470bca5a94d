#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Make the table of bench/run-probes: OUT.json and OUT.txt."""

import argparse
import json
import re
import sys

ROWS = ['none', 'kprobe', 'kretprobe', 'fprobe-entry', 'fprobe-exit']

# What a row of the patched kernel may cost, as a part of a row of the base.
REACH = {'arm64': {'fprobe-entry': ('kprobe', 0.3), 'fprobe-exit': ('kretprobe', 0.45)},
         'riscv': {}}


def parse(path):
    """The rows of one run: instructions of all calls, or None if the kernel lacks it."""
    rows, ended = {}, False
    with open(path, encoding='utf-8') as log:
        for line in log:
            if m := re.fullmatch(r'bench: row probe=(\S+) (ns|errno)=(\d+)\s*', line):
                rows[m[1]] = int(m[3]) if m[2] == 'ns' else None
            ended |= line.strip() == 'bench: end'
    if not ended or list(rows) != ROWS:
        raise ValueError(f'{path} is not whole: {", ".join(rows)}')
    return rows


def added(rows, calls):
    """What each probe adds to a call, rounded to an instruction"""
    return {r: None if n is None else round((n - rows['none']) / calls)
            for r, n in rows.items() if r != 'none'}


def judge(arch, base, patched):
    """What is not as the series promises"""
    wrong = [f'{r} is missing in the patched kernel' for r, n in patched.items() if n is None]
    for row, (of, part) in REACH[arch].items():
        if patched[row] is not None and patched[row] > part * base[of]:
            wrong.append(f'{row}: {patched[row]} is more than {part} of {base[of]}')
    return wrong


def main():
    """Read the runs, compare, write"""
    ap = argparse.ArgumentParser()
    for name in ('arch', 'qemu', 'compiler', 'out'):
        ap.add_argument('--' + name, required=True)
    ap.add_argument('--calls', type=int, required=True)
    ap.add_argument('--run', action='append', required=True, metavar='SIDE=LOG')
    args = ap.parse_args()
    sides = {}
    for run in args.run:
        side, path = run.split('=', 1)
        rows = added(parse(path), args.calls)
        if sides.setdefault(side, rows) != rows:
            sys.exit(f'two runs of the {side} kernel differ: {sides[side]} and {rows}')
    if wrong := judge(args.arch, sides['base'], sides['patched']):
        sys.exit('\n'.join(wrong))
    with open(args.out + '.json', 'w', encoding='utf-8') as f:
        json.dump({'arch': args.arch, 'calls': args.calls, 'qemu': args.qemu,
                   'compiler': args.compiler, 'added': sides}, f, indent=1)
        f.write('\n')
    lines = [f'Instructions that a probe adds to a call, {args.arch}', '',
             f'{"probe":14}{"6.1":>8}{"callops":>9}']
    for row in ROWS[1:]:
        cells = ['-' if sides[s][row] is None else sides[s][row] for s in ('base', 'patched')]
        lines.append(f'{row:14}{cells[0]:>8}{cells[1]:>9}')
    lines += ['', f'{args.calls} calls, handlers that count; {args.qemu}', args.compiler]
    with open(args.out + '.txt', 'w', encoding='utf-8') as f:
        f.write('\n'.join(lines) + '\n')


if __name__ == '__main__':
    main()
