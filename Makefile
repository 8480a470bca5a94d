# SPDX-License-Identifier: GPL-2.0
# callops: per-callsite ftrace_ops for Linux 6.1. The work is done by bin/*.
#
# Variables: ARCH=arm64|riscv  LLVM=1|-19  KERNEL=/path/to/6.1.y  CONFIG="debug ..."
#            SIDE=base|patched  CMD='command for the guest'  BOOT='options of bin/boot'  V=1
#            PARTS="tests/run ..." of the long run  RESUME=1: go on from tests/summary.txt
MAKEFLAGS += --no-print-directory --no-builtin-rules
.NOTPARALLEL:
.SUFFIXES:

# What the tests run on: both, or the one that was asked for.
ARCHES := $(if $(filter undefined,$(origin ARCH)),arm64 riscv,$(ARCH))
ARCH ?= arm64
LLVM ?=
KERNEL ?=
CONFIG ?=
SIDE ?= patched
CMD ?= uname -a
BOOT ?=
PARTS ?=
RESUME ?=
V ?= 0
export ARCH ARCHES LLVM KERNEL CONFIG V CMD SIDE

help:		## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1\t/p' Makefile | expand -t 10

deps:		## install what is missing (apt; sudo where not root)
	@bin/deps

tree:		## fetch the source, make build/tree with one commit per patch
	@bin/apply

refresh:	## write the commits of build/tree back to patches/ and files
	@bin/refresh

series:		## export mailbox, quilt series, diff and config to build/series
	@bin/export

deb:		## write build/deb, for packages from Debian's own source, and say the commands
	@bin/deb

build:		## build the base and the patched kernel
	@bin/build base patched

boot:		## boot SIDE=base|patched in QEMU, run CMD='...', return its status
	@bin/build $(SIDE)
	@bin/boot --kernel $(SIDE) $(BOOT) -- "$$CMD"

shell:		## an interactive guest of SIDE=base|patched; Ctrl-A X leaves
	@bin/build $(SIDE)
	@bin/boot --kernel $(SIDE) $(BOOT) --shell

bench:		## measure both kernels: table, JSON and plot in build/bench
	@bin/build base patched
	@bench/run

bench-bpf:	## the same for BPF programs at a function's entry and exit (arm64)
	@CONFIG=bpf bin/build base patched
	@bench/run-bpf

bench-static:	## the same for static calls and tracepoints
	@bin/build base patched
	@bench/run-static

probe:		## what SIDE's kernel can do for tracers and BPF, tried out (arm64)
	@CONFIG=bpf bin/build $(SIDE)
	@CONFIG=bpf bin/boot --kernel $(SIDE) --tools --quiet --files bin $(BOOT) -- "chroot /debian sh -c 'modprobe callops_target; python3 /callops/callops-probe'"

demo: deps	## from nothing to the table and the plot
	@bin/build base patched
	@bench/run

test:		## everything: check, build, tests in the guest, for both ARCH
	@for arch in $(ARCHES); do ARCH=$$arch bin/deps || exit; done
	@tests/all

test-long:	## hours: each configuration, each prefix of the series, mutations, long stress
	@for arch in $(ARCHES); do for llvm in -16 -19; do ARCH=$$arch LLVM=$$llvm bin/deps || exit; done; done
	@LONG=1 tests/all $(if $(RESUME),--resume) $(PARTS)

summary:	## tests/summary.txt: what of the long run has passed, and what is due
	@tests/all --save

check:		## the fast checks: scripts, series, checkpatch, our tools
	@bin/check

clean:		## remove build/ (the cache stays)
	@bin/clean

.PHONY: help deps tree refresh series deb build boot shell bench bench-bpf bench-static probe demo test test-long summary check clean
