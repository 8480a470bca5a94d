#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel/trace/check_patch_sites.sh on small ELF files: a module, a vmlinux with
# its table in place, one with relocations; with the tools of GNU and of LLVM.
. "$(dirname "$0")/lib.sh"
X=aarch64-linux-gnu-
for t in ${X}as ${X}ld; do
	command -v "$t" >/dev/null || { skip "check_patch_sites.sh: no $t"; exit; }
done
check=$REAL/kernel/trace/check_patch_sites.sh
mkdir -p "$T/sites"
cd "$T/sites" || exit
mkdir -p include/config

# aligned has its first NOP on a multiple of 8, misaligned on one of 4.
cat >sites.S <<'S'
	.text
	.p2align 3
	.type _start, %function
	.global _start
_start:	ret
	nop
1:	nop
	nop
	.type aligned, %function
aligned: nop
	nop
	ret
2:	nop
	nop
	.type misaligned, %function
misaligned: nop
	nop
	ret
	.size misaligned, . - misaligned
	.section SECTION, "aw"
	.p2align 3
	.global __start_mcount_loc, __stop_mcount_loc
__start_mcount_loc:
	.8byte 1b
	.8byte 2b
__stop_mcount_loc:
	.8byte 0x1234567
S
sed 's/SECTION/__patchable_function_entries/' sites.S | ${X}as -o mod.ko -
sed 's/SECTION/.init.data/' sites.S | ${X}as -o v.o -
at=(-Ttext=0xffff800008010000 --section-start=.init.data=0xffff800008400000)
${X}ld "${at[@]}" -o vmlinux-fixed v.o
${X}ld "${at[@]}" -pie --no-apply-dynamic-relocs -o vmlinux-pie v.o

try() {
	echo "CONFIG_FTRACE_PATCH_SITE_ALIGNMENT=$1" >include/config/auto.conf
	NM=$nm OBJDUMP=$objdump READELF=$readelf sh "$check" "$2" >out 2>&1
}
for tools in gnu llvm; do
	case $tools in
	gnu) nm=${X}nm objdump=${X}objdump readelf=${X}readelf ;;
	llvm) nm=llvm-nm-19 objdump=llvm-objdump-19 readelf=llvm-readelf-19 ;;
	esac
	command -v "$nm" >/dev/null || { skip "with $tools"; continue; }
	for f in mod.ko vmlinux-fixed vmlinux-pie; do
		if try 4 $f && [ ! -s out ]; then ok "$tools, $f: all sites are 4-byte aligned"
		else not_ok "$tools, $f: all sites are 4-byte aligned: $(cat out)"; fi
		if try 8 $f; then not_ok "$tools, $f: a misaligned site fails"
		elif [ "$(cat out)" = "error: $f: patch site of misaligned is not 8-byte aligned" ]; then
			ok "$tools, $f: a misaligned site fails, and is named"
		else not_ok "$tools, $f: a misaligned site is named: $(cat out)"; fi
	done
done
