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

# bench_begin RESULT: remove the old build/<base>/bench/RESULT.*, for a new measurement of the
# kernels of $name. Set $out, $guest, $compiler and $qemu. No other bench can run until the
# script ends.
bench_begin() {
	local side
	name=$(flavor) out=$BUILD/bench/$1 report=()
	python=/usr/bin/python3
	need "${ARCH_CROSS}gcc" "${ARCH_CROSS}size" "$python"
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
	scratch
	guest=$SCRATCH/guest
	mkdirs "$guest"
}

# bench_files FILE...: put scripts of bench/, and programs, into $guest.
bench_files() {
	local f
	for f; do
		case $f in
		*.sh) cp "$TOP/bench/$f" "$guest/" || die "cannot write to $guest: disk full?" ;;
		*) "${ARCH_CROSS}gcc" -static -O2 -Wall -o "$guest/$f" "$TOP/bench/$f.c" ||
			die "bench/$f.c does not compile (is libc6-dev-$ARCH_DEBIAN-cross installed? run 'make deps')" ;;
		esac
	done
}

# bench_boot SIDE[:WHERE] OPTION...: boot twice with the instruction-counting clock and
# bin/boot's OPTIONs, and leave what the guest prints in $out-SIDE[-WHERE]-RUN.log.
bench_boot() {
	local kind=$1 run log
	shift
	for run in 1 2; do
		log=$out-${kind/:/-}-$run.log
		say "bench: $(flavor), $kind kernel, run $run of 2"
		"$TOP/bin/boot" --kernel "${kind%:*}" --icount --quiet --timeout "$timeout" --files "$guest" "$@" >"$log" 2>&1 || {
			grep -aE '^bench: (error|kernel)|^callops: ' "$log" | sed 's/^/  /' >&2
			die "bench: $kind kernel, run $run failed; see ${log#"$TOP"/}"
		}
	done
}

# bench_logs SIDE[:WHERE]...: give the report those of bench_boot.
bench_logs() {
	local kind run
	for kind; do
		for run in 1 2; do report+=(--run "$kind=$out-${kind/:/-}-$run.log"); done
	done
}

# bench_sizes: give the report those of both kernels.
bench_sizes() {
	local side
	for side in base patched; do
		report+=(--size "$side:text=$("${ARCH_CROSS}size" "$BUILD/$name/$side/vmlinux" | awk 'NR == 2 { print $1 }')"
			--size "$side:image=$(stat -Lc %s "$BUILD/$name/$side/$ARCH_IMAGE")")
	done
}

# bench_end REPORT OPTION...: make the results, print the table, and with --save copy it, and
# the plot if there is one, to bases/<base>/results.
bench_end() {
	local f
	"$python" "$TOP/bench/$1.py" --arch "$ARCH" --calls "$CALLS" --qemu "$qemu" --compiler "$compiler" \
		"${report[@]}" "${@:2}" --out "$out" || die "bench: no result"
	printf '\n'
	cat "$out.txt"
	printf '\n'
	for f in "$out".{json,txt,svg,png}; do
		[ -f "$f" ] || continue
		say "${f#"$TOP"/}"
		[[ $save = 1 && $f =~ (txt|svg)$ ]] || continue
		mkdirs "$BASE_DIR/results"
		cp "$f" "$BASE_DIR/results/" || die "cannot write bases/$BASE/results"
		say "bases/$BASE/results/${f##*/}"
	done
}
