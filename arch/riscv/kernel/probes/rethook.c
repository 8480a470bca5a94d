// SPDX-License-Identifier: GPL-2.0
/*
 * Return hooks: what kretprobes and the exit handlers of fprobes need of riscv.
 *
 * A function is hooked at its first instruction, by an EBREAK or by ftrace, and
 * returns to arch_rethook_trampoline. What identifies the call is the caller's frame
 * pointer, which the unwinder has, too. Without CONFIG_FRAME_POINTER nothing asks, and
 * calls are told apart by their order alone.
 */

#include <linux/kprobes.h>
#include <linux/processor.h>
#include <linux/rethook.h>
#include <asm/stacktrace.h>

NOKPROBE_SYMBOL(arch_rethook_trampoline);

asmlinkage unsigned long arch_rethook_trampoline_callback(struct pt_regs *regs);

/* The record of a frame that arch_rethook_trampoline and ftrace put behind @regs */
static struct stackframe *frame_record(struct pt_regs *regs)
{
	void *end = (void *)regs + ALIGN(sizeof(*regs), STACK_ALIGN) +
		    ALIGN(sizeof(struct stackframe), STACK_ALIGN);

	return end - sizeof(struct stackframe);
}

/* Returns where the trampoline goes on */
asmlinkage unsigned long __used
arch_rethook_trampoline_callback(struct pt_regs *regs)
{
	unsigned long frame = IS_ENABLED(CONFIG_FRAME_POINTER) ? regs->s0 : 0;

	return rethook_trampoline_handler(regs, frame);
}
NOKPROBE_SYMBOL(arch_rethook_trampoline_callback);

void arch_rethook_prepare(struct rethook_node *rhn, struct pt_regs *regs,
			  bool mcount)
{
	rhn->ret_addr = regs->ra;
	rhn->frame = 0;
	if (IS_ENABLED(CONFIG_FRAME_POINTER)) {
		/*
		 * While the callsite goes from ftrace_caller to ftrace_regs_caller,
		 * s0 is not in @regs yet, see ftrace_call_ops.c, but in the record.
		 */
		if (mcount && IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS))
			rhn->frame = frame_record(regs)->fp;
		else
			rhn->frame = regs->s0;
	}
	regs->ra = (unsigned long)arch_rethook_trampoline;
}
NOKPROBE_SYMBOL(arch_rethook_prepare);

/*
 * The hook is about to leave the list of the task, and the unwinder could not replace
 * the trampoline's address in its record from then on.
 */
void arch_rethook_fixup_return(struct pt_regs *regs,
			       unsigned long correct_ret_addr)
{
	if (IS_ENABLED(CONFIG_FRAME_POINTER))
		frame_record(regs)->ra = correct_ret_addr;
}
NOKPROBE_SYMBOL(arch_rethook_fixup_return);
