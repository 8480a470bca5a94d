#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel/trace/check_patch_sites.sh on small ELF files: a module, a vmlinux with
# its table in place, one with relocations; with the tools of GNU and of LLVM.
# kernel/trace/align_patch_sites.sh in front of GCC's assembler.
. "$(dirname "$0")/lib.sh"
X=aarch64-linux-gnu-
for t in ${X}as ${X}ld ${X}gcc; do
	command -v "$t" >/dev/null || { skip "patch sites: no $t"; exit; }
done
check=$REAL/kernel/trace/check_patch_sites.sh
mkdir -p "$T/sites"
cd "$T/sites" || exit

# One with a site on a multiple of 8 and one on a multiple of 4, and one with
# both on multiples of 8. A table may end in an entry that is not of .text.
for pad in '' nop; do
	cat >sites${pad:+-aligned}.S <<S
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
	$pad
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
	.8byte 0x1234564
S
done
at=(-Ttext=0xffff800008010000 --section-start=.init.data=0xffff800008400000)
for of in '' -aligned; do
	sed 's/SECTION/__patchable_function_entries/' sites$of.S | ${X}as -o mod$of.ko -
	sed 's/SECTION/.init.data/' sites$of.S | ${X}as -o v.o -
	${X}ld "${at[@]}" -o vmlinux$of-fixed v.o
	${X}ld "${at[@]}" -pie --no-apply-dynamic-relocs -o vmlinux$of-pie v.o
done

try() {
	NM=$nm OBJDUMP=$objdump READELF=$readelf sh "$check" "$1" >out 2>&1
}
for tools in gnu llvm; do
	case $tools in
	gnu) nm=${X}nm objdump=${X}objdump readelf=${X}readelf ;;
	llvm) nm=llvm-nm-19 objdump=llvm-objdump-19 readelf=llvm-readelf-19 ;;
	esac
	command -v "$nm" >/dev/null || { skip "with $tools"; continue; }
	for f in mod.ko vmlinux-fixed vmlinux-pie; do
		good=${f/mod/mod-aligned} good=${good/vmlinux/vmlinux-aligned}
		if try "$good" && [ ! -s out ]; then ok "$tools, $good: all sites are aligned"
		else not_ok "$tools, $good: all sites are aligned: $(cat out)"; fi
		if try $f; then not_ok "$tools, $f: a misaligned site fails"
		elif [ "$(cat out)" = "error: $f: patch site of misaligned is not 8-byte aligned" ]; then
			ok "$tools, $f: a misaligned site fails, and is named"
		else not_ok "$tools, $f: a misaligned site is named: $(cat out)"; fi
	done
done

# Functions that GCC before 14 does not align: by -Os, marked cold, and cold for
# it calls one that is. The assembler is asked what it was told.
cat >cold.c <<'C'
void marked(void) __attribute__((cold));
int size(int x) { return x + 1; }
int odd(int x) { return x * x + 3; }
void marked(void) { asm volatile("nop"); }
void inferred(void) { marked(); asm volatile("nop"); }
C
mkdir -p as
install -m 755 "$REAL/kernel/trace/align_patch_sites.sh" as/as
nm=${X}nm objdump=${X}objdump readelf=${X}readelf
for flags in -Os '-Os -pipe' -O2 '-O2 -pipe -g'; do
	# shellcheck disable=SC2086
	if ${X}gcc $flags -fpatchable-function-entry=4,2 -Bas -c cold.c -o mod.ko >out 2>&1 && try mod.ko &&
	   [ "$(${X}objdump -r -j __patchable_function_entries mod.ko | grep -c R_AARCH64_ABS64)" = 4 ]; then
		ok "GCC $flags: its assembler aligns the patch sites"
	else not_ok "GCC $flags: its assembler aligns the patch sites: $(cat out)"; fi
done
echo 'int broken(int x) { asm("no such instruction"); return x; }' >broken.c
for flags in -O2 '-O2 -pipe'; do
	# shellcheck disable=SC2086
	if ${X}gcc $flags -fpatchable-function-entry=4,2 -Bas -c broken.c -o broken.o >out 2>&1; then
		not_ok "GCC $flags: the assembler's errors are GCC's"
	elif grep -q 'no such instruction' out; then ok "GCC $flags: the assembler's errors are GCC's"
	else not_ok "GCC $flags: the assembler's errors are shown: $(cat out)"; fi
done
