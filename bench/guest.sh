#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The part of bench/run in the guest: busybox sh, under an instruction-counting clock.
# Usage: guest.sh CALLS ROW...	ROW is RELEVANT/IRRELEVANT[:FLAG]; FLAG "function_graph" is
#				that tracer beside, of the same function, and
#				"function" that one, of all functions
# Prints lines "bench: WHAT KEY=VALUE..." for bench/report.py; the last one is "end".
T=/sys/kernel/tracing
die() { echo "bench: error $*"; exit 1; }
calls=$1
shift
ko=$(find "/lib/modules/$(uname -r)" -name ftrace-ops.ko | head -n 1)
[ -n "$ko" ] || die "no module ftrace-ops.ko"
many=$(find "/lib/modules/$(uname -r)" -name callops_many.ko)

# The kernel's own boot ends with the last of these lines. The files that it unpacks before,
# all of our modules among them, are not its own. initramfs_async=0 keeps both apart. What
# runs before the log has a clock, ftrace_init() for one, is counted, too.
stamp() { dmesg | awk -v line="$1" 'index($0, line) { sub(/^\[ */, ""); printf "%.0f\n", $1 * 1e6; found = 1; exit } END { exit !found }'; }
unpack=$(stamp 'Unpacking initramfs') && unpacked=$(stamp 'Freeing initrd memory') && init=$(stamp 'Run /init as init process') ||
	die "no lines of unpacking and of 'Run /init as init process' in the log"
before=$(./since-reset) || die "no time before the log's"
echo "bench: guest release=$(uname -r) boot_to_init=$((before / 1000 + init - unpacked + unpack))000"

# The first time allocates the ring buffer, so do not measure that.
echo function >$T/current_tracer && echo nop >$T/current_tracer || die "no function tracer"
echo >$T/trace
functions=$(grep -c . $T/available_filter_functions)
enable=$(./timed-write $T/current_tracer function) || die "function tracer: not enabled"
disable=$(./timed-write $T/current_tracer nop) || die "function tracer: not disabled"

# Beside another tracer of all functions
mkdir $T/instances/all && echo function >$T/instances/all/current_tracer || die "no second tracer"
enable_2=$(./timed-write $T/current_tracer function) && disable_2=$(./timed-write $T/current_tracer nop) ||
	die "function tracer: not enabled or disabled beside another one"
echo nop >$T/instances/all/current_tracer && rmdir $T/instances/all || die "the second tracer stays"

# With all traced: ftrace's switch, and a module of 1,000 functions. The trace has room
# for the calls that this makes: to overwrite takes longer.
echo function >$T/current_tracer && switch=/proc/sys/kernel/ftrace_enabled &&
	off=$(./timed-write "$switch" 0) && on=$(./timed-write "$switch" 1) &&
	echo >$T/trace && load=$(./timed-write --load "$many") && unload=$(./timed-write --unload callops_many) &&
	echo nop >$T/current_tracer || die "ftrace_enabled, or a module of 1,000 functions"

# Beside 10 and 100 of all functions, which trace nothing
beside() {
	i=0 all=
	while [ $((i += 1)) -le "$1" ]; do all="$all $T/instances/$i"; done
	# shellcheck disable=SC2086
	mkdir $all || return 1
	for i in $all; do echo 4 >"$i/buffer_size_kb" && echo 0 >"$i/tracing_on" || return 1; done
	for i in $all; do echo function >"$i/current_tracer" || return 1; done
	./timed-write $T/current_tracer function && echo nop >$T/current_tracer || return 1
	for i in $all; do echo nop >"$i/current_tracer" || return 1; done
	# shellcheck disable=SC2086
	rmdir $all
}
enable_10_all=$(beside 10) && enable_100_all=$(beside 100) || die "many tracers of all functions"

# sample PARAMETER...: run the sample once, beside $tracer. It stays loaded until rmmod, as
# insmod would retry after an error. A filter for a module serves one load.
sample() {
	[ "$tracer" != function_graph ] || echo tracee_relevant:mod:ftrace_ops >$T/set_ftrace_filter || return 1
	[ -z "$tracer" ] || echo "$tracer" >$T/current_tracer || return 1
	dmesg -c >/dev/null
	insmod "$ko" persist=1 nr_function_calls="$calls" "$@" || {
		dmesg | sed -n 's/.*ftrace_ops: /bench: kernel /p'
		return 1
	}
	echo nop >$T/current_tracer && rmmod ftrace_ops && echo >$T/set_ftrace_filter || return 1
}

# Beside 10 and 100 tracers of another function: the module is kept meanwhile
others() {
	insmod "$ko" persist=1 nr_function_calls=1 nr_ops_relevant=0 nr_ops_irrelevant="$1" &&
		./timed-write $T/current_tracer function && echo nop >$T/current_tracer && rmmod ftrace_ops
}
enable_10=$(others 10) && enable_100=$(others 100) || die "function tracer: not enabled or disabled beside others"
# And beside another tracer of all functions
beside_others() {
	mkdir $T/instances/all && echo function >$T/instances/all/current_tracer &&
		insmod "$ko" persist=1 nr_function_calls=1 nr_ops_relevant=0 nr_ops_irrelevant=100 &&
		echo function >$T/current_tracer && ./timed-write $T/current_tracer nop && rmmod ftrace_ops &&
		echo nop >$T/instances/all/current_tracer && rmdir $T/instances/all
}
disable_2_100=$(beside_others) || die "function tracer: not disabled beside others and one of all functions"

# What all CPUs are made to do, as the last, as it takes a kprobe
fences=/sys/module/callops_fences/parameters/fences
modprobe callops_fences && before=$(cat $fences) && echo function >$T/current_tracer &&
	between=$(cat $fences) && echo nop >$T/current_tracer && broadcasts_off=$(($(cat $fences) - between)) &&
	modprobe -r callops_fences ||
	die "broadcasts: not counted"
echo "bench: tracer functions=$functions enable=$enable disable=$disable enable_2=$enable_2 disable_2=$disable_2 disable_2_100=$disable_2_100" \
	"enable_10=$enable_10 enable_100=$enable_100 enable_10_all=$enable_10_all enable_100_all=$enable_100_all" \
	"off=$off on=$on load=$load unload=$unload broadcasts=$((between - before)) broadcasts_off=$broadcasts_off"

for row; do
	flag=${row#*:} tracer=''
	[ "$flag" != "$row" ] || flag=
	ops=${row%%:*}
	case $flag in function*) tracer=$flag flag='' ;; esac
	set -- nr_ops_relevant="${ops%/*}" nr_ops_irrelevant="${ops#*/}" ${flag:+"$flag=1"}
	# A tenth of the calls: each of the ops is traced, too
	[ "$tracer" != function ] || set -- "$@" nr_function_calls=$((calls / 10))
	sample "$@" || die "row $row: the sample failed"
	line=$(dmesg | sed -n 's/.*ftrace_ops: \(relevant=.*\)/\1/p')
	[ -n "$line" ] || die "row $row: the sample printed no result"
	sample check_count=1 "$@" || die "row $row: check_count failed"
	dmesg | grep -q 'ftrace_ops: check_count: ok' || die "row $row: check_count said nothing"
	echo "bench: row ${line%flags=*}flags=${tracer:-${line#*flags=}} check_count=ok"
done
echo "bench: end"
