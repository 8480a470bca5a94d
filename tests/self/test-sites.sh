#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# scripts/patch_sites/check.sh on small ELF files: a module, a vmlinux with
# its table in place, one with relocations, packed ones as well; with the tools of GNU
# and of LLVM, the oldest and the newest of the base.
# scripts/patch_sites/as.sh in front of GCC's assembler.
. "$(dirname "$0")/lib.sh"
check=$REAL/scripts/patch_sites/check.sh
mkdir -p "$T/sites"
cd "$T/sites" || exit

# The tools speak French, if there is a translation
try() {
	LC_ALL='' LANG=C.UTF-8 LANGUAGE=fr NM=$nm OBJDUMP=$objdump READELF=$readelf sh "$check" "$1" >out 2>&1
}

one_arch() {
X=$1 options='' flags0='' entry=4,2 kinds='mod.ko mod-label.ko vmlinux-fixed'
case $X in
aarch64*)
	kinds+=' vmlinux-pie'
	if command -v "ld.lld$CLANG" >/dev/null; then kinds+=' vmlinux-relr'; else skip "patch sites: no ld.lld$CLANG"; fi ;;
# Modules are compiled like that. A nop of 4 bytes, and no code that moves later.
riscv*) options='.option norvc; .option norelax' flags0=-mno-relax entry=8,4 ;;
esac
for t in ${X}as ${X}ld ${X}gcc; do
	command -v "$t" >/dev/null || { skip "patch sites: no $t"; return; }
done

# One with a site on a multiple of 8 and one on a multiple of 4, and one with
# both on multiples of 8. A table may be followed by what is no site.
for pad in '' nop; do
	cat >sites${pad:+-aligned}.S <<S
	$options
	.text
	.p2align 3
	.type _start, %function
	.global _start, anchor
_start:	ret
anchor:	nop
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
	sed 's/SECTION/__patchable_function_entries/' sites$of.S | "${X}as" -o mod$of.ko -
	# relocations against a label that is not at the start of its section
	sed 's/SECTION/__patchable_function_entries/; s/\.8byte \([12]b\)/.8byte anchor + (\1 - anchor)/' sites$of.S |
		"${X}as" -o mod$of-label.ko -
	# Not -q: grep then ends early, and what writes to it fails
	"${X}readelf" -rW mod$of-label.ko | grep 'anchor + 4$' >/dev/null || not_ok "$X: relocations against a label"
	sed 's/SECTION/.init.data/' sites$of.S | "${X}as" -o v.o -
	"${X}ld" "${at[@]}" --no-relax -o vmlinux$of-fixed v.o
	[[ $kinds != *pie* ]] ||
		"${X}ld" "${at[@]}" -pie --no-apply-dynamic-relocs -o vmlinux$of-pie v.o
	if [[ $kinds = *relr* ]]; then
		"ld.lld$CLANG" "${at[@]}" -pie --pack-dyn-relocs=relr --use-android-relr-tags -o vmlinux$of-relr v.o
		"llvm-readelf$CLANG" -SW vmlinux$of-relr | grep 'relr\.dyn' >/dev/null || not_ok "$X: packed relocations"
	fi
done

for tools in gnu "${CLANGS[@]/#/llvm}"; do
	case $tools in
	gnu) nm=${X}nm objdump=${X}objdump readelf=${X}readelf ;;
	llvm*) nm=llvm-nm${tools#llvm} objdump=llvm-objdump${tools#llvm} readelf=llvm-readelf${tools#llvm} ;;
	esac
	command -v "$nm" >/dev/null || { skip "with $tools"; continue; }
	for f in $kinds; do
		good=${f/mod/mod-aligned} good=${good/vmlinux/vmlinux-aligned}
		if try "$good" && [ ! -s out ]; then ok "${X%%-*}, $tools, $good: all sites are aligned"
		else not_ok "${X%%-*}, $tools, $good: all sites are aligned: $(cat out)"; fi
		if try "$f"; then not_ok "${X%%-*}, $tools, $f: a misaligned site fails"
		elif [ "$(cat out)" = "error: $f: patch site of misaligned is not 8-byte aligned" ]; then
			ok "${X%%-*}, $tools, $f: a misaligned site fails, and is named"
		else not_ok "${X%%-*}, $tools, $f: a misaligned site is named: $(cat out)"; fi
		for fails in nm objdump readelf; do
			case $fails-$good in nm-mod*|objdump-mod*|objdump-*pie) continue ;; esac
			if ! (eval "$fails=false"; try "$good") && grep -q '^error: .*false' out; then
				ok "${X%%-*}, $tools, $good: a failing $fails is an error"
			else not_ok "${X%%-*}, $tools, $good: a failing $fails is an error: $(cat out)"; fi
		done
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
install -m 755 "$REAL/scripts/patch_sites/as.sh" as/as
nm=${X}nm objdump=${X}objdump readelf=${X}readelf
for flags in -Os '-Os -pipe' -O2 '-O2 -pipe -g'; do
	# shellcheck disable=SC2086
	if ${X}gcc $flags0 $flags -fpatchable-function-entry=$entry -Bas -c cold.c -o mod.ko >out 2>&1 && try mod.ko &&
	   [ "$("${X}objdump" -r -j __patchable_function_entries mod.ko | grep -cE 'R_AARCH64_ABS64|R_RISCV_64')" = 4 ]; then
		ok "${X}gcc $flags: its assembler aligns the patch sites"
	else not_ok "${X}gcc $flags: its assembler aligns the patch sites: $(cat out)"; fi
done
# shellcheck disable=SC2086
if PATCH_SITES_AS=false ${X}gcc $flags0 -Bas -c cold.c -o cold.o >out 2>&1; then not_ok "${X}gcc: the assembler is that of kbuild"
else ok "${X}gcc: the assembler is that of kbuild"; fi
# shellcheck disable=SC2086
if timeout 10 ${X}gcc $flags0 -Bas -Wa,--version -x assembler -c /dev/null -o cold.o < <(sleep 12) >out 2>&1 && grep -q 'GNU assembler' out; then
	ok "${X}gcc: without -pipe the assembler's input is a file"
else not_ok "${X}gcc: without -pipe the assembler's input is a file: $(cat out)"; fi
echo 'int broken(int x) { asm("no such instruction"); return x; }' >broken.c
for flags in -O2 '-O2 -pipe'; do
	# shellcheck disable=SC2086
	if ${X}gcc $flags0 $flags -fpatchable-function-entry=$entry -Bas -c broken.c -o broken.o >out 2>&1; then
		not_ok "${X}gcc $flags: the assembler's errors are its own"
	elif grep -q 'no such instruction' out; then ok "${X}gcc $flags: the assembler's errors are its own"
	else not_ok "${X}gcc $flags: the assembler's errors are shown: $(cat out)"; fi
done
}

for cross in aarch64 riscv64; do one_arch $cross-linux-gnu-; done
