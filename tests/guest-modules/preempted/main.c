// SPDX-License-Identifier: GPL-2.0
/*
 * A caller that is preempted on its way to a tracer, and held there
 *
 * While the module is loaded, a task calls preempted_function() without end on the
 * last CPU. A real-time task there preempts it every few milliseconds, wherever it
 * is, counts that in "holds", and holds the CPU until "released" is written, or for
 * HOLD_MS. Meanwhile a tracer can leave, and synchronize_rcu(), which does not wait
 * for the caller, return. Now and then the caller was on its way through the
 * trampoline, with its ops in a register.
 */

#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#define HOLD_MS		900
#define FREE_US		3000

static struct task_struct *caller, *holder;
static unsigned long calls, holds, released;
module_param(calls, ulong, 0444);
module_param(holds, ulong, 0444);
module_param(released, ulong, 0644);

void preempted_function(void);
noinline void preempted_function(void)
{
	asm volatile("" : : : "memory");
}

/* For a probe that stays when preempted_function() leaves it */
void preempted_other(void);
noinline void preempted_other(void)
{
	asm volatile("" : : : "memory");
}

static int caller_thread(void *data)
{
	while (!kthread_should_stop()) {
		for (int i = 0; i < 1000; i++)
			preempted_function();
		calls += 1000;
		/* Tasks RCU waits for this, and never finds the task asleep */
		cond_resched_tasks_rcu_qs();
	}
	return 0;
}

static int holder_thread(void *data)
{
	sched_set_fifo(current);
	while (!kthread_should_stop()) {
		unsigned long end = jiffies + msecs_to_jiffies(HOLD_MS);
		unsigned int us;

		WRITE_ONCE(holds, holds + 1);
		while (READ_ONCE(released) != holds && time_before(jiffies, end))
			cpu_relax();
		/* To the microsecond: not by a tick that finds the caller elsewhere */
		us = FREE_US + get_random_u32() % FREE_US;
		usleep_range(us, us);
	}
	return 0;
}

static struct task_struct *start(int (*fn)(void *), const char *name)
{
	struct task_struct *task = kthread_create(fn, NULL, name);

	if (!IS_ERR(task)) {
		kthread_bind(task, cpumask_last(cpu_online_mask));
		wake_up_process(task);
	}
	return task;
}

static int __init preempted_init(void)
{
	preempted_other();
	caller = start(caller_thread, "preempted");
	if (IS_ERR(caller))
		return PTR_ERR(caller);
	holder = start(holder_thread, "preempting");
	if (IS_ERR(holder)) {
		kthread_stop(caller);
		return PTR_ERR(holder);
	}
	return 0;
}
module_init(preempted_init);

static void __exit preempted_exit(void)
{
	kthread_stop(holder);
	kthread_stop(caller);
}
module_exit(preempted_exit);

MODULE_DESCRIPTION("Hold a caller that was preempted on its way to a tracer");
MODULE_LICENSE("GPL");
