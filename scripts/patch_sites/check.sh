#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Check that each patch site of vmlinux or of a module is 8-byte aligned, as its
# literal needs it (DYNAMIC_FTRACE_WITH_CALL_OPS), and name the functions where it
# is not. Such a function would be refused at run time and could not be traced.
#
# Usage: check.sh vmlinux|MODULE.ko
#
# Run by kbuild, with the NM, OBJDUMP and READELF that the top Makefile exports.

# shellcheck disable=SC2086 # each of them may have options
set -e
export LC_ALL=C	# what they print is read below

file=$1

# The section headers "[Nr] Name ..." as "Nr Name Alignment"
sections()
{
	$READELF -SW "$file" | sed -n 's/^ *\[ *\([0-9]*\)\] /\1 /p' |
		awk '$1 > 0 { print $1, $2, $NF }'
}

# The sites of vmlinux as "vmlinux ADDRESS". The linker leaves them in the table
# itself or, in a relocatable kernel without RELR, beside zeroes as the addends of
# .rela.dyn.
sites_vmlinux()
{
	start=$($NM "$file" | awk '$3 == "__start_mcount_loc" { print $1 }')
	stop=$($NM "$file" | awk '$3 == "__stop_mcount_loc" { print $1 }')

	# GNU readelf shows an addend with the top bit as a negative number
	$READELF -rW "$file" | awk -v start="$start" -v stop="$stop" '
		function negate(hex,   digit, out, carry, i) {
			hex = substr("0000000000000000", length(hex) + 1) hex
			carry = 1
			for (i = 16; i > 0; i--) {
				digit = 16 - index("0123456789abcdef", substr(hex, i, 1)) + carry
				carry = digit > 15
				out = substr("0123456789abcdef", digit % 16 + 1, 1) out
			}
			return out
		}
		# LLVM before 19 shows those of .relr.dyn in the same way, but without an addend
		$3 ~ /_RELATIVE$/ && NF > 3 && $1 >= start && $1 < stop {
			print "vmlinux", $4 ~ /^-/ ? negate(substr($4, 2)) : $4
		}'

	# .init.data may have a large initramfs as well. LLVM ignores the addresses.
	$OBJDUMP -s -j .init.data --start-address="0x${start%?}0" --stop-address="0x$stop" \
		"$file" | awk -v start="$start" -v stop="$stop" '
		/file format.*big/ { big = 1 }
		function swap(w) {
			return substr(w, 7, 2) substr(w, 5, 2) substr(w, 3, 2) substr(w, 1, 2)
		}
		function entry(address, a, b) {
			if (address < start || address >= stop || a b ~ /^0+$/)
				return
			print "vmlinux", big ? a b : swap(b) swap(a)
		}
		# A line is "ADDRESS WORD WORD WORD WORD TEXT", from a multiple of 16, as
		# the section starts on a page
		$1 >= substr(start, 1, 15) "0" && $1 < stop {
			entry($1, $2, $3)
			entry(substr($1, 1, 15) "8", $4, $5)
		}'
}

# The sites of a module as "SECTION OFFSET", from relocations against a section
# or, where the linker may move code, against a label, and an addend to either.
sites_module()
{
	{ sections; echo; $READELF -sW "$file"; echo; $READELF -rW "$file"; } | awk '
		function decimal(hex,   i, n) {
			for (i = 1; i <= length(hex); i++)
				n = 16 * n + index("0123456789abcdef", substr(hex, i, 1)) - 1
			return n
		}
		/^Symbol table/ { part = "symbols" }
		/^Relocation section/ { part = /__patchable_function_entries/ ? "sites" : "" }
		!part && NF == 3 { name[$1] = $2 }
		part == "symbols" && $1 ~ /^[0-9]+:$/ { section[$1 + 0] = name[$7] }
		part == "sites" && $3 ~ /_(ABS)?64$/ {
			symbol = decimal(substr($2, 1, 8))
			addend = decimal($NF)
			if ($(NF - 1) == "-")
				addend = -addend
			printf "%s %016x\n", section[symbol], decimal($4) + addend
		}'
}

# Function symbols as "SECTION VALUE NAME"; all of vmlinux counts as one section.
functions()
{
	if [ "$kind" = vmlinux ]; then
		$NM "$file" | awk '$2 ~ /^[tTwW]$/ { print "vmlinux", $1, $3 }'
	else
		{ sections; echo; $READELF -sW "$file"; } | awk '
			NF == 0 && !symbols { symbols = 1; next }
			!symbols { name[$1] = $2; next }
			$4 == "FUNC" { print name[$7], $2, $8 }'
	fi
}

case "$file" in
*.ko) kind=module ;;
*) kind=vmlinux ;;
esac

# In a pipe its failure would not count.
$READELF -hW "$file" >/dev/null || {
	echo "error: $file: $READELF cannot read it" >&2
	exit 1
}

sites=$(sites_$kind)
if [ -z "$sites" ]; then
	# A module may have none.
	[ $kind = vmlinux ] || sections | grep -q ' \.rela__patchable_function_entries ' || exit 0
	echo "error: $file: no patch site found by $NM, $READELF and $OBJDUMP" >&2
	exit 1
fi

bad=$(echo "$sites" | grep -v '[08]$' || :)

# A module's sites are only as aligned as the sections they are in.
if [ $kind = module ]; then
	bad="$bad
$({ sections; echo "$sites"; } | awk '
		NF == 3 { low[$2] = $3 < 8; next }
		low[$1]')"
fi

bad=$(echo "$bad" | sed '/^$/d')
[ -n "$bad" ] || exit 0

# The function of a site is the first one behind it.
{ functions; echo "$bad"; } | sort -u | awk -v file="$file" '
	NF < 3 { pending[n++] = $0; next }
	{
		for (i = 0; i < n; i++)
			printf "error: %s: patch site of %s is not 8-byte aligned\n",
				file, $3
		n = 0
	}
	END {
		for (i = 0; i < n; i++)
			printf "error: %s: patch site at %s is not 8-byte aligned\n",
				file, pending[i]
	}' >&2
[ ! -x scripts/patch_sites/as ] ||
	echo "note: GCC before 14 needs scripts/patch_sites/as; distcc does not run it" >&2
exit 1
