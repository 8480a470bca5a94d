// SPDX-License-Identifier: GPL-2.0
/*
 * Functions that are called without end, and ops that come and go on them
 *
 * While the module is loaded,
 *
 *   - threads call soak_hot(), and count their calls, and soak_warm(). They are
 *     bound to no CPU, so that one that goes offline only moves them;
 *   - one ops traces soak_hot() throughout, and has to see just as many;
 *   - one ops traces soak_cold(), which nobody calls, and has to see none;
 *   - a thread registers and unregisters others on soak_hot(), with each of the
 *     flags that change how an ops is called, so that there are one, two, three
 *     or four at any time. Some are static, others are allocated, and overwritten
 *     and freed as soon as they are unregistered. On soak_own(), which only that
 *     thread calls, each of those has to see every call.
 *   - soak_warm() has no ops but the allocated ones, one at a time, so that a call
 *     takes the ops from the literal just when it is exchanged and freed. How many
 *     of these calls are seen cannot be checked: QEMU before 8.1, when one CPU
 *     writes an instruction that another is translating, may go on for as long as
 *     it likes with the translation of what was there before. Some of them are
 *     held up in the tracer, which has its ops by then but has not read it: who
 *     frees one waits for these.
 *
 * An ops that is called for a function that it does not trace, or after it was
 * unregistered, or overwritten, is an error. Unloading the module stops all that
 * and prints a line for each check.
 */

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "../checks.h"

#define NR_CALLERS	3
#define NR_STATIC	2
#define OWN_CALLS	100
#define HOLD_UP_EVERY	1000	/* traced calls of soak_warm() */
#define HOLD_UP_MS	5	/* longer than the rest of unregistering takes */
#define MAGIC		0x736f616b
#define POISON		0x6b

/*
 * From the start of a function to the ip that a tracer is given, at most. The
 * functions are aligned, so that no ip can be taken for one of the next.
 */
#define MAX_IP_OFFSET	16

enum { HOT, WARM, COLD, OWN, NR_TRACEES };

struct soak_ops {
	struct ftrace_ops ops;
	unsigned int magic;
	bool live;
	unsigned long traced;	/* BIT() of each tracee that it may be called for */
	atomic_long_t seen[NR_TRACEES];
};

static atomic_long_t strays;	/* calls that nobody should have got */
static atomic_long_t warm;	/* traced calls of soak_warm() */
static unsigned long rounds;
module_param(rounds, ulong, 0444);
MODULE_PARM_DESC(rounds, "How often ops were registered and unregistered");

DEFINE_TRACEE(soak_hot)
DEFINE_TRACEE(soak_warm)
DEFINE_TRACEE(soak_cold)
DEFINE_TRACEE(soak_own)

static void (*const tracees[NR_TRACEES])(void) = {
	[HOT]	= soak_hot,
	[WARM]	= soak_warm,
	[COLD]	= soak_cold,
	[OWN]	= soak_own,
};

/* Which of the functions that @s traces has this ip, or -1 */
static int soak_tracee(const struct soak_ops *s, unsigned long ip)
{
	for (int i = 0; i < NR_TRACEES; i++) {
		if ((s->traced & BIT(i)) &&
		    ip - (unsigned long)tracees[i] <= MAX_IP_OFFSET)
			return i;
	}
	return -1;
}

static void soak_tracer(unsigned long ip, unsigned long parent_ip,
			struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct soak_ops *self = container_of(op, struct soak_ops, ops);
	int i = -1;

	if (ip - (unsigned long)soak_warm <= MAX_IP_OFFSET &&
	    !(atomic_long_inc_return(&warm) % HOLD_UP_EVERY))
		mdelay(HOLD_UP_MS);
	if (READ_ONCE(self->magic) == MAGIC && READ_ONCE(self->live))
		i = soak_tracee(self, ip);
	atomic_long_inc(i < 0 ? &strays : &self->seen[i]);
}

static int soak_init_ops(struct soak_ops *s, unsigned long traced,
			 unsigned long flags)
{
	int ret = 0;

	s->ops.func = soak_tracer;
	s->ops.flags = flags;
	s->magic = MAGIC;
	s->traced = traced;
	for (int i = 0; !ret && i < NR_TRACEES; i++) {
		if (traced & BIT(i))
			ret = ftrace_set_filter_ip(&s->ops,
						   (unsigned long)tracees[i], 0, 0);
	}
	return ret;
}

static long soak_seen(struct soak_ops *s, int tracee)
{
	return atomic_long_read(&s->seen[tracee]);
}

static int soak_add(struct soak_ops *s)
{
	int ret;

	WRITE_ONCE(s->live, true);
	ret = register_ftrace_function(&s->ops);
	if (ret)
		WRITE_ONCE(s->live, false);
	return ret;
}

static int soak_del(struct soak_ops *s)
{
	int ret;

	ret = unregister_ftrace_function(&s->ops);
	WRITE_ONCE(s->live, false);
	return ret;
}

static struct soak_ops always_ops, cold_ops, static_ops[NR_STATIC];

static struct task_struct *callers[NR_CALLERS], *toggler;
static unsigned long calls[NR_CALLERS];
static unsigned long wrong_own, errors;
static long shared;	/* calls of soak_warm() by the callers while it was traced */

static int call_thread(void *data)
{
	unsigned long *count = data;

	while (!kthread_should_stop()) {
		for (int i = 0; i < 100; i++) {
			soak_hot();
			(*count)++;
			soak_warm();
		}
		/* To unregister an ops is to wait for each task to have slept */
		usleep_range(100, 200);
	}
	return 0;
}

static const unsigned long flags_of_round[] = {
	0,
	FTRACE_OPS_FL_RECURSION,
	FTRACE_OPS_FL_RCU,
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_REGS
	FTRACE_OPS_FL_SAVE_REGS,
	FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_RCU,
#endif
};

/* An allocated ops on all that is called comes, is called, and goes. */
static int soak_round(unsigned long flags)
{
	struct soak_ops *s;
	int ret;

	s = kzalloc(sizeof(*s), GFP_KERNEL);
	if (!s)
		return -ENOMEM;

	ret = soak_init_ops(s, BIT(HOT) | BIT(WARM) | BIT(OWN), flags);
	if (!ret)
		ret = soak_add(s);
	if (!ret) {
		for (int i = 0; i < OWN_CALLS; i++)
			soak_own();
		/* Let the callers in */
		usleep_range(1000, 2000);
		ret = soak_del(s);
		/* What a CPU has that is still on its way would be found here */
		if (soak_seen(s, OWN) != OWN_CALLS)
			wrong_own++;
		shared += soak_seen(s, WARM);
	}
	ftrace_free_filter(&s->ops);
	memset(s, POISON, sizeof(*s));
	kfree(s);
	return ret;
}

static int toggle_thread(void *data)
{
	while (!kthread_should_stop()) {
		struct soak_ops *s = &static_ops[rounds % NR_STATIC];

		if (soak_round(flags_of_round[rounds % ARRAY_SIZE(flags_of_round)]))
			errors++;

		/* Each static ops is there for some rounds, and then is not. */
		if (s->live ? soak_del(s) : soak_add(s))
			errors++;

		/* Others want ftrace_lock, too, which unregistering holds for long */
		rounds++;
		msleep(100);
	}

	for (int i = 0; i < NR_STATIC; i++)
		if (static_ops[i].live && soak_del(&static_ops[i]))
			errors++;
	return 0;
}

static void soak_stop(void)
{
	if (!IS_ERR_OR_NULL(toggler))
		kthread_stop(toggler);
	for (int i = 0; i < NR_CALLERS; i++)
		if (!IS_ERR_OR_NULL(callers[i]))
			kthread_stop(callers[i]);
	if (cold_ops.live)
		soak_del(&cold_ops);
	if (always_ops.live)
		soak_del(&always_ops);
}

static void soak_free_filters(void)
{
	ftrace_free_filter(&always_ops.ops);
	ftrace_free_filter(&cold_ops.ops);
	for (int i = 0; i < NR_STATIC; i++)
		ftrace_free_filter(&static_ops[i].ops);
}

static int __init soak_start(void)
{
	int ret;

	ret = soak_init_ops(&always_ops, BIT(HOT), 0);
	if (!ret)
		ret = soak_init_ops(&cold_ops, BIT(COLD), 0);
	for (int i = 0; !ret && i < NR_STATIC; i++)
		ret = soak_init_ops(&static_ops[i], BIT(HOT), 0);
	if (!ret)
		ret = soak_add(&always_ops);
	if (!ret)
		ret = soak_add(&cold_ops);
	for (int i = 0; !ret && i < NR_CALLERS; i++) {
		callers[i] = kthread_run(call_thread, &calls[i], "soak/%d", i);
		ret = PTR_ERR_OR_ZERO(callers[i]);
	}
	if (!ret) {
		toggler = kthread_run(toggle_thread, NULL, "soak");
		ret = PTR_ERR_OR_ZERO(toggler);
	}
	if (ret) {
		soak_stop();
		soak_free_filters();
	}
	return ret;
}
module_init(soak_start);

static void __exit soak_exit(void)
{
	unsigned long made = 0, seen;

	soak_stop();

	for (int i = 0; i < NR_CALLERS; i++)
		made += calls[i];
	seen = soak_seen(&always_ops, HOT);
	check(seen == made && made, "the ops that stayed saw each call: %lu, expected %lu", seen, made);
	seen = soak_seen(&cold_ops, COLD);
	check(!seen, "the ops on a function that is not called saw none: %lu", seen);
	check(rounds > 1, "ops came and went: %lu", rounds);
	check(!wrong_own, "each saw all calls while it was there: %lu", wrong_own);
	check(shared > 0, "also while others called the function that it had alone: %ld", shared);
	seen = atomic_long_read(&strays);
	check(!seen, "no call went to the wrong ops, or to one that was gone: %lu", seen);
	check(!errors, "registering never failed: %lu", errors);

	soak_free_filters();
}
module_exit(soak_exit);

MODULE_DESCRIPTION("Trace functions that are called without end, and count");
MODULE_LICENSE("GPL");
