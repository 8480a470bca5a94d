// SPDX-License-Identifier: GPL-2.0
/* A kprobe with a post_handler, which has an ops of its own, tells who called the function. */

#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/module.h>

static char *symbol;
module_param(symbol, charp, 0444);
MODULE_PARM_DESC(symbol, "The function");

static char caller[KSYM_SYMBOL_LEN];
module_param_string(caller, caller, sizeof(caller), 0444);
MODULE_PARM_DESC(caller, "Where the last call came from");

static int pre_handler(struct kprobe *p, struct pt_regs *regs)
{
	snprintf(caller, sizeof(caller), "%ps", (void *)regs->ra);
	return 0;
}

static void post_handler(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
}

static struct kprobe probe = {
	.pre_handler = pre_handler,
	.post_handler = post_handler,
};

static int __init post_init(void)
{
	probe.symbol_name = symbol;
	return register_kprobe(&probe);
}
module_init(post_init);

static void __exit post_exit(void)
{
	unregister_kprobe(&probe);
}
module_exit(post_exit);

MODULE_DESCRIPTION("A kprobe with a post_handler that tells the function's caller");
MODULE_LICENSE("GPL");
