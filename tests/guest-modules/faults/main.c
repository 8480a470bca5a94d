// SPDX-License-Identifier: GPL-2.0
/*
 * riscv: page faults on the memory of a tracer that traces all functions, those
 * that handle page faults, too.
 *
 * The top level of each mm's page table has a copy of the kernel's entries. Where
 * the entry for modules is missing, or is in the mm but not yet known to the hart, the
 * first access to anything in a module takes a fault, which the kernel resolves. The
 * ops and its function are in this module.
 *
 * Loading the module looks for entries that this mm does not have, registers the ops,
 * and then takes the entry for modules away and has the kernel bring it back, again and
 * again, with interrupts off as well. Where modules and the kernel have the same entry,
 * as with Sv48 and Sv57, it cannot. It prints a line for each. Until it is unloaded, all
 * functions are traced.
 */

#define pr_fmt(fmt)	KBUILD_MODNAME ": " fmt

#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/module.h>

#ifdef CONFIG_RISCV

#define ROUNDS	1000

static unsigned long nr_calls;

static void notrace faults_func(unsigned long ip, unsigned long parent_ip,
				struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	WRITE_ONCE(nr_calls, READ_ONCE(nr_calls) + 1);
}

static struct ftrace_ops faults_ops = { .func = faults_func };

/* The entry of the top level for @addr, in the table that this hart uses */
static pgd_t *top_level(unsigned long addr)
{
	return (pgd_t *)pfn_to_virt(csr_read(CSR_SATP) & SATP_PPN) + pgd_index(addr);
}

static unsigned int absent(unsigned long start, unsigned long end)
{
	unsigned long i = pgd_index(start), n = 0;

	for (pgd_t *pgd = top_level(start); i <= pgd_index(end - 1); i++, pgd++)
		n += !pgd_val(READ_ONCE(*pgd));

	return n;
}

static noinline void faults_probed(void)
{
	asm volatile("nop\n\tnop" : : : "memory");
}

static unsigned int nr_gone, nr_back;

/*
 * As in an mm that is older than the first module. The next instruction is of this one.
 * For callers that cannot be preempted
 */
static void __forget(void)
{
	pgd_t *pgd = top_level((unsigned long)&faults_ops);

	WRITE_ONCE(*pgd, __pgd(0));
	local_flush_tlb_all();
	faults_probed();
	nr_gone++;
	nr_back += !!pgd_val(READ_ONCE(*pgd));
}

static void forget(void)
{
	preempt_disable();
	__forget();
	preempt_enable();
}

static unsigned int nr_preempted;

/* As if another task should run: not on the way back from these faults */
static void forget_with_irqs_off(void)
{
	unsigned long flags;

	local_irq_save(flags);
	set_tsk_need_resched(current);
	__forget();
	nr_preempted += !test_tsk_need_resched(current);
	local_irq_restore(flags);
	cond_resched();
}

static int faults_handler(struct kprobe *p, struct pt_regs *regs)
{
	forget();
	return 0;
}

/* The handler calls what is probed, which does not call it again. */
static struct kprobe faults_kprobe = {
	.addr = (void *)faults_probed,
	.pre_handler = faults_handler,
};

static int came_back(const char *what)
{
	bool good = nr_gone && nr_back == nr_gone;

	pr_info("%sok - %s: it was taken %u times, and came back %u times\n",
		good ? "" : "not ", what, nr_gone, nr_back);
	nr_gone = nr_back = 0;
	return good ? 0 : -EIO;
}

static int __init faults_init(void)
{
	unsigned long here = (unsigned long)&faults_ops;
	int ret, err = 0;

	pr_info("# %u entries for vmalloc absent, %u for modules\n",
		absent(VMALLOC_START, VMALLOC_END),
		absent(MODULES_LOWEST_VADDR, KERNEL_LINK_ADDR));

	ret = register_ftrace_function(&faults_ops);
	if (ret)
		return ret;
	faults_probed();
	if (!READ_ONCE(nr_calls))
		err = -EIO;
	pr_info("%sok - calls are traced\n", err ? "not " : "");

	if (pgd_index(here) == pgd_index(KERNEL_LINK_ADDR)) {
		pr_info("# modules and the kernel have the same entry\n");
		goto out;
	}

	for (unsigned int i = 0; i < ROUNDS; i++)
		forget();
	err |= came_back("the entry for modules");

	for (unsigned int i = 0; i < ROUNDS; i++)
		forget_with_irqs_off();
	err |= came_back("the entry for modules, with interrupts off");
	pr_info("%sok - no task with interrupts off is preempted: %u times\n",
		nr_preempted ? "not " : "", nr_preempted);
	err |= nr_preempted ? -EIO : 0;

	ret = register_kprobe(&faults_kprobe);
	if (!ret) {
		for (unsigned int i = 0; i < ROUNDS; i++)
			faults_probed();
		unregister_kprobe(&faults_kprobe);
		err |= came_back("the entry for modules, in a kprobe's handler");
	} else {
		pr_info("# no kprobe: %d\n", ret);
	}
out:
	if (err)
		unregister_ftrace_function(&faults_ops);
	return err ? -EIO : 0;
}

static void __exit faults_exit(void)
{
	unregister_ftrace_function(&faults_ops);
}
module_exit(faults_exit);

#else /* !CONFIG_RISCV */

static int __init faults_init(void)
{
	return -ENODEV;
}

#endif /* CONFIG_RISCV */
module_init(faults_init);

MODULE_DESCRIPTION("Take page faults on the memory of a tracer");
MODULE_LICENSE("GPL");
