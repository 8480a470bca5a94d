// SPDX-License-Identifier: GPL-2.0
/*
 * Return hooks: what kretprobes and the exit handlers of fprobes need of arm64.
 *
 * A function is hooked at its entry, by a BRK or by ftrace, and returns
 * to arch_rethook_trampoline. What identifies the call is the caller's x29, which is
 * the same at the entry and after the return.
 */

#include <linux/kprobes.h>
#include <linux/rethook.h>

NOKPROBE_SYMBOL(arch_rethook_trampoline);

asmlinkage unsigned long arch_rethook_trampoline_callback(struct pt_regs *regs);

/* Returns where the trampoline goes on */
asmlinkage unsigned long __used
arch_rethook_trampoline_callback(struct pt_regs *regs)
{
	return rethook_trampoline_handler(regs, regs->regs[29]);
}
NOKPROBE_SYMBOL(arch_rethook_trampoline_callback);

void arch_rethook_prepare(struct rethook_node *rhn, struct pt_regs *regs,
			  bool mcount)
{
	rhn->ret_addr = regs->regs[30];
	rhn->frame = regs->regs[29];
	regs->regs[30] = (unsigned long)arch_rethook_trampoline;
}
NOKPROBE_SYMBOL(arch_rethook_prepare);

/*
 * The frame record of the trampoline is in @regs. The hook is about to leave the list of
 * the task, and the unwinder could not replace the trampoline's address from then on.
 */
void arch_rethook_fixup_return(struct pt_regs *regs,
			       unsigned long correct_ret_addr)
{
	regs->regs[30] = correct_ret_addr;
}
NOKPROBE_SYMBOL(arch_rethook_fixup_return);
