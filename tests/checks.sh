# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Sourced by the checks of a series that build parts of it apart: tests/hygiene and
# tests/debian. Logs: build/<base>/tests/<flavor>/NAME-*.log, objects: build/<base>/NAME/<flavor>/.
# NAME is that of the script.
. "$(dirname "${BASH_SOURCE[0]}")/../bin/kbuild.sh"

NAME=${0##*/}
O='' n=0 pass=0 fail=0 skip=0
good()   { n=$((n + 1)) pass=$((pass + 1)); echo "ok $n - $*"; }
bad()    { n=$((n + 1)) fail=$((fail + 1)); echo "not ok $n - $*"; }
passed_over() { n=$((n + 1)) skip=$((skip + 1)); echo "ok $n - $1 # SKIP $2"; }
show()   { head -n 20 | sed 's/^/#   /'; }
# verdict WHAT FILE LOG: FILE holds what is wrong.
verdict() {
	if [ ! -s "$2" ]; then good "$1"; return; fi
	bad "$1"
	show <"$2"
	[ -z "$3" ] || echo "#   see ${3#"$TOP"/}"
}

# ---- the trees, and what of them is ours --------------------------------------------
both_trees() {
	[ -z "${BASE_ID:-}" ] || return 0
	"$TOP/bin/apply" | sed -u 's/^/# /'
	SRC_base=$(base_src) SRC_patched=$(tree_src)
	BASE_ID=$(g -C "$SRC_base" rev-parse base^0)
	g -C "$SRC_patched" diff --name-only --no-renames "$BASE_ID" HEAD | sort >"$SCRATCH/touched"
}

# enabled: of these goals, not the objects that this tree lacks, or its configuration in $O
# leaves out: some do not compile then.
enabled() {
	local o lines option
	while read -r o; do
		if [[ $o = *.o ]]; then
			lines=$(grep -E "[[:space:]]${o##*/}([[:space:]]|\$)" "$O/src/${o%/*}/Makefile") || continue
			# shellcheck disable=SC2016
			option=$(sed -n 's/^obj-\$(\(CONFIG_[A-Z0-9_]*\)).*/\1/p' <<<"$lines")
			[ -z "$option" ] || grep -q "^$option=[ym]" "$O/.config" || continue
		fi
		echo "$o"
	done
}

# goals: what to build of $ARCH, by the configuration in $O: the directories of touched files.
# One with too much else in it is not built, but the objects are.
goals() {
	grep -E '\.[cS]$' "$SCRATCH/touched" | grep -vE '\.lds\.S$' |
		awk -v arch="arch/$ARCH_KERNEL/" '
			/^(tools|scripts|Documentation)\// || (/^arch\// && index($0, arch) != 1) { next }
			{ d = $0; sub(/[^\/]*$/, "", d); sub(/\.[cS]$/, ".o")
			  print (d ~ /^(kernel|mm|lib)\/$/) ? $0 : d }' | sort -u | enabled
}

# objects SIDE WHAT: an empty object directory $O.
objects() {
	local src=SRC_$1
	O=$BUILD/$NAME/$(flavor)/$2-$1
	[ "${3:-}" = keep ] || rm -rf -- "$O"
	mkdirs "$O"
	ln -sfn "${!src}" "$O/src"
}

# make_to LOG ARGUMENT...: of km, which may take long. What was wrong is in $LOG.
make_to() {
	LOG=$dir/$NAME-$1.log
	shift
	run "$LOG" "$(flavor)/${LOG##*/}" km -j"$(nproc)" "$@"
}

# failed_make: why, of which there is always a line
failed_make() { echo "make failed:"; first_errors "$LOG" 2>&1; }

# The warnings of a log without the places, which a patch above them moves. In a header
# one counts once, however many files include it.
warnings_of() {
	sed -nE "s#^($O/|\./)?(src/)?([A-Za-z][^ :]*)(:[0-9]+){0,2}: ([Ww]arning|WARNING|[Ee]rror|ERROR): #\3: \5: #p" "$@" |
		sort | awk '!/^[^:]*\.h: / || !seen[$0]++'
}

# options .config: how ours came out; how they have to, and a line if they did not
options() {
	local o out=''
	for o in CALL_OPS DIRECT_CALLS; do
		o=DYNAMIC_FTRACE_WITH_$o
		out+=" ${o#DYNAMIC_FTRACE_WITH_}=$(sed -n "s/^CONFIG_$o=//p" "$1" | grep . || echo n)"
	done
	echo "${out# }"
}
unwanted() { [ "$(options "$O/.config")" = "$(wanted)" ] || echo "$(options "$O/.config"), and not $(wanted)"; }
wanted() { echo "CALL_OPS=$(has call-ops && echo y || echo n) DIRECT_CALLS=$(has direct-calls && echo y || echo n)"; }

# checks CHECK...: of those given, or all that there are
checks() {
	local c all
	mapfile -t all < <(compgen -A function check_)
	arch_load
	toolchain
	[ $# -gt 0 ] || set -- "${all[@]#check_}"
	for c; do
		declare -F "check_$c" >/dev/null || die "no such check: $c (known: ${all[*]#check_})"
	done
	scratch
	dir=$BUILD/tests/$(flavor)
	mkdirs "$dir"
	lock "$BUILD/$NAME/$(flavor).lock" "$B/$NAME/$(flavor)"
	for c; do "check_$c"; done
	echo "$pass passed, $fail failed, $skip skipped"
	[ "$fail" = 0 ] || exit 1
}
