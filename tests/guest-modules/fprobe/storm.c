// SPDX-License-Identifier: GPL-2.0
/*
 * Probes that come and go on functions that threads call all the time
 *
 * One fprobe is there throughout, and has to see each call and each return. Others, and
 * kretprobes, are allocated, registered, unregistered, overwritten and freed. A handler
 * that is called after that is an error.
 */

#define pr_fmt(fmt)	KBUILD_MODNAME ": " fmt

#include <linux/fprobe.h>
#include <linux/kprobes.h>
#include <linux/slab.h>

#include "fprobe.h"
#include "storm.h"

static atomic_long_t entries, exits;

static void steady_entry(struct fprobe *fp, unsigned long ip, struct pt_regs *regs,
			 void *data)
{
	*(unsigned long *)data = regs_get_kernel_argument(regs, 0);
	atomic_long_inc(&entries);
}

static void steady_exit(struct fprobe *fp, unsigned long ip, struct pt_regs *regs,
			void *data)
{
	if (regs_return_value(regs) != storm_value(*(unsigned long *)data))
		atomic_long_inc(&wrong);
	atomic_long_inc(&exits);
}

static struct fprobe steady = {
	.entry_handler = steady_entry,
	.exit_handler = steady_exit,
	.entry_data_size = sizeof(unsigned long),
	.nr_maxactive = 16 * STORM_CALLERS,
};

struct passing {
	struct fprobe fp;
	struct kretprobe rp;
	unsigned long magic;
};

static void passing_handler(struct fprobe *fp, unsigned long ip, struct pt_regs *regs,
			    void *data)
{
	storm_hit(&container_of(fp, struct passing, fp)->magic);
}

static int passing_kretprobe(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *rp = get_kretprobe(ri);

	/* It may be leaving, and then nobody asks. */
	if (rp)
		storm_hit(&container_of(rp, struct passing, rp)->magic);
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
	p->magic = STORM_MAGIC;
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
	memset(p, STORM_POISON, sizeof(*p));
	kfree(p);
	return ret;
}

int fprobe_storm(unsigned int ms, unsigned int rounds)
{
	unsigned long addr = (unsigned long)storm_hot;
	int ret;

	ret = register_fprobe_ips(&steady, &addr, 1);
	if (ret)
		return ret;
	ret = storm_run(ms, rounds, storm_round);
	ret |= unregister_fprobe(&steady);

	ret |= check("every probe came and went", 0, ret);
	ret |= check("each entry is seen once", atomic_long_read(&calls), atomic_long_read(&entries));
	ret |= check("each exit is seen once", atomic_long_read(&calls), atomic_long_read(&exits));
	ret |= check("none is missed", 0, steady.nmissed);
	ret |= check("all values are right", 0, atomic_long_read(&wrong));
	ret |= check("no probe is hit that is gone", 0, atomic_long_read(&strays));
	ret |= check("those that came were hit", 1, atomic_long_read(&others) > 0);
	return ret ? -EIO : 0;
}
