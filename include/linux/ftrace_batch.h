/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Callsites that are written together: what the core and the architecture share.
 * See kernel/trace/ftrace_batch.c.
 */
#ifndef _LINUX_FTRACE_BATCH_H
#define _LINUX_FTRACE_BATCH_H

#include <linux/ftrace.h>

/* Also the greatest number that is written with interrupts disabled */
#define FTRACE_BATCH_MAX	64

struct ftrace_site {
	struct dyn_ftrace		*rec;
	const struct ftrace_ops		*was;	/* what the literal names */
	const struct ftrace_ops		*ops;	/* what it has to name */
	unsigned long			flags;	/* of the record, before */
	u32				old;	/* the instruction to replace */
	u32				new;	/* by this one; both equal: leave it */
};

/* Set ->old and ->new of @site; an address of 0 stands for no call. */
int arch_ftrace_prepare_site(struct ftrace_site *site, unsigned long old_addr,
			     unsigned long new_addr);

/*
 * Write @nr sites, at least one, whose instructions lie in one page. So do the literals
 * that have to be written; one whose ->was is its ->ops may lie in the page before. If a
 * site does not have ->old, it and those after it stay as they are. Each literal
 * is there, for other CPUs, before the instruction that makes them load it. The number
 * of sites that were written is left in *@done, which the caller has set to 0.
 */
int arch_ftrace_write_sites(const struct ftrace_site *sites, unsigned int nr,
			    unsigned int *done);

/*
 * Turn @nr callsites, at least one, from what the compiler left into disabled ones.
 * They lie in one page, with their literals, in the order of their addresses, and
 * nobody runs them, but for those of the kernel at boot. The number of those that were
 * written is left in *@done, which the caller has set to 0; an error belongs to the site
 * after them.
 */
int arch_ftrace_init_sites(struct module *mod, const struct dyn_ftrace *recs,
			   unsigned int nr, unsigned int *done);

#endif /* _LINUX_FTRACE_BATCH_H */
