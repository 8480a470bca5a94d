# SPDX-License-Identifier: GPL-2.0
# callops: per-callsite ftrace_ops for an LTS kernel. bin/* does the work.
#
# Variables: ARCH=arm64|riscv|powerpc  LLVM=1|-19  KERNEL=/path/to/linux  CONFIG="debug ..."
#            SIDE=base|patched  CMD='command for the guest'  BOOT='options of bin/boot'  V=1
#            PARTS="tests/run ...": only these parts of the long run
#            RESUME=1: the long run goes on from bases/<base>/passed
MAKEFLAGS += --no-print-directory --no-builtin-rules
.NOTPARALLEL:
.SUFFIXES:

# The tests run on all, or on the ARCH given on the command line.
ARCHES := $(if $(filter undefined,$(origin ARCH)),$(patsubst qemu/arch/%.sh,%,$(sort $(wildcard qemu/arch/*.sh))),$(ARCH))
ARCH ?= arm64
# powerpc has JUMP_LABEL in each kernel.
JUMP := $(if $(filter powerpc,$(ARCH)),,jump)
LLVM ?=
KERNEL ?=
CONFIG ?=
SIDE ?= patched
CMD ?= uname -a
# What is for the guest's shell is none of make's
override CMD := $(value CMD)
BOOT ?=
PARTS ?=
RESUME ?=
V ?= 0
export ARCH ARCHES LLVM KERNEL CONFIG V CMD SIDE

# Said before kernels are built
HAS = bash -c '. bin/lib.sh; arch_load; has $(1) || die "ARCH=$$ARCH has no $(2)"'

help:		## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1\t/p' Makefile | expand -t 10

deps:		## install missing packages (apt; sudo unless root)
	@bin/deps

tree:		## fetch the source, make build/<base>/tree with one commit per patch
	@bin/apply

refresh:	## write the commits of build/<base>/tree back to patches/ and our files
	@bin/refresh

series:		## export mailbox, quilt series, diff and config to build/<base>/series
	@bin/export

deb:		## prepare Debian packages: write build/<base>/deb, print the commands
	@bin/deb

build:		## build the base and the patched kernel
	@bin/build base patched

boot:		## boot SIDE=base|patched in QEMU, run CMD='...', fail if it fails
	@bin/build $(SIDE)
	@bin/boot --kernel $(SIDE) $(BOOT) -- "$$CMD"

shell:		## an interactive guest of SIDE=base|patched; Ctrl-A X leaves
	@bin/build $(SIDE)
	@bin/boot --kernel $(SIDE) $(BOOT) --shell

bench:		## measure both kernels: table, JSON and plot in build/<base>/bench
	@bin/build base patched
	@bench/run

bench-bpf:	## the same for BPF programs on function entry and exit (arm64)
	@$(call HAS,direct-calls,direct calls)
	@CONFIG=bpf bin/build base patched
	@bench/run-bpf

bench-static:	## the same for static calls and tracepoints, with JUMP_LABEL
	@CONFIG=$(JUMP) bin/build base patched
	@CONFIG=$(JUMP) bench/run-static

bench-probes:	## the same for kprobes, kretprobes and fprobes (arm64, riscv)
	@$(call HAS,kprobe-multi,fprobes)
	@bin/build base patched
	@CONFIG=bpf bin/build base patched
	@bench/run-probes

probe:		## try what SIDE's kernel supports for tracers and BPF (arm64)
	@CONFIG=bpf bin/build $(SIDE)
	@CONFIG=bpf bin/boot --kernel $(SIDE) --tools --quiet --files probe $(BOOT) -- "ifconfig lo 127.0.0.1 up; chroot /debian sh -c 'modprobe callops_target; python3 /callops/callops-probe'"

demo: deps	## from a fresh clone to the table and the plot
	@bin/build base patched
	@bench/run

test:		## check, build, measure and test, for each ARCH: over an hour the first time
	@for arch in $(ARCHES); do ARCH=$$arch bin/deps || exit; done
	@tests/all

test-long:	## a day or two: also configurations, prefixes, mutations, long stress
	@for arch in $(ARCHES); do LONG=1 ARCH=$$arch bin/deps || exit; done
	@LONG=1 tests/all $(if $(RESUME),--resume) $(PARTS)

summary:	## write bases/<base>/summary.txt: what the long run has passed, what is due
	@tests/all --save

check:		## the fast checks: scripts, series, checkpatch, our tools
	@bin/check

clean:		## remove build/, keep the cache
	@bin/clean

.PHONY: help deps tree refresh series deb build boot shell bench bench-bpf bench-static bench-probes probe demo test test-long summary check clean
