// SPDX-License-Identifier: GPL-2.0-only
/*
 * Static calls: patching the trampolines of <asm/static_call.h>
 */

#include <linux/bits.h>
#include <linux/cacheflush.h>
#include <linux/kernel.h>
#include <linux/memory.h>
#include <linux/mutex.h>
#include <linux/sizes.h>
#include <linux/smp.h>
#include <linux/static_call.h>
#include <linux/uaccess.h>

#include <asm/barrier.h>
#include <asm/patch.h>

#define SCT_AUIPC	0x00000397U	/* auipc t2, 0: to the literal */
#define SCT_J		0x0000006fU	/* jal x0, 0 */

/* What the slot has to be for a call of @func */
static u32 sct_slot(void *tramp, void *func)
{
	long offset = func - tramp;

	if (!func || func == __static_call_return0)
		offset = RISCV_SCT_RET0;
	else if (offset < -SZ_1M || offset >= SZ_1M)
		return SCT_AUIPC;

	return SCT_J | ((u32)offset & GENMASK(19, 12)) |
	       ((u32)offset & BIT(11)) << (20 - 11) |
	       ((u32)offset & GENMASK(10, 1)) << (21 - 1) |
	       ((u32)offset & BIT(20)) << (31 - 20);
}

static void sct_fence_i(void *unused)
{
	local_flush_icache_all();
}

/*
 * Have each hart take an interrupt and execute a fence.i. What it runs later, be it
 * fetched or loaded, is fetched and loaded later than what we stored before. It is an
 * interrupt of ours, not one of the firmware, as flush_icache_all() may make of it: we
 * wait for each hart's answer, which is ordered behind all that it loaded before.
 */
static void sct_sync(void)
{
	/* A store to memory and what sends an interrupt are not in order without */
	mb();
	on_each_cpu(sct_fence_i, NULL, 1);
}

/*
 * Nobody is stopped, and a hart may be anywhere in the trampoline, or on its way to
 * it, all the time. Two things are written, each by one store to an aligned address:
 * the slot, which is fetched whole (Ziccif), and the literal, which is data. So each
 * hart runs the old slot or the new one, up to its next fence.i, and loads the old
 * literal or the new one. What matters is which slot with which literal:
 *
 *	slot	literal	 what is called
 *	------	-------	 --------------
 *	j old	any	 old
 *	j new	any	 new
 *	auipc	old	 the literal's target: it has to be old, or new
 *	auipc	new	 new
 *
 * from	to	stores			what a hart may have meanwhile
 * ----	----	------			------------------------------
 * j	j	slot			j old, j new
 * auipc	j	slot			auipc and old; j new. The literal stays
 * auipc	auipc	literal			auipc and old; auipc and new
 * j	auipc	literal, sync, slot	j old and any; auipc and new
 *
 * The last one is the only one that depends on an order: a literal that is there
 * while the slot jumps may be of any age, or 0. No hart has seen the auipc before it
 * took the interrupt, so whichever does loads the new literal behind it. There is no
 * need for an instruction fetch and a load of the same hart to be in order.
 *
 * One that was interrupted or preempted between the auipc and the load calls what is in
 * the literal when it goes on: the target of that time, or that of a later update to
 * auipc, which may have made its store but not returned yet. Either may be called: an
 * update begins only when its target may be, and whoever frees an old target waits for
 * the tasks that may be on their way to it, as with any pointer to a function.
 *
 * QEMU translates code. A hart of it may translate the old slot after another one has
 * dropped the translation and before that one has made its store, and then all of them
 * run the old slot until something is stored there again. No hardware does so. But a
 * probe would be called with the data of another, so we store again: behind the
 * interrupt no hart is translating what was there before the first store.
 *
 * With the fence.i at the end, when we return a hart that goes on to call has the new
 * target. Only online harts are interrupted: our caller holds off those that come, and
 * they execute a fence.i of their own, see smp_callin().
 */
void arch_static_call_transform(void *site, void *tramp, void *func, bool tail)
{
	unsigned long *literal = tramp + RISCV_SCT_LITERAL;
	u32 old, new;
	int ret;

	if (!tramp)
		return;

	mutex_lock(&text_mutex);
	new = sct_slot(tramp, func);
	ret = copy_from_kernel_nofault(&old, tramp, sizeof(old));
	/* Also if it is not aligned, and would be written by more than one store */
	if (!ret && (!IS_ALIGNED((unsigned long)tramp, sizeof(*literal)) ||
		     (old != SCT_AUIPC && (old & GENMASK(11, 0)) != SCT_J)))
		ret = -EINVAL;

	if (!ret && new == SCT_AUIPC && *literal != (unsigned long)func) {
		ret = patch_insn_write(literal, &func, sizeof(func));
		sct_sync();
	}
	if (!ret && new != old) {
		ret = patch_insn_write(tramp, &new, sizeof(new));
		sct_sync();
		/* The same once more, for QEMU, see above */
		if (!ret)
			ret = patch_insn_write(tramp, &new, sizeof(new));
	}
	mutex_unlock(&text_mutex);

	/* Whoever changed it may free the old target, which would still be called */
	if (ret)
		panic("static call: cannot change %pS to %pS: %d\n", tramp, func, ret);
}
