/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CALLOPS_KPROBES_H
#define CALLOPS_KPROBES_H

/* x0 to x30 by number, then sp */
#define NR_REGS	32
#define REG_FP	29
#define REG_LR	30
#define REG_SP	31

#ifndef __ASSEMBLY__
struct call_regs {
	unsigned long r[NR_REGS];
};

/* What was in them where the call went in the end */
extern struct call_regs inside;

/* Call @fn with the registers of @in; those that one cannot choose are added to it. */
unsigned long call_with_regs(void *fn, struct call_regs *in, struct call_regs *out);
unsigned long kprobes_new(void);

int kprobes_storm(unsigned int ms);
#endif

#endif
