// SPDX-License-Identifier: GPL-2.0
/*
 * What a call of a probed function costs, with handlers that do nothing. Prints lines
 * "bench: row probe=KIND ns=..." for bench/run-probes, or errno=... where the kernel
 * does not have that kind of probe.
 *
 * For probes from user space there are parameters of the loaded module: a number that is
 * written to "calls" is how often the function is called, one that is written to "events"
 * how often a tracepoint is hit, after one time that does not count. What is read is how
 * long that took, in ns.
 */

#define pr_fmt(fmt)	fmt

#include <linux/fprobe.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/moduleparam.h>
#include <trace/events/power.h>

#include "fprobe.h"

static noinline unsigned long bench_function(unsigned long x)
{
	asm volatile("" : "+r" (x));
	return x + 1;
}

static unsigned long hits;

static int bench_kprobe(struct kprobe *p, struct pt_regs *regs)
{
	hits++;
	return 0;
}

static int bench_kretprobe(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	hits++;
	return 0;
}

static void bench_fprobe(struct fprobe *fp, unsigned long ip, struct pt_regs *regs,
			 void *data)
{
	hits++;
}

static struct kprobe kp = {
	.pre_handler = bench_kprobe,
	.addr = (kprobe_opcode_t *)bench_function,
};

static struct kretprobe rp = {
	.handler = bench_kretprobe,
	.kp.addr = (kprobe_opcode_t *)bench_function,
};

static struct fprobe fp_entry = { .entry_handler = bench_fprobe };
static struct fprobe fp_exit = { .exit_handler = bench_fprobe };

static int none(void) { return 0; }
static int add_kprobe(void) { return register_kprobe(&kp); }
static int del_kprobe(void) { unregister_kprobe(&kp); return 0; }
static int add_kretprobe(void) { return register_kretprobe(&rp); }
static int del_kretprobe(void) { unregister_kretprobe(&rp); return 0; }

static int add_fprobe(struct fprobe *fp)
{
	unsigned long addr = (unsigned long)bench_function;

	return register_fprobe_ips(fp, &addr, 1);
}

static int add_entry(void) { return add_fprobe(&fp_entry); }
static int del_entry(void) { return unregister_fprobe(&fp_entry); }
static int add_exit(void) { return add_fprobe(&fp_exit); }
static int del_exit(void) { return unregister_fprobe(&fp_exit); }

static const struct {
	const char *name;
	int (*add)(void);
	int (*del)(void);
} kinds[] = {
	{ "none", none, none },
	{ "kprobe", add_kprobe, del_kprobe },
	{ "kretprobe", add_kretprobe, del_kretprobe },
	{ "fprobe-entry", add_entry, del_entry },
	{ "fprobe-exit", add_exit, del_exit },
};

static u64 bench_calls(unsigned int calls)
{
	u64 start;

	bench_function(0);	/* nothing is new to the emulator then */
	start = ktime_get_ns();
	for (unsigned int n = 0; n < calls; n++)
		bench_function(n);
	return ktime_get_ns() - start;
}

/* Nothing else hits it but what suspends the machine */
static u64 bench_events(unsigned int calls)
{
	u64 start;

	trace_suspend_resume("callops", 0, true);
	start = ktime_get_ns();
	for (unsigned int n = 0; n < calls; n++)
		trace_suspend_resume("callops", n, true);
	return ktime_get_ns() - start;
}

static u64 took;

static int calls_set(const char *val, const struct kernel_param *param)
{
	u64 (*bench)(unsigned int calls) = param->arg;
	unsigned int calls;
	int ret = kstrtouint(val, 10, &calls);

	if (!ret)
		took = bench(calls);
	return ret;
}

static int calls_get(char *buf, const struct kernel_param *param)
{
	return sysfs_emit(buf, "%llu\n", took);
}

static const struct kernel_param_ops calls_ops = {
	.set = calls_set,
	.get = calls_get,
};
module_param_cb(calls, &calls_ops, bench_calls, 0600);
module_param_cb(events, &calls_ops, bench_events, 0600);

int fprobe_bench(unsigned int calls)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(kinds); i++) {
		int ret = kinds[i].add();
		u64 ns;

		if (ret) {
			pr_info("bench: row probe=%s errno=%d\n", kinds[i].name, -ret);
			continue;
		}
		hits = 0;
		ns = bench_calls(calls);
		ret = kinds[i].del();
		if (ret || hits != (i ? calls + 1 : 0)) {
			pr_err("bench: error %s: %lu hits of %u calls\n", kinds[i].name,
			       hits, calls + 1);
			return -EIO;
		}
		pr_info("bench: row probe=%s ns=%llu\n", kinds[i].name, ns);
	}
	pr_info("bench: end\n");
	return 0;
}
