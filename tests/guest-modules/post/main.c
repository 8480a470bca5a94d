// SPDX-License-Identifier: GPL-2.0
/*
 * A kprobe with a post_handler, which has an ops of its own, tells who called the function. It,
 * or another ops, may send the call back there.
 */

#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/module.h>

static char *symbol;
module_param(symbol, charp, 0444);
MODULE_PARM_DESC(symbol, "The function");

static char caller[KSYM_SYMBOL_LEN];
module_param_string(caller, caller, sizeof(caller), 0444);
MODULE_PARM_DESC(caller, "Where the last call came from");

static char *back = "";
module_param(back, charp, 0444);
MODULE_PARM_DESC(back, "Who sends calls back to the caller: kprobe, ops, or nobody");

static void send_back(struct pt_regs *regs)
{
	regs->a0 = 0;
	instruction_pointer_set(regs, regs->ra);
}

static int pre_handler(struct kprobe *p, struct pt_regs *regs)
{
	snprintf(caller, sizeof(caller), "%ps", (void *)regs->ra);
	if (strcmp(back, "kprobe"))
		return 0;
	send_back(regs);
	return 1;
}

static void post_handler(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
}

static struct kprobe probe = {
	.pre_handler = pre_handler,
	.post_handler = post_handler,
};

static void notrace ops_func(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
			     struct ftrace_regs *fregs)
{
	send_back(ftrace_get_regs(fregs));
}

static struct ftrace_ops ops = {
	.func = ops_func,
	.flags = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_IPMODIFY,
};

static int __init post_init(void)
{
	if (!strcmp(back, "ops"))
		return ftrace_set_filter(&ops, symbol, strlen(symbol), 1) ?:
		       register_ftrace_function(&ops);

	probe.symbol_name = symbol;
	return register_kprobe(&probe);
}
module_init(post_init);

static void __exit post_exit(void)
{
	if (strcmp(back, "ops")) {
		unregister_kprobe(&probe);
		return;
	}
	unregister_ftrace_function(&ops);
	ftrace_free_filter(&ops);
}
module_exit(post_exit);

MODULE_DESCRIPTION("A kprobe with a post_handler that tells the function's caller");
MODULE_LICENSE("GPL");
