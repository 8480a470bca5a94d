/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A function whose return is hooked returns here.
 */

#include <linux/linkage.h>
#include <asm/asm-offsets.h>
#include <asm/assembler.h>

	.text

	.macro	regs_0_to_29, op
	\op	x0, x1, [sp, #S_X0]
	\op	x2, x3, [sp, #S_X2]
	\op	x4, x5, [sp, #S_X4]
	\op	x6, x7, [sp, #S_X6]
	\op	x8, x9, [sp, #S_X8]
	\op	x10, x11, [sp, #S_X10]
	\op	x12, x13, [sp, #S_X12]
	\op	x14, x15, [sp, #S_X14]
	\op	x16, x17, [sp, #S_X16]
	\op	x18, x19, [sp, #S_X18]
	\op	x20, x21, [sp, #S_X20]
	\op	x22, x23, [sp, #S_X22]
	\op	x24, x25, [sp, #S_X24]
	\op	x26, x27, [sp, #S_X26]
	\op	x28, x29, [sp, #S_X28]
	.endm

/*
 * Only a RET comes here, so there is no BTI. Handlers may change the registers, but
 * for the stack pointer and PSTATE's other bits than the flags.
 */
SYM_CODE_START(arch_rethook_trampoline)
	sub	sp, sp, #PT_REGS_SIZE
	regs_0_to_29 stp
	add	x0, sp, #PT_REGS_SIZE
	stp	lr, x0, [sp, #S_LR]		// and sp

	/* Of PSTATE the flags, the masks and the mode, and no PC yet */
	mrs	x0, nzcv
	mrs	x1, daif
	orr	x0, x0, x1
	mrs	x1, CurrentEL
	orr	x0, x0, x1
	mrs	x1, SPSel
	orr	x0, x0, x1
	stp	xzr, x0, [sp, #S_PC]

	/* x29 and lr, which is still the address of this, are our frame record */
	add	x29, sp, #S_FP
	mov	x0, sp
	bl	arch_rethook_trampoline_callback
	mov	lr, x0				// the hooked return address

	ldr	x0, [sp, #S_PSTATE]
	and	x0, x0, #(PSR_N_BIT | PSR_Z_BIT | PSR_C_BIT | PSR_V_BIT)
	msr	nzcv, x0
	regs_0_to_29 ldp
	add	sp, sp, #PT_REGS_SIZE
	ret
SYM_CODE_END(arch_rethook_trampoline)
