#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The assembler, as GCC before 14 calls it: align each patch site to 8 bytes on
# the way (DYNAMIC_FTRACE_WITH_CALL_OPS).
#
# Such a GCC does not align the functions that it optimizes for size, and no
# option makes it: those under -Os, those marked __cold, and those that it finds
# to be cold by itself (GCC bug 88345). All that the compiler has to leave to the
# assembler is one line, though. In front of a function it writes
#
#	.LPFE7:			the address in __patchable_function_entries
#		nop		as many as the second number asks for of
#		nop		  -fpatchable-function-entry=N,M
#	function:
#
# and no other label looks like the first.
#
# kbuild copies this to "as", which -B makes GCC prefer, and says which assembler it
# would run without that. GCC names a file to assemble, or with -pipe none and writes
# to standard input.

align='s/^\.LPFE[0-9]*:/\t.balign 8\n&/'
gcc=${COLLECT_GCC:?is set by GCC, which alone should call this}
as=${PATCH_SITES_AS:-$("$gcc" -print-prog-name=as)} || exit

for arg; do
	case $arg in
	*.s)
		! grep -q '^\.LPFE' "$arg" || sed -i "$align" "$arg" || exit
		exec "$as" "$@" ;;
	esac
done
case $COLLECT_GCC_OPTIONS in
*"'-pipe'"*) sed "$align" | "$as" "$@" ;;
*) exec "$as" "$@" ;;
esac
