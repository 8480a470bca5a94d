// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measure, and check, what a traced function call costs.
 *
 * Loading the module registers nr_ops_relevant ftrace_ops on one function and
 * nr_ops_irrelevant on another, calls the first one nr_function_calls times,
 * and prints the time that took:
 *
 *   ftrace_ops: relevant=1 irrelevant=0 calls=100000 ns=... per_call=... flags=none
 *
 * An ops on the irrelevant function is never called. Whatever it adds to the
 * time is the price of tracers having to share something.
 *
 * There is nothing to keep a module for that has measured, so unless persist
 * is set, its init function undoes everything and returns an error. What
 * init_module(2) then says is:
 *
 *   0           measured, and kept as persist asks; rmmod unregisters the ops
 *   EAGAIN      measured, not kept: what success looks like without persist
 *   EIO         check_count found an ops that was not called exactly as often
 *               as it had to be; nothing is kept, whatever persist says
 *   EINVAL      a parameter is out of its range
 *   EOPNOTSUPP  save_regs or mixed, on a kernel whose tracers cannot have registers
 *   other       the ops could not be allocated or registered
 */

#define pr_fmt(fmt)	KBUILD_MODNAME ": " fmt

#include <linux/compiler.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>

/* So that the calls end, and that an ops' count of them cannot wrap. */
#define MAX_FUNCTION_CALLS	100000000U

/* So that registering them, one by one under a mutex, ends. */
#define MAX_OPS			1000U

/* Enough to drown the noise, few enough to be done at once. */
static unsigned int nr_function_calls = 100000;
module_param(nr_function_calls, uint, 0);
MODULE_PARM_DESC(nr_function_calls,
		 "How many times to call the relevant tracee (1 to 100000000)");

static unsigned int nr_ops_relevant = 1;
module_param(nr_ops_relevant, uint, 0);
MODULE_PARM_DESC(nr_ops_relevant,
		 "How many ftrace_ops to associate with the relevant tracee (at most 1000)");

static unsigned int nr_ops_irrelevant;
module_param(nr_ops_irrelevant, uint, 0);
MODULE_PARM_DESC(nr_ops_irrelevant,
		 "How many ftrace_ops to associate with the irrelevant tracee (at most 1000)");

static bool save_regs;
module_param(save_regs, bool, 0);
MODULE_PARM_DESC(save_regs,
		 "Register ops with FTRACE_OPS_FL_SAVE_REGS (save all registers in the trampoline)");

static bool assist_recursion;
module_param(assist_recursion, bool, 0);
MODULE_PARM_DESC(assist_recursion, "Register ops with FTRACE_OPS_FL_RECURSION");

static bool assist_rcu;
module_param(assist_rcu, bool, 0);
MODULE_PARM_DESC(assist_rcu, "Register ops with FTRACE_OPS_FL_RCU");

static bool mixed;
module_param(mixed, bool, 0);
MODULE_PARM_DESC(mixed, "Register each ops with one of these three flags, in turn");

static bool check_count;
module_param(check_count, bool, 0);
MODULE_PARM_DESC(check_count,
		 "Use a tracer that counts, and check how often each ops was called");

static bool persist;
module_param(persist, bool, 0);
MODULE_PARM_DESC(persist, "Keep the module and its ops after the measurement");

static const struct {
	const char *name;
	const bool *set;
	unsigned long flag;
} ops_flags[] = {
	{ "save_regs", &save_regs, FTRACE_OPS_FL_SAVE_REGS },
	{ "assist_recursion", &assist_recursion, FTRACE_OPS_FL_RECURSION },
	{ "assist_rcu", &assist_rcu, FTRACE_OPS_FL_RCU },
};

/*
 * The tracees have to be functions of their own (noinline), with calls that
 * may not be optimized away (each asm is a barrier()), and with bodies that no
 * compiler can take for one another and fold into one (each has a comment).
 */
static noinline void tracee_relevant(void)
{
	asm volatile("/* relevant */" : : : "memory");
}

static noinline void tracee_irrelevant(void)
{
	asm volatile("/* irrelevant */" : : : "memory");
}

struct sample_ops {
	struct ftrace_ops ops;
	unsigned int count;
};

static void tracer_nop(unsigned long ip, unsigned long parent_ip,
		       struct ftrace_ops *op, struct ftrace_regs *fregs)
{
}

/*
 * A tracee is called from nowhere but the loop in measure(), so there is never
 * more than one CPU, nor more than one context, to increment the count.
 */
static void tracer_count(unsigned long ip, unsigned long parent_ip,
			 struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct sample_ops *self = container_of(op, struct sample_ops, ops);

	self->count++;
}

/* All ops of one tracee. The first @nr of @ops are registered. */
struct sample_set {
	const char *name;
	void (*tracee)(void);
	struct sample_ops *ops;
	unsigned int nr;
};

static struct sample_set relevant = {
	.name = "relevant",
	.tracee = tracee_relevant,
};

static struct sample_set irrelevant = {
	.name = "irrelevant",
	.tracee = tracee_irrelevant,
};

static void set_unregister(struct sample_set *set)
{
	while (set->nr) {
		struct ftrace_ops *ops = &set->ops[--set->nr].ops;

		WARN_ON_ONCE(unregister_ftrace_function(ops));
		ftrace_free_filter(ops);
	}

	kvfree(set->ops);
	set->ops = NULL;
}

static int __init set_register(struct sample_set *set, unsigned int nr,
			       ftrace_func_t tracer, unsigned long flags)
{
	int ret;

	if (!nr)
		return 0;

	set->ops = kvcalloc(nr, sizeof(*set->ops), GFP_KERNEL);
	if (!set->ops)
		return -ENOMEM;

	while (set->nr < nr) {
		struct ftrace_ops *ops = &set->ops[set->nr].ops;

		ops->func = tracer;
		ops->flags = flags;
		if (mixed)
			ops->flags |= ops_flags[set->nr % ARRAY_SIZE(ops_flags)].flag;

		ret = ftrace_set_filter_ip(ops, (unsigned long)set->tracee, 0, 0);
		if (!ret)
			ret = register_ftrace_function(ops);
		if (ret) {
			pr_err("cannot register %s ops %u of %u: %pe\n",
			       set->name, set->nr, nr, ERR_PTR(ret));
			ftrace_free_filter(ops);
			set_unregister(set);
			return ret;
		}

		set->nr++;
	}

	return 0;
}

/* Every ops has a count of its own, and each of them has to be right. */
static int __init set_check(const struct sample_set *set, unsigned int expected)
{
	unsigned int wrong = 0;

	for (unsigned int i = 0; i < set->nr; i++) {
		if (set->ops[i].count == expected)
			continue;

		/* One line for the first; the others are only counted. */
		if (!wrong++)
			pr_err("check_count: FAILED: %s ops %u of %u called %u times, expected %u\n",
			       set->name, i, set->nr, set->ops[i].count, expected);
	}

	if (wrong > 1)
		pr_err("check_count: FAILED: %u of %u %s ops\n",
		       wrong, set->nr, set->name);

	return wrong ? -EIO : 0;
}

static u64 __init measure(void)
{
	ktime_t start, end;

	start = ktime_get();
	for (unsigned int i = 0; i < nr_function_calls; i++)
		tracee_relevant();
	end = ktime_get();

	return ktime_to_ns(ktime_sub(end, start));
}

static int __init check_parameters(void)
{
	if (!nr_function_calls || nr_function_calls > MAX_FUNCTION_CALLS) {
		pr_err("nr_function_calls=%u refused, must be 1 to %u\n",
		       nr_function_calls, MAX_FUNCTION_CALLS);
		return -EINVAL;
	}

	if (nr_ops_relevant > MAX_OPS) {
		pr_err("nr_ops_relevant=%u refused, must be at most %u\n",
		       nr_ops_relevant, MAX_OPS);
		return -EINVAL;
	}

	if (nr_ops_irrelevant > MAX_OPS) {
		pr_err("nr_ops_irrelevant=%u refused, must be at most %u\n",
		       nr_ops_irrelevant, MAX_OPS);
		return -EINVAL;
	}

	if ((save_regs || mixed) && !IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_REGS)) {
		pr_err("save_regs or mixed refused, this kernel cannot save registers\n");
		return -EOPNOTSUPP;
	}

	return 0;
}

static int __init ftrace_ops_sample_init(void)
{
	ftrace_func_t tracer = check_count ? tracer_count : tracer_nop;
	unsigned long flags = 0;
	char names[64] = "";
	size_t len = 0;
	u64 ns;
	int ret;

	ret = check_parameters();
	if (ret)
		return ret;

	if (mixed)
		len = scnprintf(names, sizeof(names), "mixed");
	for (unsigned int i = 0; i < ARRAY_SIZE(ops_flags); i++) {
		if (!*ops_flags[i].set)
			continue;
		flags |= ops_flags[i].flag;
		len += scnprintf(names + len, sizeof(names) - len, "%s%s",
				 len ? "," : "", ops_flags[i].name);
	}

	ret = set_register(&relevant, nr_ops_relevant, tracer, flags);
	if (ret)
		return ret;

	ret = set_register(&irrelevant, nr_ops_irrelevant, tracer, flags);
	if (ret)
		goto out_relevant;

	ns = measure();

	if (check_count) {
		ret = set_check(&relevant, nr_function_calls);
		if (set_check(&irrelevant, 0))
			ret = -EIO;
		if (ret)
			goto out_irrelevant;
		pr_info("check_count: ok\n");
	}

	pr_info("relevant=%u irrelevant=%u calls=%u ns=%llu per_call=%llu flags=%s\n",
		nr_ops_relevant, nr_ops_irrelevant, nr_function_calls, ns,
		div_u64(ns, nr_function_calls), len ? names : "none");
	pr_info("%u calls to %ps, traced by %u ops with %ps, took %llu ns, %llu ns each\n",
		nr_function_calls, tracee_relevant, nr_ops_relevant, tracer, ns,
		div_u64(ns, nr_function_calls));

	if (persist)
		return 0;

	pr_info("measured, not kept\n");
	ret = -EAGAIN;

out_irrelevant:
	set_unregister(&irrelevant);
out_relevant:
	set_unregister(&relevant);
	return ret;
}
module_init(ftrace_ops_sample_init);

static void __exit ftrace_ops_sample_exit(void)
{
	set_unregister(&irrelevant);
	set_unregister(&relevant);
}
module_exit(ftrace_ops_sample_exit);

MODULE_DESCRIPTION("Measure and check calls traced by custom ftrace_ops");
MODULE_LICENSE("GPL");
