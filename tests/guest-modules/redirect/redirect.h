/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CALLOPS_REDIRECT_H
#define CALLOPS_REDIRECT_H

#ifdef CONFIG_ARM64
#include "call-arm64.h"
#endif
#ifdef CONFIG_RISCV
#include "call-riscv.h"
#endif

/* The arguments first, from 0; the others as the arch numbers them */
struct call_regs {
	unsigned long r[CALL_NR_REGS];
};

extern struct call_regs new_regs;

void call_with_regs(void (*fn)(void), struct call_regs *in,
		    struct call_regs *out);
void call_new(void);

#endif
