// SPDX-License-Identifier: GPL-2.0
/*
 * Many ops on the same callsites
 *
 * All is done while the module is loaded, and each check prints a line:
 *
 *   order	each ops of a callsite is called, the last registered one first, with
 *		all the registers if it asks for them
 *   mixed	so it is with each flag that changes how an ops is called
 *   recursion	one that asks to be protected from itself is, and only that one
 *   per CPU	one that is for one CPU is not preempted beside another one
 *   shared	nr_ops ops come, change their filters and go on two callsites, while
 *		threads call these: an ops that stays sees every call, and each other
 *		one every call that is made while it is certain to be there
 *   held	a task stays in the first ops of a callsite. Meanwhile another ops comes,
 *		and one that is called behind the first is unregistered. That waits
 *		for the task, and the task finds that ops as it was.
 */

#define pr_fmt(fmt)	KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include "../checks.h"

#define NR_OPS		100
#define NR_CALLERS	3
#define NR_DEAD		256

static unsigned int seconds = 5;
module_param(seconds, uint, 0444);
MODULE_PARM_DESC(seconds, "How long ops come and go");

static int nr_ops = NR_OPS;
module_param(nr_ops, int, 0444);
MODULE_PARM_DESC(nr_ops, "How many do, at most 100");

static unsigned int hold = 3;
module_param(hold, uint, 0444);
MODULE_PARM_DESC(hold, "How many seconds a task stays in an ops; 0: without");

struct test_ops {
	struct ftrace_ops ops;
	atomic_long_t calls;
	atomic_long_t own;	/* on alone(), which one thread calls */
	bool on_busy;
	long before, since;	/* calls of busy() before it was on that, and when it was */
	unsigned int turn;
	bool no_regs;
	bool preemptible;
	bool live;
};

static struct test_ops *all[NR_OPS];
static unsigned int turns;
static atomic_long_t strays;

/* Those that are unregistered are kept for a while, to see who calls them nevertheless */
static struct test_ops *dead[NR_DEAD];
static unsigned int nr_dead;

DEFINE_TRACEE(alone)
DEFINE_TRACEE(busy)
DEFINE_TRACEE(held)

static void tracer(unsigned long ip, unsigned long parent_ip,
		   struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct test_ops *t = container_of(op, struct test_ops, ops);

	if (!READ_ONCE(t->live)) {
		atomic_long_inc(&strays);
		return;
	}
	if (ip - (unsigned long)alone <= 16) {
		atomic_long_inc(&t->own);
		t->turn = ++turns;
	}
	if (op->flags & FTRACE_OPS_FL_SAVE_REGS && !ftrace_get_regs(fregs))
		t->no_regs = true;
	t->preemptible |= preemptible();
	atomic_long_inc(&t->calls);
}

static struct test_ops *new_ops(void (*func)(void), unsigned long flags)
{
	struct test_ops *t = kzalloc(sizeof(*t), GFP_KERNEL);

	if (!t)
		return NULL;
	t->ops.func = tracer;
	t->ops.flags = flags;
	t->live = true;
	if (!trace(&t->ops, func))
		return t;
	kfree(t);
	return NULL;
}

static int end_ops(struct test_ops *t)
{
	int ret = unregister_ftrace_function(&t->ops);

	WRITE_ONCE(t->live, false);
	ftrace_free_filter(&t->ops);
	kfree(dead[nr_dead % NR_DEAD]);
	dead[nr_dead++ % NR_DEAD] = t;
	return ret;
}

static const unsigned long kinds[] = {
	0, FTRACE_OPS_FL_RECURSION, FTRACE_OPS_FL_RCU, FTRACE_OPS_FL_SAVE_REGS,
	FTRACE_OPS_FL_RECURSION | FTRACE_OPS_FL_RCU | FTRACE_OPS_FL_SAVE_REGS,
};

/* Ten ops on a function, by turns of the last @nr kinds; one leaves and comes back */
static bool ordered(int nr)
{
	bool good = true;
	int i;

	for (i = 0; i < 10; i++) {
		all[i] = new_ops(alone, kinds[i % nr]);
		if (!all[i])
			return false;
		alone();
	}
	for (i = 0; i < 10; i++)
		good &= atomic_long_read(&all[i]->own) == 10 - i && !all[i]->no_regs;
	for (i = 1; i < 10; i++)
		good &= all[i]->turn < all[i - 1]->turn;

	good &= !end_ops(all[4]);
	alone();
	all[4] = new_ops(alone, kinds[4 % nr]);
	if (!all[4])
		return false;
	alone();
	good &= atomic_long_read(&all[4]->own) == 1 && all[4]->turn < all[9]->turn;
	good &= all[5]->turn < all[3]->turn && atomic_long_read(&all[3]->own) == 9;
	for (i = 0; i < 10; i++)
		good &= !end_ops(all[i]);
	return good;
}

static unsigned int again;

/* Without protection it would call itself ten times. */
static void calls_again(unsigned long ip, unsigned long parent_ip,
			struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	if (again < 10) {
		again++;
		alone();
	}
}

/* On the base the list protects all of its ops together. */
static bool recursion(void)
{
	static struct ftrace_ops ops = { .func = calls_again, .flags = FTRACE_OPS_FL_RECURSION };
	struct test_ops *plain = new_ops(alone, 0);
	bool good = false;

	if (!plain)
		return false;
	if (!trace(&ops, alone)) {
		alone();
		/* ftrace lets one pass, for the sake of interrupts. */
		good = again == 1 || again == 2;
		if (IS_ENABLED(CONFIG_FTRACE_OPS_SETS))
			good &= atomic_long_read(&plain->own) == 1 + again;
		untrace(&ops);
	}
	return !end_ops(plain) && good;
}

/* FTRACE_OPS_FL_PER_CPU, which the base lacks, and needs not */
#define PER_CPU		BIT(18)

static bool pinned(void)
{
	unsigned long with[] = { PER_CPU, 0, FTRACE_OPS_FL_RECURSION, PER_CPU };
	bool good = true;
	int i;

	for (i = 0; i < ARRAY_SIZE(with); i++) {
		all[i] = new_ops(alone, with[i]);
		if (!all[i])
			return false;
	}
	alone();
	for (i = 0; i < ARRAY_SIZE(with); i++) {
		good &= atomic_long_read(&all[i]->own) == 1 && !all[i]->preemptible;
		good &= !end_ops(all[i]);
	}
	return good;
}

static atomic_long_t calls;

static int caller(void *unused)
{
	while (!kthread_should_stop()) {
		busy();
		atomic_long_inc(&calls);
		/* With PREEMPT nothing else tells RCU tasks that we are out */
		cond_resched_tasks_rcu_qs();
	}
	return 0;
}

/* Only on busy() then, or there as well */
static int to_busy(struct test_ops *t, int only)
{
	long before = atomic_long_read(&calls);
	int ret = ftrace_set_filter_ip(&t->ops, (unsigned long)busy, 0, only);

	if (!t->on_busy) {
		t->before = before;
		t->since = atomic_long_read(&calls);
		t->on_busy = true;
	}
	return ret;
}

/* Each caller may be in one more call than it has counted. */
static bool saw_busy(const struct test_ops *t, long till, long after)
{
	long seen = atomic_long_read(&t->calls) - atomic_long_read(&t->own);
	long least = t->on_busy ? till - t->since - NR_CALLERS : 0;
	long most = t->on_busy ? after - t->before + NR_CALLERS : 0;

	if (seen >= least && seen <= most)
		return true;
	pr_err("an ops saw %ld calls of %ld to %ld\n", seen, least, most);
	return false;
}

static bool shared(void)
{
	unsigned long end = jiffies + seconds * HZ, rounds = 0;
	struct task_struct *tasks[NR_CALLERS];
	struct test_ops *stays;
	bool good = true;
	int i;

	stays = new_ops(busy, 0);
	if (!stays)
		return false;
	for (i = 0; i < NR_CALLERS; i++) {
		tasks[i] = kthread_run(caller, NULL, "callops_sets%d", i);
		good &= !IS_ERR(tasks[i]);
	}

	do {
		for (i = 0; i < nr_ops && good; i++) {
			all[i] = new_ops(alone, kinds[(i + rounds) % ARRAY_SIZE(kinds)]);
			good &= all[i] && !(i % 3 && to_busy(all[i], 0));
			alone();
		}
		/* Only to the busy one, and back to both */
		for (i = 0; i < nr_ops && good; i += 7) {
			good &= !to_busy(all[i], 1);
			alone();
			good &= !ftrace_set_filter_ip(&all[i]->ops, (unsigned long)alone, 0, 0);
		}
		for (i = 0; i < nr_ops && all[i]; i++) {
			long missed = i % 7 ? DIV_ROUND_UP(nr_ops, 7) : 0;
			long want = nr_ops - i;

			/* All later ones, and the calls in the second loop but its own */
			want += i % 7 ? missed : DIV_ROUND_UP(nr_ops, 7) - 1;
			if (good && atomic_long_read(&all[i]->own) != want) {
				pr_err("ops %d saw %ld calls instead of %ld\n", i,
				       atomic_long_read(&all[i]->own), want);
				good = false;
			}
		}
		for (i = 0; i < nr_ops && all[i]; i++) {
			long till = atomic_long_read(&calls);

			good &= !end_ops(all[i]);
			good &= saw_busy(all[i], till, atomic_long_read(&calls));
			all[i] = NULL;
		}
		rounds++;
	} while (good && time_before(jiffies, end));

	for (i = 0; i < NR_CALLERS; i++) {
		if (!IS_ERR(tasks[i]))
			kthread_stop(tasks[i]);
	}
	pr_info("%lu rounds, %ld calls\n", rounds, atomic_long_read(&calls));
	if (atomic_long_read(&stays->calls) != atomic_long_read(&calls)) {
		pr_err("%ld of %ld calls were seen by the ops that stayed\n",
		       atomic_long_read(&stays->calls), atomic_long_read(&calls));
		good = false;
	}
	return !end_ops(stays) && good;
}

static bool entered, released, unregistered;

static void holder(unsigned long ip, unsigned long parent_ip,
		   struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	WRITE_ONCE(entered, true);
	while (!READ_ONCE(released))
		cpu_relax();
}

static int call_held(void *unused)
{
	held();
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

static int unregister(void *behind)
{
	int ret = unregister_ftrace_function(&((struct test_ops *)behind)->ops);

	WRITE_ONCE(unregistered, true);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return ret;
}

static bool stay(void)
{
	static struct ftrace_ops first = { .func = holder };
	struct test_ops *behind, *another;
	struct task_struct *in, *out;
	bool good = false;

	behind = new_ops(held, 0);
	if (!behind)
		return false;
	if (ftrace_set_filter_ip(&first, (unsigned long)held, 0, 0) ||
	    register_ftrace_function(&first))
		return false;

	in = kthread_run(call_held, NULL, "callops_held");
	while (!IS_ERR(in) && !READ_ONCE(entered))
		msleep(1);

	another = new_ops(held, 0);
	out = kthread_run(unregister, behind, "callops_out");
	if (!IS_ERR(in) && !IS_ERR(out) && another) {
		msleep(hold * 1000);
		good = !READ_ONCE(unregistered) && !atomic_long_read(&behind->calls);
		WRITE_ONCE(released, true);
		good &= !kthread_stop(in) && !kthread_stop(out);
		good &= READ_ONCE(unregistered) && atomic_long_read(&behind->calls) == 1 &&
			!atomic_long_read(&another->calls);
	}
	WRITE_ONCE(released, true);

	unregister_ftrace_function(&first);
	ftrace_free_filter(&first);
	if (another)
		end_ops(another);
	ftrace_free_filter(&behind->ops);
	kfree(behind);
	return good;
}

static int __init sets_init(void)
{
	if (nr_ops < 1 || nr_ops > NR_OPS)
		return -EINVAL;

	check(ordered(1), "order");
	check(ordered(ARRAY_SIZE(kinds)), "mixed");
	check(recursion(), "recursion");
	check(pinned(), "per CPU");
	check(shared(), "shared");
	if (hold)
		check(stay(), "held");
	check(!atomic_long_read(&strays), "no strays");
	for (int i = 0; i < NR_DEAD; i++)
		kfree(dead[i]);
	return 0;
}
module_init(sets_init);
NOTHING_TO_UNDO();

MODULE_DESCRIPTION("Many ops on the same callsites");
MODULE_LICENSE("GPL");
