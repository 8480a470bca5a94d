/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Threads that call two functions all the time, while probes of them come and go: what the
 * storms of fprobes and of kprobes have in common
 */
#ifndef CALLOPS_STORM_H
#define CALLOPS_STORM_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/string.h>

#define STORM_CALLERS	6
#define STORM_MAGIC	0x66707262UL
#define STORM_POISON	0x6b	/* of the memory of a probe that has gone */

/* Calls; hits of the probes that come and go; of those that had gone; wrong values */
static atomic_long_t calls, others, strays, wrong;

static noinline unsigned long storm_inner(unsigned long x)
{
	asm volatile("" : "+r" (x) : : "memory");
	/* Some sleep with their return hooked, and wake up elsewhere. */
	if (!((x + 1) % 1024))
		msleep(1);
	return x ^ STORM_MAGIC;
}

static noinline unsigned long storm_hot(unsigned long x)
{
	unsigned long ret = storm_inner(x);

	asm volatile("" : "+r" (ret));
	return ret + 1;
}

/* What storm_hot(@x) returns */
static unsigned long storm_value(unsigned long x)
{
	return (x ^ STORM_MAGIC) + 1;
}

static int storm_caller(void *unused)
{
	unsigned long x = 0;

	while (!kthread_should_stop()) {
		if (storm_hot(x) != storm_value(x))
			atomic_long_inc(&wrong);
		atomic_long_inc(&calls);
		x++;
		cond_resched();
	}
	return 0;
}

/* A probe of @magic was hit. */
static void storm_hit(const unsigned long *magic)
{
	atomic_long_inc(READ_ONCE(*magic) == STORM_MAGIC ? &others : &strays);
}

/* For @ms and @least rounds, or until @round() returns an error, which is returned */
static int storm_run(unsigned int ms, unsigned int least, int (*round)(unsigned int nr))
{
	struct task_struct *task[STORM_CALLERS];
	unsigned long end = jiffies + msecs_to_jiffies(ms);
	unsigned int i, nr = 0, rounds = 0;
	int ret = 0;

	for (; nr < STORM_CALLERS; nr++) {
		task[nr] = kthread_run(storm_caller, NULL, "storm/%u", nr);
		if (IS_ERR(task[nr])) {
			ret = PTR_ERR(task[nr]);
			break;
		}
	}
	while (!ret && (rounds < least || time_before(jiffies, end)))
		ret = round(rounds++);
	for (i = 0; i < nr; i++)
		kthread_stop(task[i]);

	pr_info("%u rounds, %ld calls, %ld hits of others\n", rounds,
		atomic_long_read(&calls), atomic_long_read(&others));
	return ret;
}

static int check(const char *what, long expected, long got)
{
	if (expected == got) {
		pr_info("ok - %s\n", what);
		return 0;
	}
	pr_err("not ok - %s\n", what);
	pr_err("  expected %ld, got %ld\n", expected, got);
	return -EIO;
}

#endif
