/* SPDX-License-Identifier: GPL-2.0 */

#include <linux/linkage.h>
#include <asm/asm.h>

#include "call-riscv.h"

	/* A module's loader does not relax, and clang is not told for assembly */
	.option norelax

#define FRAME_SIZE	(16 * SZREG)

	/* OP s1 to s11, from or to REGS */
	.macro s_regs op, regs
	\op	s1, ((CALL_REG_S0 + 1) * SZREG)(\regs)
	\op	s2, ((CALL_REG_S0 + 2) * SZREG)(\regs)
	\op	s3, ((CALL_REG_S0 + 3) * SZREG)(\regs)
	\op	s4, ((CALL_REG_S0 + 4) * SZREG)(\regs)
	\op	s5, ((CALL_REG_S0 + 5) * SZREG)(\regs)
	\op	s6, ((CALL_REG_S0 + 6) * SZREG)(\regs)
	\op	s7, ((CALL_REG_S0 + 7) * SZREG)(\regs)
	\op	s8, ((CALL_REG_S0 + 8) * SZREG)(\regs)
	\op	s9, ((CALL_REG_S0 + 9) * SZREG)(\regs)
	\op	s10, ((CALL_REG_S0 + 10) * SZREG)(\regs)
	\op	s11, ((CALL_REG_S0 + 11) * SZREG)(\regs)
	.endm

	/* OP a1 to a7 and t1 to t6, from or to REGS; a1 last, which may be REGS */
	.macro a_t_regs op, regs
	\op	a2, ((CALL_REG_A0 + 2) * SZREG)(\regs)
	\op	a3, ((CALL_REG_A0 + 3) * SZREG)(\regs)
	\op	a4, ((CALL_REG_A0 + 4) * SZREG)(\regs)
	\op	a5, ((CALL_REG_A0 + 5) * SZREG)(\regs)
	\op	a6, ((CALL_REG_A0 + 6) * SZREG)(\regs)
	\op	a7, ((CALL_REG_A0 + 7) * SZREG)(\regs)
	\op	t1, ((CALL_REG_T1 + 0) * SZREG)(\regs)
	\op	t2, ((CALL_REG_T1 + 1) * SZREG)(\regs)
	\op	t3, ((CALL_REG_T1 + 2) * SZREG)(\regs)
	\op	t4, ((CALL_REG_T1 + 3) * SZREG)(\regs)
	\op	t5, ((CALL_REG_T1 + 4) * SZREG)(\regs)
	\op	t6, ((CALL_REG_T1 + 5) * SZREG)(\regs)
	\op	a1, ((CALL_REG_A0 + 1) * SZREG)(\regs)
	.endm

/*
 * void call_with_regs(void (*fn)(void), struct call_regs *in,
 *		       struct call_regs *out)
 *
 * Call @fn with all the registers of @in that one may choose, add those that
 * one may not (s0, the frame pointer; ra; sp), and store to @out what they are
 * on return.
 */
SYM_FUNC_START(call_with_regs)
	addi	sp, sp, -FRAME_SIZE
	REG_S	ra, (15 * SZREG)(sp)
	REG_S	s0, (14 * SZREG)(sp)
	addi	s0, sp, FRAME_SIZE
	REG_S	s1, (1 * SZREG)(sp)
	REG_S	s2, (2 * SZREG)(sp)
	REG_S	s3, (3 * SZREG)(sp)
	REG_S	s4, (4 * SZREG)(sp)
	REG_S	s5, (5 * SZREG)(sp)
	REG_S	s6, (6 * SZREG)(sp)
	REG_S	s7, (7 * SZREG)(sp)
	REG_S	s8, (8 * SZREG)(sp)
	REG_S	s9, (9 * SZREG)(sp)
	REG_S	s10, (10 * SZREG)(sp)
	REG_S	s11, (11 * SZREG)(sp)
	REG_S	a2, (12 * SZREG)(sp)		// out

	mv	t0, a0				// fn
	REG_S	s0, (CALL_REG_S0 * SZREG)(a1)
	REG_S	sp, (CALL_REG_SP * SZREG)(a1)
	lla	t1, .Lreturn
	REG_S	t1, (CALL_REG_LR * SZREG)(a1)
	REG_L	a0, (CALL_REG_A0 * SZREG)(a1)
	s_regs	REG_L, a1
	a_t_regs REG_L, a1

	jalr	t0
.Lreturn:
	REG_L	t0, (12 * SZREG)(sp)		// out
	REG_S	a0, (CALL_REG_A0 * SZREG)(t0)
	REG_S	s0, (CALL_REG_S0 * SZREG)(t0)
	REG_S	sp, (CALL_REG_SP * SZREG)(t0)
	s_regs	REG_S, t0

	REG_L	s1, (1 * SZREG)(sp)
	REG_L	s2, (2 * SZREG)(sp)
	REG_L	s3, (3 * SZREG)(sp)
	REG_L	s4, (4 * SZREG)(sp)
	REG_L	s5, (5 * SZREG)(sp)
	REG_L	s6, (6 * SZREG)(sp)
	REG_L	s7, (7 * SZREG)(sp)
	REG_L	s8, (8 * SZREG)(sp)
	REG_L	s9, (9 * SZREG)(sp)
	REG_L	s10, (10 * SZREG)(sp)
	REG_L	s11, (11 * SZREG)(sp)
	REG_L	s0, (14 * SZREG)(sp)
	REG_L	ra, (15 * SZREG)(sp)
	addi	sp, sp, FRAME_SIZE
	ret
SYM_FUNC_END(call_with_regs)

/*
 * The function that a tracer goes to instead. It stores the registers that it
 * was given to new_regs, and returns NEW_RETURNS (see main.c).
 */
SYM_FUNC_START(call_new)
	lla	t0, new_regs
	REG_S	a0, (CALL_REG_A0 * SZREG)(t0)
	REG_S	s0, (CALL_REG_S0 * SZREG)(t0)
	REG_S	ra, (CALL_REG_LR * SZREG)(t0)
	REG_S	sp, (CALL_REG_SP * SZREG)(t0)
	s_regs	REG_S, t0
	a_t_regs REG_S, t0
	li	a0, 0x4e45
	ret
SYM_FUNC_END(call_new)
