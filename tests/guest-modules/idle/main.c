// SPDX-License-Identifier: GPL-2.0
/*
 * Tracers of a function that idle CPUs call while RCU does not watch them
 *
 * While the module is loaded, arch_cpu_idle() has two ops, one of them with
 * FTRACE_OPS_FL_RCU. Its parameters say how often each was called, and how often the one
 * with the flag was while RCU did not watch, which is never. irq_enter() has a kprobe
 * behind its callsite, where it takes a breakpoint: "trapped" and "trapped_unwatched".
 */

#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/rcupdate.h>

static unsigned long plain, flagged, unwatched, trapped, trapped_unwatched;
module_param(plain, ulong, 0400);
module_param(flagged, ulong, 0400);
module_param(unwatched, ulong, 0400);
module_param(trapped, ulong, 0400);
module_param(trapped_unwatched, ulong, 0400);

static bool beside = true;
module_param(beside, bool, 0400);
MODULE_PARM_DESC(beside, "also register the ops without the flag");

static void count_plain(unsigned long ip, unsigned long parent_ip,
			struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	WRITE_ONCE(plain, plain + 1);
}

static void count_flagged(unsigned long ip, unsigned long parent_ip,
			  struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	WRITE_ONCE(flagged, flagged + 1);
	if (!rcu_is_watching())
		WRITE_ONCE(unwatched, unwatched + 1);
}

static struct ftrace_ops plain_ops = { .func = count_plain };
static struct ftrace_ops flagged_ops = { .func = count_flagged, .flags = FTRACE_OPS_FL_RCU };

static int __init add(struct ftrace_ops *ops)
{
	char name[] = "arch_cpu_idle";
	int ret;

	ret = ftrace_set_filter(ops, name, sizeof(name) - 1, 1);
	if (!ret)
		ret = register_ftrace_function(ops);
	if (ret)
		ftrace_free_filter(ops);
	return ret;
}

static void del(struct ftrace_ops *ops)
{
	WARN_ON_ONCE(unregister_ftrace_function(ops));
	ftrace_free_filter(ops);
}

static int count_trapped(struct kprobe *p, struct pt_regs *regs)
{
	WRITE_ONCE(trapped, trapped + 1);
	if (!rcu_is_watching())
		WRITE_ONCE(trapped_unwatched, trapped_unwatched + 1);
	return 0;
}

static struct kprobe kp = {
	.symbol_name	= "irq_enter",
	.offset		= 8,
	.pre_handler	= count_trapped,
};

static int __init idle_init(void)
{
	int ret;

	ret = register_kprobe(&kp);
	if (ret)
		return ret;
	ret = add(&flagged_ops);
	if (ret)
		goto out_kprobe;
	if (!beside)
		return 0;
	ret = add(&plain_ops);
	if (!ret)
		return 0;
	del(&flagged_ops);
out_kprobe:
	unregister_kprobe(&kp);
	return ret;
}
module_init(idle_init);

static void __exit idle_exit(void)
{
	del(&flagged_ops);
	if (beside)
		del(&plain_ops);
	unregister_kprobe(&kp);
}
module_exit(idle_exit);

MODULE_DESCRIPTION("Trace a function that is called while RCU does not watch");
MODULE_LICENSE("GPL");
