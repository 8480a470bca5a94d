// SPDX-License-Identifier: GPL-2.0-only
/*
 * Static calls on ppc64: patching the trampolines of <asm/static_call_64.h>
 */

#define pr_fmt(fmt)	"static call: " fmt

#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/memory.h>
#include <linux/mutex.h>
#include <linux/sizes.h>
#include <linux/smp.h>
#include <linux/static_call.h>

#include <asm/code-patching.h>
#include <asm/paca.h>
#include <asm/ppc-opcode.h>
#include <asm/probes.h>
#include <asm/sections.h>
#include <asm/synch.h>

/* Not all calls of trampolines restore the TOC pointer: no target is to change it */
static bool calls_unknown __ro_after_init;

static bool sct_in_kernel(unsigned long addr)
{
	return addr >= (unsigned long)__static_call_text_start &&
	       addr < (unsigned long)__static_call_text_end;
}

/* Where calls in the kernel enter a trampoline; a stub of the linker may lie there, too */
static bool __init sct_is_slot(unsigned long addr)
{
	return sct_in_kernel(addr) && addr % PPC64_SCT_SIZE == PPC64_SCT_SLOT;
}

/* ld r12, <literal>(r2) */
static unsigned long *sct_literal(void *tramp)
{
	u32 ld = *(u32 *)(tramp + PPC64_SCT_LOAD);

	return (unsigned long *)(kernel_toc_addr() + (s16)(ld & 0xfffc));
}

/*
 * Where a branch with the kernel's TOC may enter @func; 0 if it has to be called through
 * a pointer. That is right for each function, so in doubt it is done: of a function with
 * two entries the first two instructions are known, and if only one of them is there,
 * the other one is a kprobe. If both are kprobes, the first one shows that.
 */
static unsigned long sct_entry(void *func)
{
	u32 *insn = func;
	unsigned long entry;

	if (!core_kernel_text((unsigned long)func))
		return 0;
	entry = ppc_function_entry(func);
	if (entry == (unsigned long)func &&
	    ((insn[0] & OP_RT_RA_MASK) == ADDIS_R2_R12 || (insn[0] & OP_RT_RA_MASK) == LIS_R2 ||
	     (insn[1] & OP_RT_RA_MASK) == ADDI_R2_R2 ||
	     insn[0] == BREAKPOINT_INSTRUCTION || (insn[0] & 0xfc000003) == PPC_RAW_BRANCH(0)))
		return 0;
	return entry;
}

/* What the slot has to be for a call of @func */
static u32 sct_slot(void *tramp, void *func)
{
	u32 *slot = tramp + PPC64_SCT_SLOT;
	unsigned long entry;
	ppc_inst_t branch;

	if (!func || func == __static_call_return0)
		entry = (unsigned long)tramp + PPC64_SCT_RET0;
	else
		entry = sct_entry(func);

	if (!entry || create_branch(&branch, slot, entry, 0))
		return PPC_RAW_NOP();

	return ppc_inst_val(branch);
}

static void sct_isync(void *unused)
{
	isync();
}

/*
 * Have each CPU execute an isync. That synchronizes its context: what it runs later, be
 * it fetched or loaded, is fetched and loaded later than what we stored before.
 * kick_all_cpus_sync() would not do: one that polls while it is idle runs a function for
 * others without an interrupt, and one that is in such an interrupt without another one.
 * With PREEMPTION this CPU may not be the one that stored.
 */
static void sct_sync(void)
{
	/* What we stored comes before the request */
	smp_mb();
	preempt_disable();
	smp_call_function(sct_isync, NULL, 1);
	isync();
	preempt_enable();
}

/*
 * Nobody is stopped, and a CPU may be anywhere in the trampoline, or on its way to it,
 * all the time. Two things are written, each by one store to an aligned address: the
 * slot, from b or nop to b or nop, the "patch class" of the architecture, which may be
 * modified while it is executed; and the literal, which is data. So each CPU runs the
 * old slot or the new one, and loads the old literal or the new one. What matters is
 * which slot with which literal:
 *
 *	slot	literal	 what is called
 *	------	-------	 --------------
 *	b old	any	 old
 *	b new	any	 new
 *	nop	old	 the literal's target: it has to be old, or new
 *	nop	new	 new
 *
 * from	to	stores			what a CPU may have meanwhile
 * ----	----	------			-----------------------------
 * b	b	slot			b old, b new
 * nop	b	slot			nop and old; b new. The literal stays
 * nop	nop	literal			nop and old; nop and new
 * b	nop	literal, sync, slot	b old and any; nop and new
 *
 * The last one is the only one that depends on an order: a literal that is there while
 * the slot branches may be of any age, or 0. No CPU has seen the nop before it executed
 * the isync, so whichever does loads the new literal.
 *
 * What follows the call in the kernel, the load of r2, never changes: it is right
 * whichever target was called.
 *
 * One that was interrupted or preempted between the nop and the load calls what is in
 * the literal when it goes on: the target of that time, or that of a later update to
 * nop, which may have made its store but not returned yet. Either may be called: an
 * update begins only when its target may be, and whoever frees an old target waits for
 * the tasks that may be on their way to it, as with any pointer to a function.
 *
 * Modules load the target from the key, which our caller has stored. They, too, may have
 * loaded it early. The isync makes all CPUs drop what they had fetched or loaded: when we
 * return, a CPU that goes on to call has the new target. So there is one even if nothing
 * is patched. Only online CPUs have to execute it: our caller holds off those that come.
 *
 * QEMU translates code. A CPU of it may translate the old slot after another one has
 * dropped the translation and before that one has made its store, and then all of them
 * run the old slot until something is stored there again. No hardware does so. But a
 * probe would be called with the data of another, so we store again: behind the isync
 * no CPU is translating what was there before the first store.
 */
void arch_static_call_transform(void *site, void *tramp, void *func, bool tail)
{
	u32 old, new, *slot = tramp + PPC64_SCT_SLOT;
	int ret = 0;

	if (!tramp)
		return;

	/* That of a module loads from the key, too */
	if (!sct_in_kernel((unsigned long)tramp)) {
		sct_sync();
		return;
	}

	mutex_lock(&text_mutex);
	new = sct_slot(tramp, func);
	old = *slot;
	if (old != PPC_RAW_NOP() && (old & 0xfc000003) != PPC_RAW_BRANCH(0))
		ret = -EINVAL;

	if (!ret && new == PPC_RAW_NOP() && *sct_literal(tramp) != (unsigned long)func)
		ret = calls_unknown && !core_kernel_text((unsigned long)func) ? -EOPNOTSUPP :
				      patch_ulong(sct_literal(tramp), (unsigned long)func);
	if (new == PPC_RAW_NOP() || new == old)
		sct_sync();
	if (!ret && new != old) {
		ret = patch_instruction(slot, ppc_inst(new));
		sct_sync();
		/* The same once more, for QEMU, see above */
		if (!ret)
			ret = patch_instruction(slot, ppc_inst(new));
	}
	mutex_unlock(&text_mutex);

	/* Whoever changed it may free the old target, which would still be called */
	if (ret)
		panic("static call: cannot change %pS to %pS: %d\n", tramp, func, ret);
}

/*
 * Where the call at @insn leads to, behind a stub of the linker if there is one. It makes
 * them for calls that a branch does not carry far enough:
 *
 *	b <target>	or	addis r12,r2,<literal>@ha, if that is not 0
 *				ld    r12,<literal>@l(r12 or r2)
 *				mtctr r12
 *				bctr
 */
static unsigned long __init call_target(u32 *insn)
{
	unsigned long target = branch_target(insn), literal = kernel_toc_addr();
	u32 *stub = (u32 *)target, base = _R2;

	if (target < (unsigned long)_stext || target >= (unsigned long)_einittext)
		return 0;
	/* If that is a stub of the linker, r2 is restored for nothing */
	if (sct_is_slot(target))
		return target;
	if ((*stub & 0xfc000003) == PPC_RAW_BRANCH(0))
		return branch_target(stub);
	if ((*stub & OP_RT_RA_MASK) == PPC_RAW_ADDIS(_R12, _R2, 0)) {
		literal += (s16)*stub++ * 65536L;
		base = _R12;
	}
	if ((stub[0] & 0xffff0003) != PPC_RAW_LD(_R12, base, 0) ||
	    stub[1] != PPC_RAW_MTCTR(_R12) || stub[2] != PPC_RAW_BCTR())
		return target;
	literal += (s16)(stub[0] & 0xfffc);
	if (literal < (unsigned long)_stext || literal >= (unsigned long)_end)
		return 0;
	return *(unsigned long *)literal;
}

/*
 * Behind each call of a trampoline there is a nop, where the linker would restore r2 if
 * it had made a stub that saves it. Load the kernel's TOC there. In code that runs with it
 * that changes nothing, so it does not matter who is just there.
 */
static unsigned int __init restore_toc(u32 *from, u32 *to)
{
	const u32 load = PPC_RAW_LD(_R2, _R13, offsetof(struct paca_struct, kernel_toc));
	unsigned int n = 0;
	unsigned long target;
	u32 *insn;

	for (insn = from; insn + 1 < to; insn++) {
		if ((*insn & 0xfc000003) != PPC_RAW_BL(0))
			continue;
		target = call_target(insn);
		if (!sct_is_slot(target))
			continue;
		if (insn[1] != PPC_RAW_NOP() || raw_patch_instruction(insn + 1, ppc_inst(load))) {
			pr_err("%pS does not restore the TOC pointer\n", insn);
			calls_unknown = true;
		}
		n++;
	}
	return n;
}

/* Before there are modules, and with one CPU */
static int __init static_call_restore_toc(void)
{
	unsigned int n = restore_toc((u32 *)_stext, (u32 *)_etext) +
			 restore_toc((u32 *)_sinittext, (u32 *)_einittext);

	pr_info("%u calls of %zu trampolines\n", n,
		(__static_call_text_end - __static_call_text_start) / PPC64_SCT_SIZE);
	return 0;
}
early_initcall(static_call_restore_toc);
