// SPDX-License-Identifier: GPL-2.0
/*
 * Probes that come and go on functions that threads call all the time
 *
 * One fprobe is there throughout, and has to see each call and each return. Others, and
 * kretprobes, are allocated, registered, unregistered, overwritten and freed. A handler
 * that is called after that is an error.
 */

#define pr_fmt(fmt)	KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/fprobe.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "fprobe.h"

#define NR_CALLERS	3
#define MAGIC		0x66707262
#define POISON		0x6b

static atomic_long_t calls, entries, exits, strays, wrong, others;

static noinline unsigned long storm_inner(unsigned long x)
{
	asm volatile("" : "+r" (x) : : "memory");
	/* Some sleep with their return hooked, and wake up elsewhere. */
	if (!((x + 1) % 1024))
		msleep(1);
	return x ^ MAGIC;
}

static noinline unsigned long storm_hot(unsigned long x)
{
	unsigned long ret = storm_inner(x);

	asm volatile("" : "+r" (ret));
	return ret + 1;
}

static int storm_caller(void *unused)
{
	unsigned long x = 0;

	while (!kthread_should_stop()) {
		if (storm_hot(x) != (x ^ MAGIC) + 1)
			atomic_long_inc(&wrong);
		atomic_long_inc(&calls);
		x++;
		cond_resched();
	}
	return 0;
}

static void steady_entry(struct fprobe *fp, unsigned long ip, struct pt_regs *regs,
			 void *data)
{
	*(unsigned long *)data = regs_get_kernel_argument(regs, 0);
	atomic_long_inc(&entries);
}

static void steady_exit(struct fprobe *fp, unsigned long ip, struct pt_regs *regs,
			void *data)
{
	if (regs_return_value(regs) != (*(unsigned long *)data ^ MAGIC) + 1)
		atomic_long_inc(&wrong);
	atomic_long_inc(&exits);
}

static struct fprobe steady = {
	.entry_handler = steady_entry,
	.exit_handler = steady_exit,
	.entry_data_size = sizeof(unsigned long),
	.nr_maxactive = 16 * NR_CALLERS,
};

struct passing {
	struct fprobe fp;
	struct kretprobe rp;
	unsigned int magic;
};

static void passing_hit(struct passing *p)
{
	atomic_long_inc(READ_ONCE(p->magic) == MAGIC ? &others : &strays);
}

static void passing_handler(struct fprobe *fp, unsigned long ip, struct pt_regs *regs,
			    void *data)
{
	passing_hit(container_of(fp, struct passing, fp));
}

static int passing_kretprobe(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	passing_hit(container_of(get_kretprobe(ri), struct passing, rp));
	return 0;
}

/* One comes, stays for a moment, and goes. */
static int storm_round(unsigned int round)
{
	unsigned long addrs[] = {
		(unsigned long)storm_hot,
		(unsigned long)storm_inner,
	};
	struct passing *p = kzalloc(sizeof(*p), GFP_KERNEL);
	unsigned int kind = round % 4;
	int ret;

	if (!p)
		return -ENOMEM;
	p->magic = MAGIC;
	if (kind == 3) {
		p->rp.handler = passing_kretprobe;
		p->rp.kp.addr = (kprobe_opcode_t *)storm_hot;
		ret = register_kretprobe(&p->rp);
	} else {
		if (kind != 1)
			p->fp.entry_handler = passing_handler;
		if (kind != 0)
			p->fp.exit_handler = passing_handler;
		ret = register_fprobe_ips(&p->fp, addrs, 1 + round / 4 % 2);
	}
	if (!ret) {
		usleep_range(500, 1000);
		if (kind == 3)
			unregister_kretprobe(&p->rp);
		else
			ret = unregister_fprobe(&p->fp);
	}
	if (ret)
		pr_err("  round %u: error %d\n", round, ret);
	memset(p, POISON, sizeof(*p));
	kfree(p);
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

int fprobe_storm(unsigned int ms)
{
	unsigned long addr = (unsigned long)storm_hot;
	struct task_struct *caller[NR_CALLERS];
	unsigned long end = jiffies + msecs_to_jiffies(ms);
	unsigned int i, nr = 0, round = 0;
	int ret;

	ret = register_fprobe_ips(&steady, &addr, 1);
	if (ret)
		return ret;
	for (; nr < NR_CALLERS; nr++) {
		caller[nr] = kthread_run(storm_caller, NULL, "fprobe-storm/%u", nr);
		if (IS_ERR(caller[nr])) {
			ret = PTR_ERR(caller[nr]);
			break;
		}
	}
	while (!ret && time_before(jiffies, end))
		ret = storm_round(round++);
	for (i = 0; i < nr; i++)
		kthread_stop(caller[i]);
	ret |= unregister_fprobe(&steady);

	pr_info("%u rounds, %ld calls, %ld hits of others\n", round,
		atomic_long_read(&calls), atomic_long_read(&others));
	ret |= check("every probe came and went", 0, ret);
	ret |= check("each entry is seen once", atomic_long_read(&calls), atomic_long_read(&entries));
	ret |= check("each exit is seen once", atomic_long_read(&calls), atomic_long_read(&exits));
	ret |= check("none is missed", 0, steady.nmissed);
	ret |= check("all values are right", 0, atomic_long_read(&wrong));
	ret |= check("no probe is hit that is gone", 0, atomic_long_read(&strays));
	ret |= check("those that came were hit", 1, atomic_long_read(&others) > 0);
	return ret ? -EIO : 0;
}
