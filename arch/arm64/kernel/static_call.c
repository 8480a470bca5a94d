// SPDX-License-Identifier: GPL-2.0-only
/*
 * Static calls: patching the trampolines of <asm/static_call.h>
 */

#include <linux/kernel.h>
#include <linux/memory.h>
#include <linux/mutex.h>
#include <linux/sizes.h>
#include <linux/smp.h>
#include <linux/static_call.h>

#include <asm/barrier.h>
#include <asm/insn.h>
#include <asm/patching.h>

static u32 sct_branch(void *pc, void *to)
{
	return aarch64_insn_gen_branch_imm((unsigned long)pc, (unsigned long)to,
					   AARCH64_INSN_BRANCH_NOLINK);
}

/* What the slot has to be for a call of @func */
static u32 sct_slot(void *tramp, void *func)
{
	void *slot = tramp + ARM64_SCT_SLOT;
	long offset = func - slot;

	if (!func || func == __static_call_return0)
		return sct_branch(slot, tramp + ARM64_SCT_RET0);

	if (offset >= -SZ_128M && offset < SZ_128M)
		return sct_branch(slot, func);

	return aarch64_insn_gen_nop();
}

static void sct_isb(void *unused)
{
	isb();
}

/*
 * Have each CPU execute an ISB. What it runs later, be it fetched or loaded, is fetched
 * and loaded later than what we stored before. The interrupt alone, as
 * kick_all_cpus_sync() sends it, is not enough: a CPU may have taken it for others before
 * we stored, and find our request before it returns. With PREEMPTION this CPU may not be
 * the one that stored.
 */
static void sct_sync(void)
{
	/* What we stored comes before the request */
	smp_mb();
	preempt_disable();
	smp_call_function(sct_isb, NULL, 1);
	isb();
	preempt_enable();
}

/*
 * Nobody is stopped, and a CPU may be anywhere in the trampoline, or on its way to
 * it, all the time. Two things are written, each by one store to an aligned address:
 * the slot, from B or NOP to B or NOP, which is among what may be modified while it
 * is executed, and the literal, which is data. So each CPU runs the old slot or the
 * new one, and loads the old literal or the new one. What matters is which slot with
 * which literal:
 *
 *	slot	literal	 what is called
 *	------	-------	 --------------
 *	B old	any	 old
 *	B new	any	 new
 *	NOP	old	 the literal's target: it has to be old, or new
 *	NOP	new	 new
 *
 * from	to	stores			what a CPU may have meanwhile
 * ----	----	------			-----------------------------
 * B	B	slot			B old, B new
 * NOP	B	slot			NOP and old; B new. The literal stays
 * NOP	NOP	literal			NOP and old; NOP and new
 * B	NOP	literal, sync, slot	B old and any; NOP and new
 *
 * The last one is the only one that depends on an order: a literal that is there
 * while the slot branches may be of any age, or 0. No CPU has seen the NOP before it
 * executed the ISB, so whichever does loads the new literal. There is no need for an
 * instruction fetch and a load of the same CPU to be in order.
 *
 * One that was interrupted or preempted between the NOP and the load calls what is in
 * the literal when it goes on: the target of that time, or that of a later update to
 * NOP, which may have made its store but not returned yet. Either may be called: an
 * update begins only when its target may be, and whoever frees an old target waits for
 * the tasks that may be on their way to it, as with any pointer to a function.
 *
 * The ISB at the end makes all CPUs drop what they had fetched or loaded early: when
 * we return, a CPU that goes on to call has the new target. Only online CPUs have to
 * execute it: our caller holds off those that come. If there is but one CPU, as at
 * boot, that is us, and an update returns from the last cache maintenance with an ISB.
 *
 * QEMU translates code. A CPU of it may translate the old slot after another one has
 * dropped the translation and before that one has made its store, and then all of them
 * run the old slot until something is stored there again. No hardware does so. But a
 * probe would be called with the data of another, so we store again: behind the ISB
 * no CPU is translating what was there before the first store.
 *
 * Before the kernel's text is made read-only, and after, the stores go through the
 * fixmap. A module's go there, too, or without STRICT_MODULE_RWX to its own mapping.
 */
void arch_static_call_transform(void *site, void *tramp, void *func, bool tail)
{
	const u32 nop = aarch64_insn_gen_nop();
	u64 *literal = tramp + ARM64_SCT_LITERAL;
	void *slot = tramp + ARM64_SCT_SLOT;
	u32 old, new;
	int ret;

	if (!tramp)
		return;

	mutex_lock(&text_mutex);
	new = sct_slot(tramp, func);
	ret = aarch64_insn_read(slot, &old);
	if (!ret && old != nop && !aarch64_insn_is_b(old))
		ret = -EINVAL;

	if (!ret && new == nop && *literal != (u64)func) {
		ret = aarch64_insn_write_literal_u64(literal, (u64)func);
		sct_sync();
	}
	if (!ret && new != old) {
		ret = aarch64_insn_patch_text_nosync(slot, new);
		sct_sync();
		/* The same once more, for QEMU, see above */
		if (!ret)
			ret = aarch64_insn_patch_text_nosync(slot, new);
	}
	mutex_unlock(&text_mutex);

	/* Whoever changed it may free the old target, which would still be called */
	if (ret)
		panic("static call: cannot change %pS to %pS: %d\n", tramp, func, ret);
}
