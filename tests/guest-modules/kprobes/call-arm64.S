/* SPDX-License-Identifier: GPL-2.0 */

#include <linux/linkage.h>
#include <asm/assembler.h>

#include "kprobes.h"

#define FRAME_SIZE	(16 * 8)

	.macro	args_and_saved op, base
	\op	x0, x1, [\base]
	\op	x2, x3, [\base, #8 * 2]
	\op	x4, x5, [\base, #8 * 4]
	\op	x6, x7, [\base, #8 * 6]
	saved	\op, \base
	.endm

	.macro	saved op, base
	\op	x19, x20, [\base, #8 * 19]
	\op	x21, x22, [\base, #8 * 21]
	\op	x23, x24, [\base, #8 * 23]
	\op	x25, x26, [\base, #8 * 25]
	\op	x27, x28, [\base, #8 * 27]
	.endm

SYM_FUNC_START(call_with_regs)
	stp	x29, x30, [sp, #-FRAME_SIZE]!
	mov	x29, sp
	stp	x19, x20, [sp, #16]
	stp	x21, x22, [sp, #32]
	stp	x23, x24, [sp, #48]
	stp	x25, x26, [sp, #64]
	stp	x27, x28, [sp, #80]
	str	x2, [sp, #96]			// out

	mov	x17, x0				// fn
	mov	x16, x1				// in
	adr	x9, .Lreturn
	stp	x29, x9, [x16, #8 * REG_FP]
	mov	x9, sp
	str	x9, [x16, #8 * REG_SP]
	args_and_saved ldp, x16
	ldr	x8, [x16, #8 * 8]
	blr	x17
.Lreturn:
	ldr	x16, [sp, #96]			// out
	args_and_saved stp, x16
	str	x29, [x16, #8 * REG_FP]
	mov	x9, sp
	str	x9, [x16, #8 * REG_SP]

	ldp	x19, x20, [sp, #16]
	ldp	x21, x22, [sp, #32]
	ldp	x23, x24, [sp, #48]
	ldp	x25, x26, [sp, #64]
	ldp	x27, x28, [sp, #80]
	ldp	x29, x30, [sp], #FRAME_SIZE
	ret
SYM_FUNC_END(call_with_regs)

/* Where a handler sends a call instead */
SYM_FUNC_START(kprobes_new)
	adr_l	x16, inside
	args_and_saved stp, x16
	str	x8, [x16, #8 * 8]
	stp	x29, x30, [x16, #8 * REG_FP]
	mov	x9, sp
	str	x9, [x16, #8 * REG_SP]
	mov	x0, #0x4e45
	ret
SYM_FUNC_END(kprobes_new)
