/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CALLOPS_CALL_RISCV_H
#define CALLOPS_CALL_RISCV_H

/* struct call_regs: a0 to a7, t1 to t6, s0 to s11, ra, sp, by these numbers */
#define CALL_NR_REGS	28
#define CALL_REG_A0	0
#define CALL_REG_T1	8
#define CALL_REG_S0	14
#define CALL_REG_LR	26
#define CALL_REG_SP	27

#ifndef __ASSEMBLY__

#include <linux/bits.h>
#include <linux/ptrace.h>

#define CALL_NR_ARGS	8

/* What the function that is called in the end has to find */
#define CALL_ARGS	GENMASK(7, 0)

/* What a call has to leave alone: s0 to s11 */
#define CALL_SAVED	GENMASK(25, 14)

/*
 * What the tracer has to see in its pt_regs as the caller had it. Not t0, by
 * which a callsite calls. Without per-callsite ops the trampoline stores sp after
 * it has made its own frame.
 */
#define CALL_SEEN	(CALL_ARGS | GENMASK(13, 8) | CALL_SAVED | \
			 BIT(CALL_REG_LR) | \
			 (IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS) ? \
			  BIT(CALL_REG_SP) : 0))

static inline unsigned long call_pt_reg(const struct pt_regs *regs, int nr)
{
	const unsigned long by_number[CALL_NR_REGS] = {
		regs->a0, regs->a1, regs->a2, regs->a3,
		regs->a4, regs->a5, regs->a6, regs->a7,
		regs->t1, regs->t2, regs->t3, regs->t4, regs->t5, regs->t6,
		regs->s0, regs->s1, regs->s2, regs->s3, regs->s4, regs->s5,
		regs->s6, regs->s7, regs->s8, regs->s9, regs->s10, regs->s11,
		regs->ra, regs->sp,
	};

	return by_number[nr];
}

static inline void call_set_arg(struct pt_regs *regs, int nr, unsigned long val)
{
	(&regs->a0)[nr] = val;
}

#endif /* __ASSEMBLY__ */
#endif
