// SPDX-License-Identifier: GPL-2.0
/*
 * How often all CPUs were made to do something for text that was patched: on riscv to
 * execute a fence.i (but for new pages of programs), on arm64 to drop the mapping by which
 * it was written from their TLBs. It is in /sys/module/callops_fences/parameters/fences,
 * from when the module is loaded.
 */

#include <linux/atomic.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/string.h>

static atomic_t fences;
module_param_named(fences, fences.counter, int, 0444);

static int fences_handler(struct kprobe *p, struct pt_regs *regs)
{
#ifdef CONFIG_RISCV
	char caller[32];

	snprintf(caller, sizeof(caller), "%ps", (void *)(regs->ra - 1));
	if (!strstarts(caller, "flush_icache_pte"))
		atomic_inc(&fences);
#else
	/* A mapping without any rights is none */
	if (!regs_get_register(regs, 8 * 2))
		atomic_inc(&fences);
#endif
	return 0;
}

static struct kprobe fences_kprobe = {
	.symbol_name = IS_ENABLED(CONFIG_RISCV) ? "flush_icache_all" : "__set_fixmap",
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

MODULE_DESCRIPTION("Count what patching text makes all CPUs do");
MODULE_LICENSE("GPL");
