/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Per-callsite ftrace_ops: what is shared within kernel/trace.
 */
#ifndef _LINUX_KERNEL_FTRACE_CALLSITE_H
#define _LINUX_KERNEL_FTRACE_CALLSITE_H

#include <linux/context_tracking.h>
#include <linux/ftrace_call_ops.h>
#include <linux/lockdep.h>
#include <linux/rcupdate.h>
#include <linux/sizes.h>
#include <linux/trace_recursion.h>

#include "ftrace_internal.h"

#define registered_ops(p) \
	rcu_dereference_protected(p, lockdep_is_held(&ftrace_lock))

/*
 * What ftrace_ops_assist_func() does for an ops that wants to be protected from
 * recursion, or to be called only where RCU is watching: with either flag, both
 * protection and preemption disabled. No avoidable test or call: every traced call
 * runs this.
 *
 * The caller is one frame of a backtrace, as the list function is, which
 * FTRACE_STACK_SKIP counts. It cannot tail-call ops->func: the recursion bit is given
 * back behind it.
 */
static __always_inline void
ftrace_call_assisted(unsigned long ip, unsigned long parent_ip,
		     struct ftrace_ops *op, struct ftrace_regs *fregs, bool rcu)
{
	int bit;

	bit = trace_test_and_set_recursion(ip, parent_ip, TRACE_LIST_START);
	if (bit < 0)
		return;

	if (!rcu || rcu_is_watching_curr_cpu())
		op->func(ip, parent_ip, op, fregs);

	trace_clear_recursion(bit);
}

/* The KUnit tests lower the limit. */
#define FTRACE_OPS_SETS_MAX_BYTES	SZ_4M
extern unsigned long ftrace_ops_sets_max_bytes;

#ifdef CONFIG_FTRACE_OPS_SETS
const struct ftrace_ops *ftrace_ops_set_select(const struct dyn_ftrace *rec,
					       const struct ftrace_ops *old);
void ftrace_ops_set_moved(const struct ftrace_ops *from,
			  const struct ftrace_ops *to, unsigned int nr);
bool ftrace_ops_set_has(const struct ftrace_ops *named,
			const struct ftrace_ops *ops);
bool ftrace_ops_set_serves(const struct ftrace_ops *named,
			   const struct dyn_ftrace *rec);
bool ftrace_ops_sets_counted(void);
bool ftrace_ops_set_registered(const struct ftrace_ops *named);
#else
static inline const struct ftrace_ops *
ftrace_ops_set_select(const struct dyn_ftrace *rec, const struct ftrace_ops *old)
{
	return ftrace_rec_select_ops(rec, registered_ops(ftrace_ops_list));
}

static inline void ftrace_ops_set_moved(const struct ftrace_ops *from,
					const struct ftrace_ops *to,
					unsigned int nr) { }
static inline bool ftrace_ops_set_has(const struct ftrace_ops *named,
				      const struct ftrace_ops *ops) { return false; }
static inline bool ftrace_ops_set_serves(const struct ftrace_ops *named,
					 const struct dyn_ftrace *rec)
{
	return named == &ftrace_list_ops;
}

static inline bool ftrace_ops_sets_counted(void) { return true; }
static inline bool ftrace_ops_set_registered(const struct ftrace_ops *named) { return false; }
#endif

#endif /* _LINUX_KERNEL_FTRACE_CALLSITE_H */
