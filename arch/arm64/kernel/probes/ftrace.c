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
#include <linux/cpufeature.h>
#include <linux/ftrace.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>

#include <asm/arch_gicv3.h>
#include <asm/barrier.h>
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

static __always_inline kprobe_opcode_t *func_of(unsigned long ip)
{
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS
	return (kprobe_opcode_t *)ALIGN_DOWN(ip - AARCH64_INSN_SIZE, 8);
#else
	return (kprobe_opcode_t *)ftrace_get_symaddr(ip);
#endif
}

/*
 * Call the post_handler, if there is one, and say where to go on. If the pre_handler
 * returned that it set the pc, @post is NULL.
 */
static noinline notrace unsigned long
call_post_handler(struct kprobe *p, struct pt_regs *regs, unsigned long pc,
		  kprobe_post_handler_t post)
{
	unsigned long addr = (unsigned long)p->addr;

	if (post) {
		get_kprobe_ctlblk()->kprobe_status = KPROBE_HIT_SSDONE;
		instruction_pointer_set(regs, addr + AARCH64_INSN_SIZE);
		post(p, regs, 0);
	}

	/* Back to the caller, by a RET: tracers that come later may hook it, and wait for it. */
	if (instruction_pointer(regs) == procedure_link_pointer(regs))
		return (unsigned long)ftrace_stub;

	/* From there to the callsite there is nothing left to do. */
	if (instruction_pointer(regs) - addr <= 2 * AARCH64_INSN_SIZE)
		return pc;

	return instruction_pointer(regs);
}
NOKPROBE_SYMBOL(call_post_handler);

/* None of them is optimized. With that bit the mask, 0xf, is a valid immediate. */
#define KPROBE_STATE	(KPROBE_FLAG_GONE | KPROBE_FLAG_DISABLED | KPROBE_FLAG_OPTIMIZED | \
			 KPROBE_FLAG_FTRACE)

static __always_inline void call_handlers(unsigned long ip, struct pt_regs *regs)
{
	struct kprobe **running = this_cpu_ptr(&current_kprobe);
	struct kprobe_ctlblk *kcb = get_kprobe_ctlblk();
	kprobe_opcode_t *addr = func_of(ip);
	struct kprobe *p = __get_kprobe(addr);
	kprobe_post_handler_t post;
	unsigned long pc;
	int ret = 0;

	/* One that takes a breakpoint is not called from the callsite, even if that is on. */
	if (unlikely(!p || (p->flags & KPROBE_STATE) != KPROBE_FLAG_FTRACE))
		return;

	if (!(p->flags & KPROBE_FLAG_KEEPS_SAVED))
		arch_ftrace_restore_saved(regs);

	if (unlikely(*running)) {
		kprobes_inc_nmissed_count(p);
		return;
	}

	WRITE_ONCE(*running, p);
	kcb->kprobe_status = KPROBE_HIT_ACTIVE;

	pc = instruction_pointer(regs);
	instruction_pointer_set(regs, (unsigned long)addr);
	if (p->pre_handler)
		ret = p->pre_handler(p, regs);
	/* Where several share the address, the last one with a post_handler may be leaving. */
	post = READ_ONCE(p->post_handler);
	if (unlikely(ret || post))
		pc = call_post_handler(p, regs, pc, ret ? NULL : post);
	instruction_pointer_set(regs, pc);

	WRITE_ONCE(*running, NULL);
}

/* As an exception does */
static noinline notrace void
call_handlers_unwatched(unsigned long ip, struct pt_regs *regs, bool hardirqs)
{
	ct_nmi_enter();
	call_handlers(ip, regs);
	if (hardirqs)
		lockdep_hardirqs_on_prepare();
	ct_nmi_exit();
}
NOKPROBE_SYMBOL(call_handlers_unwatched);

/*
 * Handlers find what they found in the exception of a BRK: all exceptions masked, RCU
 * watching, the registers complete. So no interrupt makes another kprobe miss a hit.
 *
 * DAIF masks pseudo-NMIs as well. irqs_disabled() looks at the priority mask, which says
 * so, too, as at the entry of an exception. It is not opened: the function may be one that
 * an interrupt calls before it is acknowledged.
 *
 * This needs no ftrace_test_recursion_trylock(). A kprobe on what the handlers call is
 * counted as missed. A kprobe on what the tracepoints of RCU and lockdep call, while
 * current_kprobe is not set, does not recurse: RCU watches by then, so its hit calls none
 * of these tracepoints again.
 */
void notrace kprobe_ftrace_handler(unsigned long ip, unsigned long parent_ip,
				   struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct pt_regs *regs = arch_ftrace_get_regs(fregs);
	unsigned long flags, pmr;
	bool hardirqs;

	preempt_disable_notrace();
	flags = read_sysreg(daif);
	asm volatile("msr daifset, #0xf" : : : "memory");
	ftrace_set_pstate(regs, flags);
	if (system_uses_irq_prio_masking()) {
		pmr = gic_read_pmr();
		regs->pmr_save = pmr;
		if (pmr == GIC_PRIO_IRQON)
			gic_write_pmr(GIC_PRIO_IRQON | GIC_PRIO_PSR_I_SET);
	}
	hardirqs = lockdep_hardirqs_enabled();
	lockdep_hardirqs_off(ip);

	if (likely(rcu_is_watching_curr_cpu())) {
		call_handlers(ip, regs);
		if (hardirqs)
			lockdep_hardirqs_on_prepare();
	} else {
		call_handlers_unwatched(ip, regs, hardirqs);
	}

	if (hardirqs)
		lockdep_hardirqs_on(ip);
	if (system_uses_irq_prio_masking()) {
		gic_write_pmr(pmr);
		pmr_sync();
	}
	write_sysreg(flags, daif);
	preempt_enable_notrace();
}
NOKPROBE_SYMBOL(kprobe_ftrace_handler);
