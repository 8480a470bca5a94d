/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A function whose return is hooked returns here.
 */

#include <linux/linkage.h>

#include <asm/asm.h>
#include <asm/asm-offsets.h>
#include <asm/csr.h>

	.text

	/* All but ra and sp */
	.macro regs_3_to_31, op
	\op	gp, PT_GP(sp)
	\op	tp, PT_TP(sp)
	\op	t0, PT_T0(sp)
	\op	t1, PT_T1(sp)
	\op	t2, PT_T2(sp)
	\op	s0, PT_S0(sp)
	\op	s1, PT_S1(sp)
	\op	a0, PT_A0(sp)
	\op	a1, PT_A1(sp)
	\op	a2, PT_A2(sp)
	\op	a3, PT_A3(sp)
	\op	a4, PT_A4(sp)
	\op	a5, PT_A5(sp)
	\op	a6, PT_A6(sp)
	\op	a7, PT_A7(sp)
	\op	s2, PT_S2(sp)
	\op	s3, PT_S3(sp)
	\op	s4, PT_S4(sp)
	\op	s5, PT_S5(sp)
	\op	s6, PT_S6(sp)
	\op	s7, PT_S7(sp)
	\op	s8, PT_S8(sp)
	\op	s9, PT_S9(sp)
	\op	s10, PT_S10(sp)
	\op	s11, PT_S11(sp)
	\op	t3, PT_T3(sp)
	\op	t4, PT_T4(sp)
	\op	t5, PT_T5(sp)
	\op	t6, PT_T6(sp)
	.endm

	/* pt_regs and, for a backtrace from a handler, a record of our frame */
#ifdef CONFIG_FRAME_POINTER
#define FRAME_SIZE	(PT_SIZE_ON_STACK + 16)
#else
#define FRAME_SIZE	PT_SIZE_ON_STACK
#endif

/* Handlers may change the registers, but for the stack pointer. */
SYM_CODE_START(arch_rethook_trampoline)
	addi	sp, sp, -FRAME_SIZE
	REG_S	ra, PT_RA(sp)
	regs_3_to_31 REG_S
	addi	a0, sp, FRAME_SIZE
	REG_S	a0, PT_SP(sp)

	/* It is the kernel that runs, see user_mode(). There is no epc yet. */
	csrr	a0, CSR_STATUS
	li	a1, SR_PP
	or	a0, a0, a1
	REG_S	a0, PT_STATUS(sp)

#ifdef CONFIG_FRAME_POINTER
	/* The unwinder knows this address. After return_to_handler ra is not that. */
	la	a0, arch_rethook_trampoline
	REG_S	s0, (FRAME_SIZE - 2 * SZREG)(sp)
	REG_S	a0, (FRAME_SIZE - SZREG)(sp)
	addi	s0, sp, FRAME_SIZE
#endif
	mv	a0, sp
	call	arch_rethook_trampoline_callback
	mv	ra, a0				# the hooked return address

	regs_3_to_31 REG_L
	addi	sp, sp, FRAME_SIZE
	ret
SYM_CODE_END(arch_rethook_trampoline)
