// SPDX-License-Identifier: GPL-2.0
/*
 * Kprobes at the entry of a function, called by ftrace.
 *
 * A kprobe on the first instruction of a function that can be traced is called from the
 * function's callsite, the NOP that ftrace makes a BL:
 *
 *	func:	MOV X9, LR	<- the kprobe	func:	BTI C		<- the kprobe
 *	func+4:	NOP		<- is called	func+4:	MOV X9, LR
 *						func+8:	NOP		<- is called
 *
 * Its address is still that of the function, for all who see or use it: the instructions
 * in between have no effect that a handler could miss. To ask for the callsite is to ask
 * for the function. A kprobe on any other instruction takes a BRK.
 */

#include <linux/context_tracking.h>
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>

#include <asm/daifflags.h>
#include <asm/insn.h>

unsigned long arch_kprobe_ftrace_ip(unsigned long func)
{
	unsigned long ip = ftrace_location_range(func + AARCH64_INSN_SIZE,
						 func + 2 * AARCH64_INSN_SIZE);

	return ip && ftrace_get_symaddr(ip) == func ? ip : 0;
}

kprobe_opcode_t *arch_adjust_kprobe_addr(unsigned long addr, unsigned long offset,
					 bool *on_func_entry)
{
	if (offset && addr + offset == arch_kprobe_ftrace_ip(addr))
		offset = 0;

	*on_func_entry = !offset;
	return (kprobe_opcode_t *)(addr + offset);
}

int arch_prepare_kprobe_ftrace(struct kprobe *p)
{
	/* Nothing is executed out of line. */
	p->ainsn.api.insn = NULL;
	return 0;
}

static __always_inline bool rcu_watches(void)
{
#ifdef CONFIG_CONTEXT_TRACKING_IDLE
	return ct_dynticks() & RCU_DYNTICKS_IDX;	/* without the call */
#else
	return rcu_is_watching();
#endif
}

static __always_inline kprobe_opcode_t *func_of(unsigned long ip)
{
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS
	return (kprobe_opcode_t *)ALIGN_DOWN(ip - AARCH64_INSN_SIZE, 8);
#else
	return (kprobe_opcode_t *)ftrace_get_symaddr(ip);
#endif
}

static __always_inline void call_handlers(struct kprobe *p, struct pt_regs *regs)
{
	struct kprobe_ctlblk *kcb = get_kprobe_ctlblk();
	unsigned long pc = instruction_pointer(regs);	/* behind the callsite, or elsewhere */
	unsigned long addr = (unsigned long)p->addr, set = addr;

	__this_cpu_write(current_kprobe, p);
	kcb->kprobe_status = KPROBE_HIT_ACTIVE;
	instruction_pointer_set(regs, addr);

	if (p->pre_handler && p->pre_handler(p, regs)) {
		set = instruction_pointer(regs);
	} else if (unlikely(p->post_handler)) {
		kcb->kprobe_status = KPROBE_HIT_SSDONE;
		instruction_pointer_set(regs, addr + AARCH64_INSN_SIZE);
		p->post_handler(p, regs, 0);
		set = instruction_pointer(regs);
	}

	/* From there to the callsite there is nothing left to do. */
	if (likely(set - addr <= 2 * AARCH64_INSN_SIZE))
		set = pc;
	instruction_pointer_set(regs, set);

	__this_cpu_write(current_kprobe, NULL);
	arch_ftrace_restore_saved(regs);
}

/*
 * Handlers find what they found in the exception of a BRK: all exceptions masked, RCU
 * watching, the registers complete. So no interrupt makes another kprobe miss a hit.
 *
 * This needs no ftrace_test_recursion_trylock(). What is called while current_kprobe is
 * not set cannot be probed, and so not come here. What the handlers call can, once for
 * each call: that is a miss, and counts as one.
 */
void kprobe_ftrace_handler(unsigned long ip, unsigned long parent_ip,
			   struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct pt_regs *regs = arch_ftrace_get_regs(fregs);
	unsigned long flags;
	struct kprobe *p;
	bool watching;

	arch_ftrace_complete_regs(regs);
	preempt_disable_notrace();
	flags = local_daif_save();
	watching = rcu_watches();
	if (unlikely(!watching))
		ct_nmi_enter();

	p = get_kprobe(func_of(ip));
	if (likely(p && !kprobe_disabled(p))) {
		if (unlikely(kprobe_running()))
			kprobes_inc_nmissed_count(p);
		else
			call_handlers(p, regs);
	}

	if (unlikely(!watching))
		ct_nmi_exit();
	local_daif_restore(flags);
	preempt_enable_notrace();
}
NOKPROBE_SYMBOL(kprobe_ftrace_handler);
