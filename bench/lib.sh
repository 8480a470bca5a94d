# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Sourced by bench/run and bench/run-* after bin/lib.sh: their common parts.

# bench_options TIMEOUT OPTION...: set $save and $timeout. The caller sets $USAGE.
bench_options() {
	save=0 timeout=$1
	shift
	while [ $# -gt 0 ]; do
		case $1 in
		--save) save=1 ;;
		--timeout) [ $# -ge 2 ] || die "--timeout needs a value"; timeout=$2; shift ;;
		-h|--help) printf '%s\n' "$USAGE"; exit 0 ;;
		*) printf 'callops: error: unknown option %s\n%s\n' "$1" "$USAGE" >&2; exit 64 ;;
		esac
		shift
	done
}

# bench_begin NAME OUT: remove the old results OUT.*, for a new measurement of the kernels
# of flavor NAME. Set $python, $compiler and $qemu. No other bench can run until the script
# ends.
bench_begin() {
	local side name=$1 out=$2
	python=/usr/bin/python3
	need "${ARCH_CROSS}gcc" "$python"
	qemu_load
	"$python" -c 'import matplotlib' 2>/dev/null || die "python3-matplotlib is not installed; run 'make deps'"
	lock "$BUILD/bench/.lock" bench
	rm -f "$out".{json,txt,svg,png}
	ln -sfn "$BASE/bench" "$TOP/build/bench"	# the latest, for scripts that read it
	for side in base patched; do
		[ -f "$BUILD/$name/$side/$ARCH_IMAGE" ] ||
			die "no $side kernel for $name; run 'make build${CONFIG:+ CONFIG=$CONFIG}'"
	done
	# The compiler according to the kernels' own configuration.
	compiler=$(sed -n 's/^CONFIG_CC_VERSION_TEXT="\(.*\)"$/\1/p' "$BUILD/$name/patched/.config")
	qemu=$("$ARCH_QEMU" --version | head -n 1)
}

# bench_program NAME DIR: compile bench/NAME.c for the guest.
bench_program() {
	"${ARCH_CROSS}gcc" -static -O2 -Wall -o "$2/$1" "$TOP/bench/$1.c" ||
		die "bench/$1.c does not compile (is libc6-dev-$ARCH_DEBIAN-cross installed? run 'make deps')"
}

# bench_boot SIDE WHAT LOG OPTION...: boot with the instruction-counting clock and bin/boot's
# OPTIONs, and leave what the guest prints in LOG.
bench_boot() {
	local side=$1 what=$2 log=$3
	shift 3
	say "bench: $(flavor), $side kernel, $what"
	"$TOP/bin/boot" --kernel "$side" --icount --quiet --timeout "$timeout" "$@" >"$log" 2>&1 || {
		grep -aE '^bench: error|^callops: ' "$log" | sed 's/^/  /' >&2
		die "bench: $side kernel, $what failed; see ${log#"$TOP"/}"
	}
}

# save_results NAME: copy the table, and the plot if there is one, from build/<base>/bench to
# bases/<base>/results.
save_results() {
	local f dst=$BASE_DIR/results
	mkdirs "$dst"
	for f in "$BUILD/bench/$1".{txt,svg}; do
		[ -f "$f" ] || continue
		cp "$f" "$dst/" || die "cannot write bases/$BASE/results"
		say "bases/$BASE/results/${f##*/}"
	done
}
