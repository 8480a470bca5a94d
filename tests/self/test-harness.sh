#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What runs the tests, with a bin/boot that says and returns what it is told to: each
# thing that can go wrong with a run is a failure of it.
. "$(dirname "$0")/lib.sh"
real_src=$(readlink -f "$REAL_CACHE/src/$(cat "$REAL/bases/default")") || { skip "the scripts that run tests (no source in the cache; 'make tree')"; exit 0; }
project
cp -a "$REAL/tests" "$P/"
rm -f tests/guest/*.sh
ln -s "$real_src/tools" "$CALLOPS_CACHE/src/9.1/tools"
mkdir -p build/9.1/tree/tools/testing/selftests/ftrace samples/ftrace
printf '#!/bin/sh\nexit 0\n' >bin/build
# Says what is in $FAKE/SIDE, or $FAKE/log; returns $FAKE/SIDE.rc, or $FAKE/rc, of which
# the lines are for one boot after the other, the last one for all that follow
cat >bin/boot <<'EOF'
#!/bin/sh
for a; do case $a in base|patched) side=$a ;; *startup|*ftracetest) suite=${a##* } ;; esac; done
echo "$side $suite" >>"$FAKE/boots"
for f in "$FAKE/$side.$suite" "$FAKE/$side" "$FAKE/log"; do [ ! -f "$f" ] || { cat "$f"; break; }; done
rc=$FAKE/$side.rc; [ -f "$rc" ] || rc=$FAKE/rc
status=$(head -n 1 "$rc" 2>/dev/null || echo 0)
[ ! -f "$rc" ] || [ "$(wc -l <"$rc")" = 1 ] || sed -i 1d "$rc"
exit "$status"
EOF
printf '#!/bin/sh\necho %s\n' "$T/userspace" >bin/userspace
for f in userspace userspace.sha256; do echo busybox >"$T/$f"; done
export FAKE=$T/fake
mkdir "$FAKE" "$T/bin"
stub() { printf '#!/bin/sh\n%s\n' "$2" >"$1"; chmod +x "$1"; }
# Each key asks these for their version, and there are hundreds of keys.
for t in sphinx-build "${CLANGS[@]/#/clang}" "${CLANGS[@]/#/ld.lld}" "${CLANGS[@]/#/llvm-nm}"; do stub "$T/bin/$t" "echo $t"; done
PATH=$T/bin:$PATH
printf '# sides: patched\n' >tests/guest/t.sh

# sums_to WHAT PASSED/FAILED/SKIPPED[, status N] REGEX COMMAND...: what it prints at last,
# its status if that is not 0, and a line that matches
sums_to() {
	local what=$1 want=$2 re=$3 rc=0 got
	shift 3
	"$@" >"$T/log" 2>&1 || rc=$?
	got=$(tail -n 1 "$T/log" | sed 's/[^0-9,]//g; s/,/\//g')
	[ "$rc" = 0 ] || got+=", status $rc"
	if [ "$got" = "$want" ] && grep -qE "$re" "$T/log"; then ok "$what"
	else echo "# got $got, expected $want and /$re/" >>"$T/log"; not_ok "$what"; fi
}
# run WHAT SUM REGEX STATUS LINE...: tests/run with a guest that says LINEs
run() {
	echo "$4" >"$FAKE/rc"
	printf '%s\n' "${@:5}" >"$FAKE/log"
	sums_to "$1" "$2" "$3" tests/run
}
run "a test that passes" 1/0/0 '^ok 1 - t, patched \(2 checks' 0 'KTAP version 1' 'ok 1 - a' 'ok 2 - b' 1..2
passes "leaves its KTAP" grep -qx 1..2 build/9.1/tests/arm64/1-t.patched.ktap
run "a check that fails" '0/1/0, status 1' '^not ok 1 - t.*the command failed' 1 'ok 1 - a' 'not ok 2 - b' 1..2 'callops: the command failed with status 1'
run "a success that checked nothing" '0/1/0, status 1' 'made no check' 0 'KTAP version 1' 1..0
run "a success without a word" '0/1/0, status 1' 'made no check' 0
run "a check that fails, and a success" '0/1/0, status 1' 'not ok 2 - b, though' 0 'ok 1 - a' 'not ok 2 - b' 1..2
run "results that end before the plan" '0/1/0, status 1' 'not whole' 0 'ok 1 - a' 'ok 2 - b'
run "results that lack a line" '0/1/0, status 1' 'not whole' 0 'ok 1 - a' 'ok 3 - c' 1..3
run "results of which there are more than planned" '0/1/0, status 1' 'not whole' 0 'ok 1 - a' 'ok 2 - b' 'ok 3 - c' 1..2
run "two plans" '0/1/0, status 1' 'not whole' 0 1..3 'ok 1 - a' 1..1
run "results that lack the last one" '0/1/0, status 1' 'not whole' 0 'ok 1 - a' 1..2
run "a line that is cut short" '0/1/0, status 1' 'not whole' 0 'ok 1 - a' 'o' 1..2
run "a panic after all was well" '0/1/0, status 1' 'kernel panic: Oops' 67 'ok 1 - a' 1..1 'callops: kernel panic: Oops'
run "a WARNING after all was well" '0/1/0, status 1' 'kernel splat' 68 'ok 1 - a' 1..1 'callops: kernel splat: WARNING: x'
run "a guest that hangs" '0/1/0, status 1' 'timeout after' 66 'ok 1 - a' 'callops: timeout after 3 s'
said "says how far it got" '^#   \| ok 1 - a$'
run "a QEMU that is killed" '0/1/0, status 1' 'QEMU failed' 65 'ok 1 - a' 1..1 'callops: error: QEMU failed, status 9'
run "a guest that dies" '0/1/0, status 1' 'without a verdict' 69 'ok 1 - a' 'callops: the guest ended without a verdict'
run "a skip on the patched kernel" '0/1/0, status 1' '^not ok 1 - t, patched: skipped: none$' 4 '1..0 # SKIP none' 'skip: none'
run "one of a check" '0/1/0, status 1' '^not ok 1 - t, patched: ok 2 - b # SKIP none$' 0 'ok 1 - a' 'ok 2 - b # SKIP none' 1..2
SIDES=base run "one on the base, and no other test" '0/1/1, status 1' 'no test was run' 4 '1..0 # SKIP none' 'skip: none'
said "says why" '# SKIP none$'
SIDES=base run "one after a failure" '0/1/0, status 1' 'not ok 1 - a, though it was skipped' 4 'not ok 1 - a' '1..0 # SKIP none' 'skip: none'
printf '#!/bin/sh\necho "no space"; exit 1\n' >bin/build
run "a kernel that does not build" '0/1/0, status 1' 'the kernel does not build' 0 'ok 1 - a' 1..1
passes "leaves no result of the run before" sh -c '! ls build/9.1/tests/arm64/*.ktap 2>/dev/null | grep .'
printf '#!/bin/sh\nexit 0\n' >bin/build
printf '# long: patched\n' >tests/guest/u.sh
run "a test for LONG=1" 1/0/0 '^ok 1 - t, patched' 0 'ok 1 - a' 1..1
passes "is run when it is named" sh -c 'tests/run u | grep "^ok 1 - u, patched"'
LONG=1 run "and with LONG=1" 2/0/0 '^ok 2 - u, patched' 0 'ok 1 - a' 1..1
printf '# sides: named\n' >tests/guest/u.sh
LONG=1 run "a test of a kernel of its own" 1/0/0 '^ok 1 - t, patched' 0 'ok 1 - a' 1..1
passes "is run when it is named, too" sh -c 'tests/run u | grep "^ok 1 - u, patched"'
printf '# long: patched\n' >tests/guest/u.sh
printf '# sides: base patched\n' >tests/guest/t.sh
run "a base that fails" '0/2/0, status 1' '^not ok 1 - t, base' 1 'not ok 1 - a' 1..1
run "is tested again" 2/0/0 '^ok 1 - t, base \(1 checks, [0-9]+ s' 0 'ok 1 - a' 1..1
: >"$FAKE/boots"
run "a base that passes is not" 2/0/0 '^ok 1 - t, base \(1 checks, kept\)' 0 'ok 1 - a' 1..1
same "only the patched kernel is booted" patched "$(xargs <"$FAKE/boots")"
passes "and there is KTAP of both" grep -qx 1..1 build/9.1/tests/arm64/1-t.base.ktap
printf '# sides: patched\n# boot: --smp 1\n# long boot: --smp 2\n' >tests/guest/two.sh; : >"$FAKE/boots"
run "a boot for the long run" 3/0/0 '^ok 3 - two, patched \(1 checks' 0 'ok 1 - a' 1..1
same "is not in the short one" "patched patched" "$(xargs <"$FAKE/boots")"
LONG=1 run "is in the long one" 5/0/0 '^ok 4 - two, patched \(--smp 2\)' 0 'ok 1 - a' 1..1
passes "and in that of this test" test "$(tests/run two | grep -c '^ok .* two, patched (--smp')" = 2
rm tests/guest/two.sh
printf '5\n5\n0\n' >"$FAKE/patched.rc"; : >"$FAKE/boots"
run "a boot that has bad luck is repeated" 2/0/0 '^ok 2 - t, patched' 0 'ok 1 - a' 1..1
same "as often as it takes" "patched patched patched" "$(xargs <"$FAKE/boots")"
echo 5 >"$FAKE/patched.rc"; echo 'again: too near' >"$FAKE/patched"; : >"$FAKE/boots"
run "but five times at most" '1/1/0, status 1' '^not ok 2 - t, patched: again: too near' 0 'ok 1 - a' 1..1
same "and no more" 5 "$(wc -l <"$FAKE/boots")"
echo 4 >"$FAKE/patched.rc"; echo 'skip: no tool' >"$FAKE/patched"
run "what passes on the base may not be skipped" '1/1/0, status 1' 'passes on the base, and here: no tool' 0 'ok 1 - a' 1..1
rm "$FAKE/patched" "$FAKE/patched.rc"
echo : >>tests/guest/t.sh
printf 'ok 1 - a\nok 2 - b\nnames: x y z \n1..2\n' >"$FAKE/base"
run "fewer checks than on the base" '1/1/0, status 1' '^not ok 2 - t, patched: the base has a check that is not there: b$' 0 'ok 1 - a' 1..1
run "as many, but others" '1/1/0, status 1' '^not ok 2 - t, patched: the base has a check that is not there: b$' 0 'ok 1 - a' 'ok 2 - a' 1..2
run "a name of the base that is lost" '1/1/0, status 1' 'the base has what is not there: y z$' 0 'ok 1 - a' 'ok 2 - b' 'names: x ' 1..2
run "one more is none" 2/0/0 '^ok 2 - t, patched' 0 'ok 1 - a' 'ok 2 - b' 'names: z y x w ' 1..2
rm "$FAKE/base"
echo : >>tests/guest/t.sh
run "a test that changes is done on both" 2/0/0 '^ok 1 - t, base \(1 checks, [0-9]+ s' 0 'ok 1 - a' 1..1
# shellcheck disable=SC2016
printf '# sides: base patched\n. "${0%%/*}/u.sh"\n' >tests/guest/t.sh
run "one that sources another test is, too" 2/0/0 '^ok 1 - t, base \(1 checks, [0-9]+ s' 0 'ok 1 - a' 1..1
run "and is kept" 2/0/0 '^ok 1 - t, base \(1 checks, kept\)' 0 'ok 1 - a' 1..1
echo : >>tests/guest/u.sh
run "until that one changes" 2/0/0 '^ok 1 - t, base \(1 checks, [0-9]+ s' 0 'ok 1 - a' 1..1
printf '# sides: base patched\n# files: tests/bpf/x\n' >tests/guest/t.sh
printf '#!/bin/sh\necho tests/bpf\n' >tests/bpf/x; chmod +x tests/bpf/x; mkdir -p probe; echo 1 >probe/callops-probe
run "one with files" 2/0/0 '^ok 1 - t, base \(1 checks, [0-9]+ s' 0 'ok 1 - a' 1..1
run "is kept" 2/0/0 '^ok 1 - t, base \(1 checks, kept\)' 0 'ok 1 - a' 1..1
echo 2 >probe/callops-probe
run "until the probe, one of them, changes" 2/0/0 '^ok 1 - t, base \(1 checks, [0-9]+ s' 0 'ok 1 - a' 1..1
printf '# sides: base patched\n' >tests/guest/t.sh
fails "a test that is none" 1 'no such test: tests/guest/other.sh' tests/run other
echo '# needs: nothing-here' >tests/guest/none.sh
fails "one that needs what there is not" 1 'ARCH=[a-z0-9]* lacks what tests/guest/none.sh needs' tests/run t none
rm tests/guest/none.sh
fails "a configuration that is none" 1 'no such configuration for ARCH=[a-z0-9]*: other' tests/configs preempt other
holds build/9.1/.tests.arm64.lock
fails "a second run beside it" 1 'another run is busy with tests of arm64' tests/run
kill $!

if [ "$(id -u)" = 0 ] && mkdir "$T/small" && mount -t tmpfs -o size=8k small "$T/small" 2>/dev/null; then
	rm -rf build/9.1/tests; ln -s "$T/small" build/9.1/tests
	printf 'ok 1 - a\n# %s\n1..1\n' "$(head -c 20000 /dev/zero | tr '\0' x)" >"$FAKE/log"
	fails "a full disk" 1 'cannot write .*disk full' tests/run
	rm build/9.1/tests; umount "$T/small"
else
	skip "a full disk (needs root)"
fi

# part: a script that gives a wrong sum, or none
cat >part <<'EOF'
#!/bin/bash
. "$(dirname "$0")/bin/lib.sh"
. "$TOP/tests/lib.sh"
part x bash -c "$1"
sum || exit 1
EOF
# part_of WHAT EXPECTED-LAST-LINE COMMAND
part_of() {
	local rc=0
	bash ./part "$3" >"$T/log" 2>&1 || rc=$?
	same "$1" "$2" "$(tail -n 1 "$T/log"), status $rc"
}
part_of "a part that passes" '2 passed, 0 failed, 1 skipped, status 0' 'echo 2 passed, 0 failed, 1 skipped'
part_of "a part that fails" '2 passed, 1 failed, 0 skipped, status 1' 'echo 2 passed, 1 failed, 0 skipped; exit 1'
part_of "a part that says all is well and fails" '2 passed, 1 failed, 0 skipped, status 1' 'echo 2 passed, 0 failed, 0 skipped; exit 1'
part_of "a part without a result" '0 passed, 1 failed, 0 skipped, status 1' 'echo ok 1 - a'
part_of "a part that is killed" '0 passed, 1 failed, 0 skipped, status 1' 'kill -9 $$'
part_of "a part that ran nothing" '0 passed, 0 failed, 0 skipped, status 1' 'echo 0 passed, 0 failed, 0 skipped'

# tests/ftracetest/run: base beside patched
touch samples/ftrace/x
echo 0 >"$FAKE/rc"
printf 'KTAP version 1\n1..1\nok 1 - boot: x\n' | tee "$FAKE/base.startup" >"$FAKE/patched.startup"
both() { printf 'KTAP version 1\n1..3\nok 1 - a.tc\nok 2 - b.tc # SKIP UNSUPPORTED\nok 3 - c.tc\n' | tee "$FAKE/base.ftracetest" >"$FAKE/patched.ftracetest"; }
printf '*\tUNSUPPORTED\tb.tc\tno reason\n' >bases/9.1/known
both
passes "two kernels alike" tests/ftracetest/run
said "are summed up" '^6 passed, 0 failed, 2 skipped$'
: >"$FAKE/boots"
passes "the base's results are kept" tests/ftracetest/run
same "and not made again" "patched startup patched ftracetest" "$(xargs <"$FAKE/boots")"
# different WHAT REGEX SED-SCRIPT-FOR-THE-PATCHED-ONE
different() {
	both
	sed -i "$3" "$FAKE/patched.ftracetest"
	local rc=0
	tests/ftracetest/run >"$T/log" 2>&1 || rc=$?
	if [ "$rc" = 1 ] && grep -qE "^not ok - .*$2" "$T/log" && tail -n 1 "$T/log" | grep -qE ' [1-9][0-9]* failed'; then ok "$1"
	else echo "# status $rc, expected 1 and /$2/" >>"$T/log"; not_ok "$1"; fi
}
different "a regression" 'a.tc: PASS on the base, FAIL' 's/^ok 1/not ok 1/'
different "a test that no longer runs" 'a.tc: PASS on the base, UNRESOLVED' 's/a.tc/a.tc # SKIP UNRESOLVED/'
different "a test that is gone" 'a.tc: PASS on the base, missing' 's/1\.\.3/1..2/; /a.tc/d; s/ok 2/ok 1/; s/ok 3/ok 2/'
different "a failure that nobody explains" 'b.tc: FAIL, UNSUPPORTED on the base' 's/^ok 2.*/not ok 2 - b.tc/'
different "results that are cut short" 'not whole' '/c.tc/d'
different "no results" 'not whole' d
both
echo 69 >"$FAKE/rc"
different "a guest that dies" 'ftracetest, patched' ''

# tests/all: the sum of its parts, and the table
mkdir -p bench
for f in bin/check bench/run tests/run tests/configs tests/self/run; do stub $f 'echo 1 passed, 0 failed, 1 skipped'; done
stub bench/published.py :
export ARCHES='arm64 riscv'
passes "all of it" tests/all
said "is summed up" '^8 passed, 0 failed, 6 skipped$'
passes "in a table that is kept" grep -qE '^tests/run [ |]+riscv [ |]+- [ |]+1/0/1' build/9.1/tests/summary
stub bench/published.py 'exit 1'
sums_to "what is published and not measured" '6/2/6, status 1' '^bench [ |]+arm64 [ |]+- [ |]+0/1/0' tests/all
stub bench/published.py :
holds build/9.1/.all.lock
# shellcheck disable=SC2016
stub bin/build 'echo built >>"$FAKE/built"'
fails "a second run beside it" 1 'another run is busy with all tests' tests/all
passes "builds nothing" test ! -e "$FAKE/built"
kill $!
stub bin/build 'echo "callops: error: no space" >&2; exit 1'
fails "a kernel that does not build" 1 'stopped, as one' tests/all
said "says why" '^arm64: callops: error: no space$'
passes "leaves no table of another run" test ! -e build/9.1/tests/summary
stub bin/build :
stub tests/configs 'echo 1 passed, 1 failed, 0 skipped; exit 1'
sums_to "one part fails" '8/2/4, status 1' '^tests/configs, arm64 failed:$' tests/all
stub tests/configs 'echo "not ok 1 - x"; echo "#   not ok 2 - its check"; echo "#   | line"; seq 6; echo 0 passed, 1 failed, 0 skipped; exit 1'
sums_to "a check of a test" '6/2/4, status 1' '^  #   not ok 2 - its check$' tests/all
stub tests/configs 'echo 1 passed, 0 failed, 0 skipped; exit 1'
sums_to "one part says that it does not" '8/2/4, status 1' '^tests/configs [ |]+arm64 [ |]+- [ |]+1/1/0' tests/all
said "which is said when it happens" '^arm64: not ok - tests/configs, arm64: exit status 1$'
said "and at the end" '^  not ok - tests/configs, riscv: exit status 1$'
stub bin/check 'echo 0 passed, 1 failed, 0 skipped; exit 1'
sums_to "bin/check fails" '7/3/3, status 1' '^bin/check [ |]+arm64 [ |]+- [ |]+0/1/0' tests/all
# shellcheck disable=SC2016
stub tests/run 'echo x >>"$FAKE/started"; exec sleep 7654321'
tests/all >"$T/log" 2>&1 &
within 30 test -e "$FAKE/started"
kill -TERM $!; rc=0; wait $! || rc=$?
same "an interrupted run" 143 "$rc"
passes "leaves no process" sh -c '! pgrep -f "sleep 765432[1]"'
stub tests/run 'echo 1 passed, 0 failed, 1 skipped'

# With LONG=1 a part that passed is not done again.
(cd build/9.1/tree && git init -q . && mkdir -p arch/riscv kernel && echo 1 | tee arch/riscv/a.c >kernel/a.c && git add . && git commit -q -m base && git tag base)
sed -i "s/ big-endian//" bases/9.1/source	# or tests/kunit is run twice
for f in bin/check tests/configs tests/ftracetest/run tests/prefixes tests/mutate tests/hygiene tests/debian bench/run-bpf bench/run-probes bench/run-static; do stub $f 'echo 1 passed, 0 failed, 0 skipped'; done
# shellcheck disable=SC2016
stub tests/kunit 'echo x >>"$FAKE/ran"; echo 2 passed, 0 failed, 1 skipped'
stub tests/mutate 'echo 1 passed, 1 failed, 0 skipped; exit 1'
export LONG=1 ARCHES=arm64
sums_to "a long run in which one part fails" '22/1/4, status 1' '^tests/mutate [ |]+arm64 [ |]+- [ |]+1/1/0' tests/all
stub tests/mutate 'echo 1 passed, 0 failed, 0 skipped'
passes "passes when that is mended" tests/all
said "does not repeat what passed" '^# tests/kunit, arm64: passed on .* nothing has changed$'
passes "which is in the table as before" grep -qE '^tests/kunit [ |]+arm64 [ |]+- [ |]+2/0/1' build/9.1/tests/summary
same "and was run once" x "$(xargs <"$FAKE/ran")"
# shellcheck disable=SC2016
for f in run-bpf run-probes run-static; do stub bench/$f "echo $f"' >>"$FAKE/benched"; echo 1 passed, 0 failed, 0 skipped'; done
passes "tables that are measured otherwise" tests/all
same "are measured again" "run-bpf run-probes run-static" "$(sort "$FAKE/benched" | xargs)"
passes "and" tests/all
same "once" "run-bpf run-probes run-static" "$(sort "$FAKE/benched" | xargs)"
mkdir -p bases/9.1/results; echo 9 >bases/9.1/results/arm64-bpf.txt; : >"$FAKE/benched"
passes "until one is published otherwise" tests/all
same "which is compared" "run-bpf run-probes run-static" "$(sort "$FAKE/benched" | xargs)"
echo '#' >>tests/kunit
passes "a part that has changed" tests/all
same "is run again" "x x" "$(xargs <"$FAKE/ran")"
echo 2 >build/9.1/tree/arch/riscv/a.c
passes "the kernel has changed, but not for this ARCH" tests/all
same "and none is run again" "x x" "$(xargs <"$FAKE/ran")"
echo 2 >build/9.1/tree/kernel/a.c
passes "the kernel has changed" tests/all
same "and all are run again" "x x x" "$(xargs <"$FAKE/ran")"
echo '*.c diff=cpp' >build/9.1/tree/.git/info/attributes
echo '2 /* two */' >build/9.1/tree/kernel/a.c
passes "a comment has changed" tests/all
same "and none is run again, too" "x x x" "$(xargs <"$FAKE/ran")"
echo >>bin/boot
passes "what all depend on has changed" tests/all
same "and all are run again, too" "x x x x" "$(xargs <"$FAKE/ran")"
stub tests/kunit 'echo "# while it runs" >>tests/kunit; echo 2 passed, 0 failed, 1 skipped'
passes "a part that changes while it runs" tests/all
said "is not kept" 'tests/kunit, arm64: not kept'
# shellcheck disable=SC2016
stub tests/kunit 'echo x >>"$FAKE/ran"; echo 2 passed, 0 failed, 1 skipped'
# key: in the state as it is
key() { CONFIG=bpf bash -c '. bin/lib.sh; . tests/lib.sh; fingerprint tests/kunit' "$P/tests/x"; }
before=$(key)
same "a key is the same twice" "$before" "$(key)"
for change in 'echo >>bin/apply' "sed -i 's/^has.*arm64/& more/' bases/9.1/source" 'sed -i /CONFIG_ARM64_PAN/d qemu/arch/arm64.bpf.config' \
	"echo other >>$T/userspace.sha256" "stub $T/bin/pahole 'echo v9'" "stub $T/bin/ld.lld$CLANG 'echo 99'" "stub $T/bin/make 'echo 9'"; do
	eval "$change"
	after=$(key)
	if [[ $after =~ ^[0-9a-f]{16}$ && $after != "$before" ]]; then ok "another after '${change//"$T"/}'"
	else not_ok "another after '${change//"$T"/}'"; fi
	before=$after
done
for change in qemu/arch/riscv.config qemu/va39.config tests/all; do
	echo >>$change
	same "not after a change of $change" "$before" "$(key)"
done
stub "$T/bin/llvm-nm$CLANG" 'echo 99; echo "  Host CPU: znver3"'
before=$(key)
stub "$T/bin/llvm-nm$CLANG" 'echo 99; echo "  Host CPU: rocketlake"'
same "nor on a machine with another CPU" "$before" "$(key)"
stub "$T/bin/llvm-nm" 'echo 99'
same "nor with another clang that builds nothing" "$before" "$(key)"

# What is kept piece by piece is one line, and each piece is kept by itself.
piece() { # NAME...
	local name
	cat >tests/mutate <<'EOF'
#!/bin/bash
. "$(dirname "$0")/../bin/lib.sh"
. "$TOP/tests/lib.sh"
count() { echo x >>"$FAKE/pieces"; echo "1 passed, 0 failed, 0 skipped"; }
EOF
	for name; do echo "once 'tests/mutate, $name' bases/9.1/$name count"; done >>tests/mutate
	echo sum >>tests/mutate
}
stub bin/apply :
mv qemu/arch/{riscv,powerpc}.sh "$T"
piece one two
echo 1 >bases/9.1/one; echo 2 >bases/9.1/two
passes "a part of two pieces" tests/all tests/mutate
said "is summed up" '^2 passed, 0 failed, 0 skipped$'
echo other >bases/9.1/two
passes "one of which has changed" tests/all tests/mutate
same "and is all that is run again" "x x x" "$(xargs <"$FAKE/pieces")"
piece one two three
passes "a third one" tests/all --save
passes "is due" grep -qE '^tests/mutate [ |]+arm64 [ |]+- [ |]+2/0/0 [ |]+1 of 3 due [ |]+20[0-9-]+$' bases/9.1/summary.txt
same "and the others are written down" 2 "$(grep -c ^tests/mutate bases/9.1/passed)"
stub tests/mutate 'echo 1 passed, 0 failed, 0 skipped'

# What passed is written down, and goes with the tree.
cat >tests/configs <<'EOF'
#!/bin/bash
. "$(dirname "$0")/../bin/lib.sh"
. "$TOP/tests/lib.sh"
once "configuration x" tests/run env SUITE="configuration x" "$TOP/tests/run"
sum
EOF
# shellcheck disable=SC2016
stub tests/run 'echo x >>"$FAKE/runs"; echo "${SUITE:-guest tests}|$ARCH|2 0 0|3 0 1|0" >>"$SUMMARY"; echo 5 passed, 0 failed, 1 skipped'
rm "$FAKE/ran"
passes "one part alone" tests/all tests/run
said "is all that is run, one test of the guest after the other" '^10 passed, 0 failed, 2 skipped$'
fails "to save what one ARCH has passed" 1 'no PART and no ARCH' env ARCHES=riscv tests/all --save
for given in CONFIG=debug LLVM=$CLANG STRESS_SECONDS=60 WALK_SEED=5; do
	fails "to save what was made with $given" 1 'nor CONFIG, LLVM' env "$given" tests/all --save
done
fails "to save one part" 1 'no PART and no ARCH' tests/all --save tests/run
passes "what has passed is saved" tests/all --save
passes "with its date and key" grep -qE '^tests/run [ |]+arm64 [ |]+4/0/0 [ |]+6/0/2 [ |]+0 [ |]+20[0-9-]+$' bases/9.1/summary.txt
passes "a configuration by itself, which is due" grep -qE '^configuration x [ |]+arm64 [ |]+- [ |]+- [ |]+due$' bases/9.1/summary.txt
same "and nothing was run" "x x" "$(xargs <"$FAKE/runs")"
passes "the rest" tests/all
passes "is saved, too" tests/all --save
passes "so nothing is due" sh -c '! grep due bases/9.1/summary.txt'
cp bases/9.1/summary.txt "$T/summary"; cp bases/9.1/passed "$T/passed"
rm -rf build/9.1/tests/kept; : >"$FAKE/runs"
passes "elsewhere the run goes on from there" tests/all --resume
same "and repeats none" '' "$(xargs <"$FAKE/runs")"
passes "nor loses one" tests/all --save
passes "or changes it" cmp bases/9.1/summary.txt "$T/summary"
passes "or what is read from" cmp bases/9.1/passed "$T/passed"
rm -rf build/9.1/tests/kept; sed -i '/^tests.run|/s/|\(20[0-9-]*\)|/|\1*|/' bases/9.1/passed
passes "what was not run again for a new key" tests/all --save
passes "has a mark" grep -qE '^tests/run [ |]+arm64 .* 20[0-9-]+\*$' bases/9.1/summary.txt
cp "$T/passed" bases/9.1/passed
rm -rf build/9.1/tests/kept
passes "without being asked for it" tests/all
same "it runs them all" "x x x" "$(xargs <"$FAKE/runs")"
mv "$T"/{riscv,powerpc}.sh qemu/arch/
echo 3 >build/9.1/tree/kernel/a.c; : >"$FAKE/runs"
passes "what is of another kernel" tests/all --resume
same "is run again" "x x x" "$(xargs <"$FAKE/runs")"
rm -f "$FAKE/built"
# shellcheck disable=SC2016
stub bin/build 'echo built >>"$FAKE/built"'
fails "a part that is none" 1 'no such part: tests/none' tests/all bin/check tests/none
passes "for which nothing is built" test ! -e "$FAKE/built"
stub bin/build :
rm bases/9.1/passed
fails "nothing to go on from" 1 'no bases/9.1/passed' tests/all --resume

# tests/kunit, with a kunit.py that says what it is told to
cp -a "$REAL"/tests/{kunit,hygiene,checks.sh} tests/
cat >bin/kbuild.sh <<'EOF'
toolchain() { cc=gcc hostcc=gcc; }
first_errors() { grep error "$1" >&2 || :; }
small_config() { mkdir -p "$O/$1"; : >"$O/$1/.config"; }
# What is made, and whether that works
km() {
	printf 'CONFIG_WERROR=y\nCONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS=%s\nCONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS=y\n' "$(cat "$FAKE/option")" >"$O/.config"
	case " $* " in *' allmodconfig '*) return 0 ;; esac
	cat "$FAKE/log"; return "$(cat "$FAKE/rc")"
}
run() { local log=$1; shift 2; "$@" >"$log" 2>&1; }
EOF
unset LONG
rm -rf build/9.1/tree
git clone -q "$CALLOPS_CACHE/src/9.1/" build/9.1/tree
mkdir -p build/9.1/tree/tools/testing/kunit/qemu_configs build/9.1/tree/kernel/trace
echo 'CONFIG_SERIAL=y' >build/9.1/tree/tools/testing/kunit/qemu_configs/arm64.py
: >build/9.1/tree/kernel/trace/.kunitconfig
cat >build/9.1/tree/tools/testing/kunit/kunit.py <<'EOF'
import os, shutil, sys
fake = os.environ["FAKE"]
if sys.argv[1] == "parse":
    print(open(sys.argv[-1]).read())
else:
    o = sys.argv[sys.argv.index("--build_dir") + 1]
    if os.path.exists(fake + "/guest"):
        shutil.copy(fake + "/guest", o + "/test.log")
    print(open(fake + "/log").read())
    sys.exit(int(open(fake + "/rc").read()))
EOF
# kunit WHAT SUM REGEX STATUS SUMMARY LINE...: what the guest says
kunit() {
	echo "$4" >"$FAKE/rc"; echo "$5" >"$FAKE/log"
	printf '%s\n' "${@:6}" 'reboot: Restarting system' >"$FAKE/guest"
	sums_to "$1" "$2" "$3" tests/kunit
}
done3='Testing complete. Ran 3 tests: passed: 3'
suite='# Subtest: ftrace_call_ops'
kunit "a KUnit suite that passes" 3/0/0 'static_call ftrace_call_ops passed' 0 "$done3" "    $suite" 'ok 1 - ftrace_call_ops' 'ok 2 - static_call'
kunit "one of two that is not there" '3/1/0, status 1' 'suite static_call was not run' 0 "$done3" "    $suite" 'ok 1 - ftrace_call_ops'
kunit "one that is not there" '3/1/0, status 1' 'was not run' 0 "$done3" '    # Subtest: other' 'ok 1 - other' 'ok 2 - static_call'
kunit "one that fails" '2/1/0, status 1' 'did not pass' 1 'Testing complete. Ran 3 tests: passed: 2, failed: 1' "    $suite" 'not ok 1 - ftrace_call_ops' 'ok 2 - static_call'
kunit "one that hangs behind its success" '3/1/0, status 1' 'timeout after' 0 "$done3 timed out after 300" "    $suite" 'ok 1 - ftrace_call_ops' 'ok 2 - static_call'
kunit "one that skips a test" '2/1/1, status 1' 'were skipped' 0 'Testing complete. Ran 3 tests: passed: 2, skipped: 1' "    $suite" 'ok 1 - ftrace_call_ops' 'ok 2 - static_call'
kunit "one that kunit.py says failed" '3/1/0, status 1' 'kunit.py says so' 1 "$done3" "    $suite" 'ok 1 - ftrace_call_ops' 'ok 2 - static_call'
kunit "a WARNING behind its success" '3/1/0, status 1' 'kernel splat' 0 "$done3" "    $suite" 'ok 1 - ftrace_call_ops' 'ok 2 - static_call' 'WARNING: CPU: 0 PID: 1 at kernel/x.c:1 x+0x1/0x2'
rm "$FAKE/guest"
fails "one whose kernel was not started" 1 'not built or not started' tests/kunit

# tests/hygiene: what does not build is never fine
# hygiene WHAT SUM REGEX STATUS CALL_OPS SAID
hygiene() {
	echo "$4" >"$FAKE/rc"; echo "$5" >"$FAKE/option"; echo "$6" >"$FAKE/log"
	sums_to "$1" "$2" "$3" tests/hygiene allmodconfig
}
hygiene "a configuration that builds" 1/0/0 '^ok 1 - allmodconfig' 0 y '  CC x.o'
hygiene "one that does not" '0/1/0, status 1' 'x.c: error' 2 y 'x.c: error: y'
hygiene "one that does not, without a word" '0/1/0, status 1' 'make failed' 2 y ''
hygiene "one without the option" '0/1/0, status 1' 'CALL_OPS=n .*and not CALL_OPS=y' 0 n '  CC x.o'
