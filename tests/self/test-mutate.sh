#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# tests/mutate with a tree of a few files, and a build and a guest that do as that says.
. "$(dirname "$0")/lib.sh"
project
mkdir -p tests/guest bases/9.1/mutations
cp -a "$REAL/tests/mutate" "$REAL/tests/lib.sh" tests/
# shellcheck disable=SC2016
echo '# boot: --smp 4 --timeout $((2 * ${STRESS_SECONDS:-30}))' >tests/guest/stress.sh
cat >bin/build <<'S'
#!/bin/bash
O=$(dirname "$0")/../build/9.1/arm64-mutation-prefix/patched
echo "$CONFIG" >>"$(dirname "$0")/../build/configs"
mkdir -p "$O"
echo CONFIG_HERE=y >"$O/.config"
case $(head -n 1 "$PREFIX/kernel/trace/ftrace.c") in
unbuilt) echo "error: it is not aligned"; exit 1 ;;
esac
S
cat >bin/boot <<'S'
#!/bin/bash
echo "$*" >>"$(dirname "$0")/../build/boots"
said() { printf '%s\n' "$@"; }
case $(head -n 1 "$PREFIX/kernel/trace/ftrace.c") in
unbooted) said "kernel panic: no"; exit 67 ;;
skipped) said "KTAP version 1" "skip: no module"; exit 4 ;;
panics) said "KTAP version 1" "[    1.000000] pc : ftrace_caller" "callops: kernel panic: no"; exit 67 ;;
miscounts) said "KTAP version 1" "# not ok - a count" "not ok 2 - counts"; exit 1 ;;
sleeps) exec sleep 1000 ;;
stops) said "callops: timeout after 9 s"; exit 66 ;;
oops) said "KTAP version 1" "Unable to handle kernel NULL pointer" "Modules linked in: callops_soak(O) [last unloaded: ftrace_ops]" "pc : $(cat "$(dirname "$0")/../pc")" "callops: kernel panic: no"; exit 67 ;;
hangs) said "KTAP version 1" "callops: timeout after 9 s"; exit 66 ;;
late) touch late; said "KTAP version 1" "callops: timeout after 9 s"; exit 66 ;;
busy) touch late; said "KTAP version 1" "not ok - in time"; exit 1 ;;
*) [ ! -e late ] || { rm late; said "KTAP version 1" "callops: timeout after 9 s"; exit 66; }
   [ ! -e "$(dirname "$0")/../broken" ] || { said "KTAP version 1" "not ok 1 - it"; exit 1; }
   said "KTAP version 1" "ok 1 - it" ;;
esac
S
# mutation NAME FIRST-LINE-OF-FTRACE.C HEAD...
mutation() {
	local f=bases/9.1/mutations/$1.patch
	{
		echo "# SPDX-License-Identifier: GPL-2.0"
		printf '# %s\n' "${@:3}"
		printf '%s\n' 'diff --git a/kernel/trace/ftrace.c b/kernel/trace/ftrace.c' \
			'--- a/kernel/trace/ftrace.c' '+++ b/kernel/trace/ftrace.c' '@@ -1,4 +1,4 @@' \
			-1 "+$2" ' 2' ' 3' ' 4'
	} >"$f"
}
# judged NAME REGEX: its line
judged() { said "$1" "^(not )?ok [0-9]+ - $1( #|:) ?.*($2)"; }
mutation built unbuilt 'in: build' 'caught by: not aligned'
mutation count miscounts 'arches: arm64' 'needs: CONFIG_HERE' 'caught by: something' 'caught by: not ok - a count'
mutation panic panics 'caught by: pc : ftrace_'
mutation hang hangs 'in: hang' 'caught by: timeout'
echo ftrace_caller+0x1c/0x90 >pc
mutation oops oops 'caught by: Unable to handle'
mutation elsewhere panics 'arches: riscv' 'caught by: pc'
mutation lacking nothing 'needs: CONFIG_THERE' 'caught by: pc'
mutation everywhere panics 'caught by: pc'
printf '%s\n' 'diff --git a/arch/Kconfig b/arch/Kconfig' '--- a/arch/Kconfig' '+++ b/arch/Kconfig' '@@ -1,4 +1,4 @@' \
	-1 +one ' 2' ' 3' ' 4' >>bases/9.1/mutations/everywhere.patch
passes "what is caught is a success" tests/mutate
said "the sum" '^7 passed, 0 failed, 1 skipped$'
judged oops 'Unable to handle kernel NULL pointer'
judged built 'it is not aligned'
judged count '\(not ok - a count\)'
judged panic '\(pc : ftrace_caller\)'
judged hang 'timeout after'
judged lacking 'SKIP without CONFIG_THERE'
same "not on another ARCH" 0 "$(grep -c elsewhere "$T/log")"
same "all but what is not built is run for as long, and the tree as it is after a hang" "8 --kernel patched --smp 4 --timeout 120" \
	"$(cut -d' ' -f1-6 build/boots | sort | uniq -c | sed 's/^ *//')"
passes "on another ARCH" env ARCH=riscv tests/mutate
said "only what is for that, or changes files in arch/" '^3 passed, 0 failed, 0 skipped$'
judged elsewhere 'pc : ftrace_caller'
judged everywhere 'pc : ftrace_caller'
passes "one by its name" env MUTATION_SECONDS=7 tests/mutate panic
said "and the tree as it is, first" '^2 passed, 0 failed, 0 skipped$'
same "for as long as one likes" "--timeout 14" "$(tail -n 1 build/boots | cut -d' ' -f5-6)"
same "its tree is as it was" 1 "$(head -n 1 build/9.1/mutation-tree/kernel/trace/ftrace.c)"

echo '# boot: --smp 2' >tests/guest/walk.sh
mutation twice panics 'test: walk stress' 'caught by: pc'
passes "each test of a mutation" tests/mutate twice
said "has to find it, and to pass first" '^4 passed, 0 failed, 0 skipped$'
judged twice 'caught by walk'
judged twice 'caught by stress'

printf '# %s\n' 'boot: --smp 2' 'flavor: bpf' 'files: tests/made' >tests/guest/types.sh
printf '#!/bin/sh\necho /made\n' >tests/made
chmod +x tests/made
mutation types panics 'test: types' 'caught by: pc'
passes "a test may ask for another kernel" tests/mutate types
same "which is built" "bpf bpf" "$(tail -n 2 build/configs | xargs)"
same "and for more in the guest" 1 "$(tail -n 1 build/boots | grep -c -- '--files /made ')"
passes "all others have their own" tests/mutate panic
same "as before" "mutation mutation" "$(tail -n 2 build/configs | xargs)"

rm bases/9.1/mutations/*
mutation passes nothing 'caught by: anything'
mutation unnamed panics 'caught by: not this'
mutation silent panics
mutation unbuilt unbuilt 'caught by: not aligned'
mutation unbooted unbooted 'caught by: kernel panic'
mutation slow hangs 'caught by: timeout'
mutation stops stops 'in: hang' 'caught by: timeout'
mutation late late 'in: hang' 'caught by: timeout'
mutation busy busy 'clock: yes' 'caught by: not ok - in time'
echo ext2_iget+0x1c/0x90 >pc
mutation oops oops 'caught by: Unable to handle'
mutation skipped skipped 'caught by: skip'
mutation built nothing 'in: build' 'caught by: anything'
mutation stale panics 'caught by: pc'
sed -i 's/^ 2$/ two/' bases/9.1/mutations/stale.patch
tests/mutate >"$T/log" 2>&1
same "what is not caught is a failure" 1 $?
same "the sum comes last" "1 passed, 13 failed, 0 skipped" "$(tail -n 1 "$T/log")"
judged passes 'not caught'
judged unnamed 'fails otherwise'
judged late 'the tree as it is, run after it: timeout'
judged busy 'the tree as it is, run after it: timeout'
judged silent "no 'caught by'"
judged unbuilt 'does not build'
judged unbooted 'does not boot'
judged slow timeout
judged stops 'does not boot: .*timeout'
judged oops 'an oops elsewhere: pc : ext2_iget'
judged skipped 'no module'
judged built 'not caught'
judged stale 'does not apply'
touch broken
tests/mutate >"$T/log" 2>&1
same "a tree that fails as it is" 1 $?
same "is the end" "0 passed, 1 failed, 0 skipped" "$(tail -n 1 "$T/log")"
rm broken
fails "a mutation that there is not" 1 'no such mutation' tests/mutate other

# As by Ctrl-C: all that is in the foreground
mutation sleeps sleeps 'caught by: pc'
setsid tests/mutate sleeps >"$T/log" 2>&1 &
for _ in $(seq 100); do ! grep -q 'sleeps: running' "$T/log" || break; sleep 0.2; done
said "a line of what takes long" '^# sleeps: running, 1[0-9] s$'
kill -TERM -- -$!
wait $!
same "an interrupted run" 143 $?
# But for a sleep of its line, at most
for _ in $(seq 60); do pgrep -s $! >/dev/null || break; sleep 0.2; done
same "leaves nobody" "" "$(pgrep -s $!)"
