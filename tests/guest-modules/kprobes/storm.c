// SPDX-License-Identifier: GPL-2.0
/*
 * Threads call two functions without end while probes of them come and go. A kprobe that
 * stays must see each call of the outer function once, and none may be called that has
 * been unregistered: its memory is poisoned and freed.
 */

#define pr_fmt(fmt)	KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "kprobes.h"

#define NR_CALLERS	6
#define MAGIC		0x6b70726fUL
#define POISON		0x2a

static atomic_long_t calls, hits, others, strays, wrong;

static noinline unsigned long kprobes_inner(unsigned long x)
{
	asm volatile("" : "+r" (x) : : "memory");
	if (!((x + 1) % 1024))
		msleep(1);
	return x ^ MAGIC;
}

static noinline unsigned long kprobes_hot(unsigned long x)
{
	unsigned long ret = kprobes_inner(x);

	asm volatile("" : "+r" (ret));
	return ret + 1;
}

static int caller(void *unused)
{
	unsigned long x = 0;

	while (!kthread_should_stop()) {
		if (kprobes_hot(x) != (x ^ MAGIC) + 1)
			atomic_long_inc(&wrong);
		atomic_long_inc(&calls);
		x++;
		cond_resched();
	}
	return 0;
}

static int steady_pre(struct kprobe *p, struct pt_regs *regs)
{
	if (user_mode(regs) || instruction_pointer(regs) != (unsigned long)kprobes_hot)
		atomic_long_inc(&wrong);
	atomic_long_inc(&hits);
	return 0;
}

struct passing {
	struct kprobe kp;
	struct kretprobe rp;
	unsigned long magic;
};

static void passing_hit(struct passing *p)
{
	atomic_long_inc(READ_ONCE(p->magic) == MAGIC ? &others : &strays);
}

static int passing_pre(struct kprobe *kp, struct pt_regs *regs)
{
	passing_hit(container_of(kp, struct passing, kp));
	return 0;
}

static void passing_post(struct kprobe *kp, struct pt_regs *regs, unsigned long flags)
{
	passing_hit(container_of(kp, struct passing, kp));
}

static int passing_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	passing_hit(container_of(get_kretprobe(ri), struct passing, rp));
	return 0;
}

static int storm_round(unsigned int round)
{
	void *func = round & 1 ? (void *)kprobes_hot : (void *)kprobes_inner;
	struct passing *p = kzalloc(sizeof(*p), GFP_KERNEL);
	bool returns = round % 6 >= 4;
	int ret;

	if (!p)
		return -ENOMEM;
	p->magic = MAGIC;
	if (returns) {
		p->rp.handler = passing_return;
		p->rp.kp.addr = func;
		ret = register_kretprobe(&p->rp);
	} else {
		p->kp.pre_handler = passing_pre;
		p->kp.post_handler = round % 6 >= 2 ? passing_post : NULL;
		p->kp.addr = func;
		ret = register_kprobe(&p->kp);
	}
	if (!ret) {
		usleep_range(500, 1000);
		if (!returns && round % 5 == 0) {
			ret = disable_kprobe(&p->kp);
			ret = ret ?: enable_kprobe(&p->kp);
		}
		if (returns)
			unregister_kretprobe(&p->rp);
		else
			unregister_kprobe(&p->kp);
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

int kprobes_storm(unsigned int ms)
{
	static struct kprobe steady = { .addr = (void *)kprobes_hot, .pre_handler = steady_pre };
	struct task_struct *task[NR_CALLERS];
	unsigned long end = jiffies + msecs_to_jiffies(ms);
	unsigned int i, nr = 0, round = 0;
	int ret;

	ret = register_kprobe(&steady);
	if (ret)
		return ret;
	for (; nr < NR_CALLERS; nr++) {
		task[nr] = kthread_run(caller, NULL, "kprobes-storm/%u", nr);
		if (IS_ERR(task[nr])) {
			ret = PTR_ERR(task[nr]);
			break;
		}
	}
	while (!ret && time_before(jiffies, end))
		ret = storm_round(round++);
	for (i = 0; i < nr; i++)
		kthread_stop(task[i]);
	unregister_kprobe(&steady);

	pr_info("%u rounds, %ld calls, %ld hits of others\n", round,
		atomic_long_read(&calls), atomic_long_read(&others));
	ret |= check("every probe came and went", 0, ret);
	ret |= check("the one that stayed saw each call", atomic_long_read(&calls),
		     atomic_long_read(&hits));
	ret |= check("... and missed none", 0, steady.nmissed);
	ret |= check("each call returned what it had to", 0, atomic_long_read(&wrong));
	ret |= check("none was called that had gone", 0, atomic_long_read(&strays));
	ret |= check("the others were called", 1, atomic_long_read(&others) > 100);
	return ret ? -EIO : 0;
}
