// SPDX-License-Identifier: GPL-2.0
/*
 * Threads call two functions without end while probes of them come and go. A kprobe that
 * stays must see each call of the outer function once, and none may be called that has
 * been unregistered: its memory is poisoned and freed.
 */

#define pr_fmt(fmt)	KBUILD_MODNAME ": " fmt

#include <linux/kprobes.h>
#include <linux/ptrace.h>
#include <linux/slab.h>

#include "../fprobe/storm.h"
#include "kprobes.h"

static atomic_long_t hits;

static int steady_pre(struct kprobe *p, struct pt_regs *regs)
{
	if (user_mode(regs) || instruction_pointer(regs) != (unsigned long)storm_hot)
		atomic_long_inc(&wrong);
	atomic_long_inc(&hits);
	return 0;
}

struct passing {
	struct kprobe kp;
	struct kretprobe rp;
	unsigned long magic;
};

static int passing_pre(struct kprobe *kp, struct pt_regs *regs)
{
	storm_hit(&container_of(kp, struct passing, kp)->magic);
	return 0;
}

static void passing_post(struct kprobe *kp, struct pt_regs *regs, unsigned long flags)
{
	storm_hit(&container_of(kp, struct passing, kp)->magic);
}

static int passing_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *rp = get_kretprobe(ri);

	/* It may be leaving, and then nobody asks. */
	if (rp)
		storm_hit(&container_of(rp, struct passing, rp)->magic);
	return 0;
}

static int storm_round(unsigned int round)
{
	void *func = round & 1 ? (void *)storm_hot : (void *)storm_inner;
	struct passing *p = kzalloc(sizeof(*p), GFP_KERNEL);
	bool returns = round % 6 >= 4;
	int ret;

	if (!p)
		return -ENOMEM;
	p->magic = STORM_MAGIC;
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
	memset(p, STORM_POISON, sizeof(*p));
	kfree(p);
	return ret;
}

int kprobes_storm(unsigned int ms, unsigned int rounds)
{
	static struct kprobe steady = { .addr = (void *)storm_hot, .pre_handler = steady_pre };
	int ret;

	ret = register_kprobe(&steady);
	if (ret)
		return ret;
	ret = storm_run(ms, rounds, storm_round);
	unregister_kprobe(&steady);

	ret |= check("every probe came and went", 0, ret);
	ret |= check("the one that stayed saw each call", atomic_long_read(&calls),
		     atomic_long_read(&hits));
	ret |= check("... and missed none", 0, steady.nmissed);
	ret |= check("each call returned what it had to", 0, atomic_long_read(&wrong));
	ret |= check("none was called that had gone", 0, atomic_long_read(&strays));
	ret |= check("the others were called", 1, atomic_long_read(&others) > 100);
	return ret ? -EIO : 0;
}
