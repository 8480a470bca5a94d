/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CALLOPS_CALL_ARM64_H
#define CALLOPS_CALL_ARM64_H

/* struct call_regs: x0 to x30 by number, then sp */
#define CALL_NR_REGS	32
#define CALL_REG_FP	29
#define CALL_REG_LR	30
#define CALL_REG_SP	31

#ifndef __ASSEMBLY__

#include <linux/bits.h>
#include <linux/ptrace.h>

/* x0 to x7, of which a C function can see its first eight arguments */
#define CALL_NR_ARGS	8

/* What the function that is called in the end has to find: arguments, x8 */
#define CALL_ARGS	GENMASK(8, 0)

/* What a call has to leave alone: x19 to x28, fp */
#define CALL_SAVED	GENMASK(29, 19)

/*
 * What the tracer has to see in its pt_regs as the caller had it. Not x9, in
 * which the patch site saves lr; not x16 and x17, which a PLT may use; not x18,
 * which may be the shadow call stack's; lr because it is saved from x9.
 */
#define CALL_SEEN	(CALL_ARGS | GENMASK(15, 10) | CALL_SAVED | \
			 BIT(CALL_REG_LR) | BIT(CALL_REG_SP))

static inline unsigned long call_pt_reg(const struct pt_regs *regs, int nr)
{
	return nr == CALL_REG_SP ? regs->sp : regs->regs[nr];
}

static inline void call_set_arg(struct pt_regs *regs, int nr, unsigned long val)
{
	regs->regs[nr] = val;
}

#endif /* __ASSEMBLY__ */
#endif
