/* SPDX-License-Identifier: GPL-2.0 */

#include <linux/linkage.h>
#include <asm/assembler.h>

#include "call-arm64.h"

#define FRAME_SIZE	(16 * 8)

/*
 * void call_with_regs(void (*fn)(void), struct call_regs *in,
 *		       struct call_regs *out)
 *
 * Call @fn with all the registers of @in that one may choose, add those that
 * one may not (fp, lr, sp), and store to @out what they are on return.
 */
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
	str	x29, [x16, #8 * CALL_REG_FP]
	str	x9, [x16, #8 * CALL_REG_LR]
	mov	x9, sp
	str	x9, [x16, #8 * CALL_REG_SP]

	ldp	x0, x1, [x16]
	ldp	x2, x3, [x16, #8 * 2]
	ldp	x4, x5, [x16, #8 * 4]
	ldp	x6, x7, [x16, #8 * 6]
	ldr	x8, [x16, #8 * 8]
	ldp	x10, x11, [x16, #8 * 10]
	ldp	x12, x13, [x16, #8 * 12]
	ldp	x14, x15, [x16, #8 * 14]
	ldp	x19, x20, [x16, #8 * 19]
	ldp	x21, x22, [x16, #8 * 21]
	ldp	x23, x24, [x16, #8 * 23]
	ldp	x25, x26, [x16, #8 * 25]
	ldp	x27, x28, [x16, #8 * 27]

	blr	x17
.Lreturn:
	ldr	x16, [sp, #96]			// out
	stp	x0, x1, [x16]
	stp	x19, x20, [x16, #8 * 19]
	stp	x21, x22, [x16, #8 * 21]
	stp	x23, x24, [x16, #8 * 23]
	stp	x25, x26, [x16, #8 * 25]
	stp	x27, x28, [x16, #8 * 27]
	str	x29, [x16, #8 * CALL_REG_FP]
	mov	x9, sp
	str	x9, [x16, #8 * CALL_REG_SP]

	ldp	x19, x20, [sp, #16]
	ldp	x21, x22, [sp, #32]
	ldp	x23, x24, [sp, #48]
	ldp	x25, x26, [sp, #64]
	ldp	x27, x28, [sp, #80]
	ldp	x29, x30, [sp], #FRAME_SIZE
	ret
SYM_FUNC_END(call_with_regs)

/*
 * The function that a tracer goes to instead. It stores the registers that it
 * was given to new_regs, and returns NEW_RETURNS (see main.c).
 */
SYM_FUNC_START(call_new)
	adr_l	x16, new_regs
	stp	x0, x1, [x16]
	stp	x2, x3, [x16, #8 * 2]
	stp	x4, x5, [x16, #8 * 4]
	stp	x6, x7, [x16, #8 * 6]
	str	x8, [x16, #8 * 8]
	stp	x19, x20, [x16, #8 * 19]
	stp	x21, x22, [x16, #8 * 21]
	stp	x23, x24, [x16, #8 * 23]
	stp	x25, x26, [x16, #8 * 25]
	stp	x27, x28, [x16, #8 * 27]
	stp	x29, x30, [x16, #8 * 29]
	mov	x9, sp
	str	x9, [x16, #8 * CALL_REG_SP]
	mov	x0, #0x4e45
	ret
SYM_FUNC_END(call_new)
