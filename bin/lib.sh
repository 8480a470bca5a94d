# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Sourced by every script in bin/: paths, the arch table, messages.
set -euo pipefail
umask 022
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES GNUMAKEFLAGS
export LC_ALL=C
PATH=$PATH:/usr/sbin:/sbin	# depmod, bpftool and mke2fs are there

TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
BASE=${BASE:-$(cat "$TOP/bases/default")}
ARCH=${ARCH:-arm64}
LLVM=${LLVM:-}
KERNEL=${KERNEL:-}
CONFIG=${CONFIG:-}
PREFIX=${PREFIX:-}
V=${V:-0}
export BASE ARCH LLVM KERNEL CONFIG V
B=build/$BASE		# as messages name it
BUILD=$TOP/$B
CACHE=${CALLOPS_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/callops}
BASE_DIR=$TOP/bases/$BASE
PATCHES=$BASE_DIR/patches
SERIES=${CALLOPS_SERIES:-$PATCHES/series}
NOTES=refs/notes/callops
# Our new files live under these kernel paths.
OUR_DIRS='arch include kernel lib samples scripts tools/testing Documentation'

say()  { printf 'callops: %s\n' "$*"; }
warn() { printf 'callops: warning: %s\n' "$*" >&2; }
die()  { printf 'callops: error: %s\n' "$*" >&2; exit "${DIE_STATUS:-1}"; }
logv() { [ "$V" = 0 ] || printf 'callops: + %s\n' "$*" >&2; }
[[ $TOP$CACHE != *[[:space:]:]* ]] ||
	die "a blank or a colon is in '$TOP' or '$CACHE', where no kernel can be built: move it"

# need TOOL...: die if one is missing, and say how to install it.
need() {
	local t
	for t; do
		command -v "$t" >/dev/null 2>&1 ||
			die "$t is not installed; run 'make deps'"
	done
}

# git, without the user's own configuration, which might change our output.
g() {
	GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null git \
		-c core.quotePath=false -c core.autocrlf=false -c gc.auto=0 \
		-c advice.detachedHead=false -c user.name=callops -c user.email=callops@localhost "$@"
}

# Scratch space, removed at the end, however the script ends.
SCRATCH=
CLEANUP=()
cleanup() {
	local rc=$? c
	trap - EXIT INT TERM HUP
	for c in "${CLEANUP[@]}"; do "$c" || :; done
	[ -z "$SCRATCH" ] || rm -rf -- "$SCRATCH"
	exit "$rc"
}
trap cleanup EXIT
set -E
# An unexpected failure still says where it happened.
trap 'unexpected "$?" "${BASH_SOURCE[0]##*/}" "$LINENO"' ERR
unexpected() {
	[ "$BASH_SUBSHELL" != 0 ] || printf 'callops: error: %s failed at line %s, status %s\n' "$2" "$3" "$1" >&2
}
trap 'exit 130' INT
trap 'exit 143' TERM HUP
scratch() {
	[ -n "$SCRATCH" ] || SCRATCH=$(mktemp -d "${TMPDIR:-/tmp}/callops.XXXXXX") ||
		die "no temporary directory"
}

# mkdirs DIR...: report a full or read-only disk in one line.
mkdirs() { mkdir -p -- "$@" 2>/dev/null || die "cannot create $1: disk full or not writable"; }

# lock FILE WHAT: refuse a concurrent run (with WAIT=1, wait for it). The lock lasts until
# the script ends or closes $LOCK_FD.
lock() {
	local fd
	mkdirs "$(dirname "$1")"
	exec {fd}>>"$1" || die "cannot write $1: disk full or not writable"
	LOCK_FD=$fd
	flock -n "$fd" && return
	[ "${WAIT:-0}" = 1 ] || die "another run is busy with $2 (lock $1)"
	say "waiting for another run to finish with $2"
	flock "$fd"
}

# quietly LOG PROGRESS COMMAND...: run it with all output to LOG. Every ten seconds call
# the function PROGRESS with the seconds so far. The command has a process group of its
# own, which ends with this script: a shell's background jobs do not see Ctrl-C.
RUNNING=
# shellcheck disable=SC2086
stop_running() { [ -z "$RUNNING" ] || kill -TERM -- $RUNNING 2>/dev/null || :; }
CLEANUP+=(stop_running)
quietly() {
	local log=$1 progress=$2 t0=$SECONDS pid ticker rc=0
	shift 2
	set -m
	"$@" >"$log" 2>&1 </dev/null &
	pid=$!
	(
		# Drop the lock: a sleep that was just forked may miss the signal and keep it.
		[ -z "${LOCK_FD:-}" ] || exec {LOCK_FD}>&-
		while sleep 10; do "$progress" $((SECONDS - t0)); done
	) &
	ticker=$!
	set +m
	RUNNING="-$pid -$ticker"
	wait "$pid" || rc=$?
	# Again and again: one that was just forked may lose the signal
	while kill -TERM "$ticker" 2>/dev/null; do kill -TERM -- "-$ticker" 2>/dev/null || :; sleep 0.05; done
	RUNNING=
	return "$rc"
}

arch_known() {
	local f
	for f in "$TOP"/qemu/arch/*.sh; do f=${f##*/}; printf '%s ' "${f%.sh}"; done
}
arch_load() {
	local f=$TOP/qemu/arch/$ARCH.sh known
	known=$(arch_known)
	case $ARCH in */*|.*|'') f=/nonexistent ;; esac
	[ -f "$f" ] || die "unknown ARCH '$ARCH'; known: ${known% }"
	# shellcheck source=/dev/null
	. "$f"
	case $LLVM in
	''|1|-[0-9]*) ;;
	*) die "LLVM='$LLVM' is not understood; use LLVM=1 or one of: $(base clang)" ;;
	esac
}

# qemu_load: make sure that ARCH_QEMU can run. An ARCH with ARCH_QEMU_DEBIAN takes the
# QEMU that bin/userspace fetches, the same on each host, in place of the host's own.
qemu_load() {
	local dir
	if [ -n "${ARCH_QEMU_DEBIAN:-}" ]; then
		dir=$("$TOP/bin/userspace" qemu) || exit "${DIE_STATUS:-1}"
		ARCH_QEMU=$dir/${ARCH_QEMU##*/}
	fi
	need "$ARCH_QEMU"
}

# base KEY: the value for KEY in bases/$BASE/source (the last line wins).
base() {
	awk -v k="$1" '$1 == k { $1 = ""; sub(/^ +/, ""); v = $0 } END { print v }' \
		"$BASE_DIR/source"
}

# abilities: what there is on $ARCH, by the base's list, in one line
abilities() { awk -v a="$ARCH" '$1 == "has" && $2 == a { $1 = $2 = ""; printf "%s ", $0 }' "$BASE_DIR/source"; }

# has WHAT...: does the series have all of that on $ARCH?
has() {
	local what have
	have=" $(abilities) "
	for what; do [[ $have == *" $what "* ]] || return 1; done
}

# runs_here FILE: does $ARCH have what "# needs: " in its head asks for? (none: call-ops)
runs_here() {
	local needs
	needs=$(sed -n 's/^# needs: *//p' "$1")
	# shellcheck disable=SC2086
	has ${needs:-call-ops}
}

# arch_with WHAT...: the ARCHes for which the series has all of that, with a blank behind each
arch_with() {
	local a
	for a in $(arch_known); do ! ARCH=$a has "$@" || printf '%s ' "$a"; done
}

# base_with: the patch that the base is built with on $ARCH, and the files that it brings
base_with() {
	local patch
	patch=$(awk -v a="$ARCH" '$1 == "with" && $2 == a { print $3 }' "$BASE_DIR/source")
	[ -z "$patch" ] || series_read | tr '\t' ' ' | grep "^$patch " || die "bases/$BASE/source names $patch, which is not in series"
}

# flavor: the name of the directory in build/ for this ARCH, LLVM, CONFIG and KERNEL.
flavor() {
	local f=$ARCH c
	case $LLVM in '') ;; 1) f+=-llvm ;; *) f+=-llvm${LLVM#-} ;; esac
	for c in $CONFIG; do f+=-$c; done
	[ -z "$KERNEL" ] || f+=-user
	[ -z "$PREFIX" ] || f+=-prefix
	printf '%s\n' "$f"
}

# fragments NAME...: the files, relative to the top, of these parts of a configuration;
# an ARCH may have a file of its own for each part.
fragments() {
	local n f
	for n; do
		for f in "qemu/$n.config" "qemu/arch/$ARCH.$n.config"; do
			[ ! -f "$TOP/$f" ] || printf '%s\n' "$f"
		done
	done
}

# patched_parts: parts for the patched kernel only; the base does not have their options.
patched_parts() {
	local c
	printf 'patched'
	for c in $CONFIG; do printf ' patched.%s' "$c"; done
}

# config_files: all files that make the configuration of a kernel of $CONFIG and $WISH
# shellcheck disable=SC2046,SC2086
config_files() { fragments kernel "arch/$ARCH" $(patched_parts) with $CONFIG ${WISH:-}; }

# guest_modules: the folders of the modules for the guest's tests on $ARCH
guest_modules() {
	local f
	for f in "$TOP"/tests/guest-modules/*/Kbuild; do
		[ ! -f "$f" ] || ! runs_here "$f" || printf '%s\n' "${f%/Kbuild}"
	done
}

# The paths of the pristine base and of the patched tree.
base_src() {
	if [ -n "$KERNEL" ]; then printf '%s\n' "$BUILD/base-user"
	else readlink -f "$CACHE/src/$BASE" || die "no source in the cache; run 'make tree'"; fi
}
tree_src() {
	if [ -n "$PREFIX" ]; then printf '%s\n' "$PREFIX"	# of tests/prefixes
	elif [ -n "$KERNEL" ]; then printf '%s\n' "$BUILD/tree-user"
	else printf '%s\n' "$BUILD/tree"; fi
}

# kernel_version DIR: VERSION.PATCHLEVEL.SUBLEVEL of a source tree, or nothing.
kernel_version() {
	[ -f "$1/Makefile" ] || return 0
	awk -F' *= *' '$1 == "VERSION" { v = $2 } $1 == "PATCHLEVEL" { p = $2 }
		$1 == "SUBLEVEL" { s = $2 } NR > 8 { exit }
		END { if (v != "" && p != "") print v "." p "." s + 0 }' "$1/Makefile"
}

# series_read: one line per patch, "name<TAB>new files separated by blanks".
series_read() {
	[ -f "$SERIES" ] || return 0
	awk '/^[ \t]*(#|$)/ { next }
	     { name = $1; n = index($0, "# +"); files = n ? substr($0, n + 3) : ""
	       gsub(/[ \t]+/, " ", files); gsub(/^ | $/, "", files)
	       print name "\t" files }' "$SERIES"
}

# ours FILE: where our new file is kept: at its kernel path, or under bases/<base>/files if
# this base needs another version of it.
ours() {
	if [ -f "$BASE_DIR/files/$1" ]; then printf '%s\n' "$BASE_DIR/files/$1"
	else printf '%s\n' "$TOP/$1"; fi
}

# named_by_another_base FILE: does its series bring that file, too?
named_by_another_base() {
	local s
	for s in "$TOP"/bases/*/patches/series; do
		[ "$s" != "$SERIES" ] || continue
		! sed -n 's/.*# +//p' "$s" | tr ' ' '\n' | grep -qxF -- "$1" || return 0
	done
	return 1
}

# tree_clean DIR: no edits and no untracked files, not even ignored ones.
tree_clean() {
	g -C "$1" update-index -q --refresh >/dev/null 2>&1 || :
	g -C "$1" diff-index --quiet HEAD -- 2>/dev/null &&
		[ -z "$(g -C "$1" ls-files --others | head -n 1)" ]
}

# series_hash: a hash of everything in a patched tree that is not from the base.
series_hash() {
	local name files f
	{
		while IFS=$'\t' read -r name files; do
			printf '%s\t%s\n' "$name" "$files"
			sha256sum 2>/dev/null <"$PATCHES/$name" || echo missing
			for f in $files; do
				f=$(ours "$f")
				sha256sum 2>/dev/null <"$f" || echo missing
				[ ! -x "$f" ] || echo x
			done
		done < <(series_read)
	} | sha256sum | cut -d' ' -f1
}

# pack DIR FILE: make a reproducible cpio of DIR for the guest.
pack() {
	(cd "$1" && find . -mindepth 1 -print0 | sort -z |
		cpio --null --create --quiet --format=newc --reproducible --owner=+0:+0) |
		gzip -n -4 >"$2.tmp" && mv "$2.tmp" "$2" && return
	die "could not write $2: disk full?"
}

# format_patch REPO COMMIT: print one mail, byte for byte the same for every git and user.
format_patch() {
	g -C "$1" -c diff.algorithm=myers -c diff.context=3 -c diff.noprefix=false \
		-c diff.mnemonicPrefix=false -c diff.suppressBlankEmpty=false \
		-c format.useAutoBase=false -c core.abbrev=12 \
		format-patch --stdout --always --zero-commit --no-signature --full-index -N \
		--no-renames --no-thread --no-attach --no-notes -1 "$2"
}
