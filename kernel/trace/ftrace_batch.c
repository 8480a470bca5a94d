// SPDX-License-Identifier: GPL-2.0
/*
 * Write the callsites of an update a page at a time.
 *
 * What writing one callsite costs is mostly making a writable mapping of its page,
 * taking that away again, for which all CPUs have to drop it from their TLBs, and
 * maintaining the caches. All that is needed once for a page. So an update of all
 * callsites is made in two steps for each page:
 *
 *   1. the record of each of its callsites is brought up to date, and what has to be
 *	written is worked out. This may allocate memory, and sleep;
 *   2. the architecture maps the page, compares each instruction with what has to be
 *	there, writes all literals, then all instructions, and takes the mapping away.
 *	It may do so with interrupts disabled: at most FTRACE_BATCH_MAX callsites.
 *
 * A CPU may see any of the callsites of a page as before, and any other as after the
 * update. That is so without batches, too, as callsites are written one after the other
 * while all CPUs run. For each callsite by itself nothing is different: its literal is
 * written before its instruction, with a barrier between the two, so ftrace_call_ops.c
 * has the argument for each mix. Caches are maintained before the update returns, and
 * so before any grace period begins.
 *
 * A callsite that does not look as it should stops the update before its instruction is
 * written: those before it are as they should be, those behind it are not touched, and
 * ftrace_bug() names it. The records of those behind it are set back.
 *
 * The literal may lie in the page before that of its instruction. It is written by
 * itself then, when the site is noted, and so also where the update then stops: the
 * callsite has the new literal with the old instruction, as any has for a moment.
 *
 * New callsites, of the kernel at boot or of a module that is loaded, are initialized a
 * page at a time as well.
 */

#include <linux/ftrace_batch.h>
#include <linux/sched.h>

#include "ftrace_callsite.h"
#include "trace.h"

/* Under ftrace_lock */
static struct ftrace_site sites[FTRACE_BATCH_MAX];
static unsigned int nr_sites;

/* Are the literal and the instructions in one page? */
static bool in_page(const struct dyn_ftrace *rec)
{
	return !((ftrace_literal_addr(rec->ip) ^ rec->ip) & PAGE_MASK);
}

static void report(const struct ftrace_site *site, int err)
{
	bool was = site->flags & FTRACE_FL_ENABLED;
	bool is = site->rec->flags & FTRACE_FL_ENABLED;

	ftrace_bug_type = !was ? FTRACE_BUG_CALL : !is ? FTRACE_BUG_NOP : FTRACE_BUG_UPDATE;
	ftrace_bug(err, site->rec);
}

/**
 * ftrace_batch_write - write the callsites that were noted
 *
 * Context: ftrace_lock is held, and what the architecture needs to patch text.
 * Return: 0, or the error that ftrace_bug() has reported.
 */
int ftrace_batch_write(void)
{
	unsigned int done = 0;
	int err;

	if (!nr_sites)
		return 0;

	err = arch_ftrace_write_sites(sites, nr_sites, &done);

	/* Most often all of them, from one to another */
	for (unsigned int i = 0, nr; i < done; i += nr) {
		for (nr = 1; i + nr < done; nr++) {
			if (sites[i + nr].was != sites[i].was ||
			    sites[i + nr].ops != sites[i].ops)
				break;
		}
		if (sites[i].was != sites[i].ops)
			ftrace_ops_set_moved(sites[i].was, sites[i].ops, nr);
	}

	if (unlikely(err)) {
		for (unsigned int i = done + 1; i < nr_sites; i++)
			sites[i].rec->flags = sites[i].flags;
		report(&sites[done], err);
	}
	nr_sites = 0;

	return err;
}

/* Step 1 */
static __always_inline int add(struct dyn_ftrace *rec, bool enable)
{
	unsigned long old_addr = 0, new_addr = 0;
	struct ftrace_site *site;
	int err;

	if (nr_sites && (nr_sites == FTRACE_BATCH_MAX ||
			 (rec->ip ^ sites[0].rec->ip) & PAGE_MASK)) {
		err = ftrace_batch_write();
		if (err)
			return err;
	}

	site = &sites[nr_sites];
	site->rec = rec;
	site->flags = rec->flags;

	/* These need the flags of before */
	if (rec->flags & FTRACE_FL_ENABLED)
		old_addr = ftrace_get_addr_curr(rec);
	if (enable && ftrace_rec_count(rec))
		new_addr = ftrace_get_addr_new(rec);

	if (ftrace_update_record(rec, enable) == FTRACE_UPDATE_IGNORE)
		return 0;

	site->was = ftrace_rec_read_literal(rec);
	site->ops = ftrace_rec_choose_ops(rec, site->was);
	site->old = 0;
	site->new = 0;
	err = 0;
	if (old_addr != new_addr)
		err = arch_ftrace_prepare_site(site, old_addr, new_addr);
	else if (site->ops == site->was)
		return 0;

	if (!err && !in_page(rec)) {
		err = ftrace_rec_write_literal(rec, site->was, site->ops);
		site->was = site->ops;
	}
	if (unlikely(err)) {
		if (ftrace_batch_write())
			rec->flags = site->flags;
		else
			report(site, err);
		return err;
	}

	nr_sites++;
	return 0;
}

/**
 * ftrace_batch_add - note what has to be written of a callsite
 * @rec: its record
 * @enable: false to disable all callsites, whatever their records say
 *
 * Writes what was noted of another page.
 *
 * Context: as for ftrace_batch_write(). May sleep.
 * Return: 0, or an error after ftrace_bug() was called.
 */
int ftrace_batch_add(struct dyn_ftrace *rec, bool enable)
{
	return add(rec, enable);
}

/**
 * ftrace_batch_init - initialize new callsites, as many as are in one page
 * @mod: whose they are, or NULL for those of the kernel
 * @recs: their records, by address
 * @nr: how many there are, at least one
 * @done: where to leave how many of them were initialized, 0 until then
 *
 * Context: ftrace_lock is held. May sleep.
 * Return: 0, or the error of the one after those.
 */
int ftrace_batch_init(struct module *mod, struct dyn_ftrace *recs, unsigned int nr,
		      unsigned int *done)
{
	unsigned int n = 0;
	int err;

	while (n < min_t(unsigned int, nr, FTRACE_BATCH_MAX) && in_page(&recs[n]) &&
	       !((recs[n].ip ^ recs->ip) & PAGE_MASK))
		n++;
	if (n)
		return arch_ftrace_init_sites(mod, recs, n, done);

	err = ftrace_init_nop(mod, recs);
	*done = !err;
	return err;
}

void ftrace_replace_code(int mod_flags)
{
	bool may_sleep = mod_flags & FTRACE_MODIFY_MAY_SLEEP_FL;
	bool enable = mod_flags & FTRACE_MODIFY_ENABLE_FL;
	struct ftrace_rec_iter *iter;
	unsigned int n = 0;

	if (unlikely(ftrace_is_dead()))
		return;

	for_ftrace_rec_iter(iter) {
		struct dyn_ftrace *rec = ftrace_rec_iter_record(iter);

		/* cond_resched() may be traced, so not without need */
		if (may_sleep && !(++n % FTRACE_BATCH_MAX) && need_resched())
			cond_resched();
		/* Most callsites, in most updates: nobody traces it, or did */
		if (!rec->flags)
			continue;
		if (add(rec, enable))
			return;
	}

	ftrace_batch_write();
}
