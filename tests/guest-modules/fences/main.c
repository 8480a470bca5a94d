// SPDX-License-Identifier: GPL-2.0
/*
 * riscv: how often all harts were made to execute a fence.i, but for new pages of
 * programs. It is in /sys/module/callops_fences/parameters/fences, from when the module
 * is loaded.
 */

#include <linux/atomic.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/string.h>

static atomic_t fences;
module_param_named(fences, fences.counter, int, 0444);

#ifdef CONFIG_RISCV
static int fences_handler(struct kprobe *p, struct pt_regs *regs)
{
	char caller[32];

	snprintf(caller, sizeof(caller), "%ps", (void *)(regs->ra - 1));
	if (!strstarts(caller, "flush_icache_pte"))
		atomic_inc(&fences);
	return 0;
}

static struct kprobe fences_kprobe = {
	.symbol_name = "flush_icache_all",
	.pre_handler = fences_handler,
};

static int __init fences_init(void)
{
	return register_kprobe(&fences_kprobe);
}
module_init(fences_init);

static void __exit fences_exit(void)
{
	unregister_kprobe(&fences_kprobe);
}
module_exit(fences_exit);

#else /* !CONFIG_RISCV */

static int __init fences_init(void)
{
	return -ENODEV;
}
module_init(fences_init);

#endif /* CONFIG_RISCV */

MODULE_DESCRIPTION("Count remote fence.i");
MODULE_LICENSE("GPL");
