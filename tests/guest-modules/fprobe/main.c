// SPDX-License-Identifier: GPL-2.0
/*
 * fprobes and kretprobes, as far as a single thread can tell what they have to do.
 *
 * Loading the module makes each check, prints a line for it, and fails with EIO if any
 * went wrong. With storm=MS it lets probes come and go for so long, and at
 * least rounds=N times, see storm.c.
 */

#define pr_fmt(fmt)	KBUILD_MODNAME ": " fmt

#include <linux/compiler.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/fprobe.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/stacktrace.h>
#include <linux/string.h>

#include "fprobe.h"

static unsigned int storm;
module_param(storm, uint, 0444);
MODULE_PARM_DESC(storm, "For how many milliseconds probes come and go, in place of the checks");

static unsigned int rounds;
module_param(rounds, uint, 0444);
MODULE_PARM_DESC(rounds, "... and how often, at least");

static unsigned int bench;
module_param(bench, uint, 0444);
MODULE_PARM_DESC(bench, "How many calls to time for each kind of probe, without checks");

static bool failed;

static void check(bool ok, const char *what)
{
	if (ok)
		pr_info("ok - %s\n", what);
	else
		pr_err("not ok - %s\n", what);
	failed |= !ok;
}

static void same(const char *what, unsigned long expected, unsigned long got)
{
	check(expected == got, what);
	if (expected != got)
		pr_err("  expected %#lx, got %#lx\n", expected, got);
}

/* The functions. Each returns something that tells which it was, and for what. */

noinline unsigned long fprobe_one(unsigned long x)
{
	asm volatile("" : "+r" (x) : : "memory");
	return 3 * x + 1;
}

noinline unsigned long fprobe_two(unsigned long x)
{
	asm volatile("" : "+r" (x) : : "memory");
	return fprobe_one(x) + fprobe_one(x + 1);
}

noinline unsigned long fprobe_deep(unsigned long x)
{
	unsigned long ret = 0;

	asm volatile("" : "+r" (x) : : "memory");
	if (x)
		ret = fprobe_deep(x - 1);
	asm volatile("" : "+r" (ret));
	return ret + 1;
}

struct pair {
	unsigned long a, b;
};

static noinline struct pair fprobe_pair(unsigned long x)
{
	asm volatile("" : "+r" (x) : : "memory");
	return (struct pair) { x, ~x };
}

/* Ends by a jump to fprobe_one(), where compilers do so */
static noinline unsigned long fprobe_tail(unsigned long x)
{
	asm volatile("" : "+r" (x) : : "memory");
	return fprobe_one(x);
}

/* What the handlers have seen */
static struct {
	unsigned long entries, exits;
	unsigned long entry_ip, exit_ip, arg, ret;
	unsigned long in_order;		/* exits that found the data of their entry */
	bool user, preemptible, masked;
} seen;

static void note_regs(struct pt_regs *regs)
{
	seen.user |= user_mode(regs);
	seen.preemptible |= preemptible();
}

static void on_entry(struct fprobe *fp, unsigned long ip, struct pt_regs *regs,
		     void *data)
{
	note_regs(regs);
#ifdef interrupts_enabled
	seen.masked |= interrupts_enabled(regs) == irqs_disabled();
#endif
	seen.entries++;
	seen.entry_ip = ip;
	seen.arg = regs_get_kernel_argument(regs, 0);
	if (data)
		*(unsigned long *)data = seen.arg;
}

static void on_exit(struct fprobe *fp, unsigned long ip, struct pt_regs *regs,
		    void *data)
{
	note_regs(regs);
	seen.exits++;
	seen.exit_ip = ip;
	seen.ret = regs_return_value(regs);
	/* fprobe_deep(x) returns x + 1. */
	if (data)
		seen.in_order += *(unsigned long *)data + 1 == seen.ret;
}

static void begin(void)
{
	memset(&seen, 0, sizeof(seen));
}

static bool in(unsigned long ip, void *func)
{
	return ip - (unsigned long)func <= 16;
}

static bool __init add(struct fprobe *fp, void *func)
{
	unsigned long addr = (unsigned long)func;
	int ret = register_fprobe_ips(fp, &addr, 1);

	if (ret)
		pr_err("not ok - register_fprobe_ips(%ps): error %d\n", func, ret);
	failed |= ret;
	return !ret;
}

static void __init del(struct fprobe *fp)
{
	int ret = unregister_fprobe(fp);

	if (ret)
		pr_err("not ok - unregister_fprobe(): error %d\n", ret);
	failed |= ret;
}

static void __init check_handlers(void)
{
	static struct fprobe entry = { .entry_handler = on_entry };
	static struct fprobe exit = { .exit_handler = on_exit };
	static struct fprobe one = { .exit_handler = on_exit };
	static struct fprobe tail = { .exit_handler = on_exit };
	static struct fprobe pair = { .exit_handler = on_exit };
	static struct fprobe both = {
		.entry_handler = on_entry,
		.exit_handler = on_exit,
		.entry_data_size = sizeof(unsigned long),
		.nr_maxactive = 64,
	};
	unsigned long flags;
	struct pair p;

	begin();
	if (add(&entry, fprobe_one)) {
		same("entry: the function returns what it has to", 22, fprobe_one(7));
		same("entry: the argument", 7, seen.arg);
		check(in(seen.entry_ip, fprobe_one), "entry: the address");
		fprobe_two(1);
		same("entry: each call", 3, seen.entries);
		disable_fprobe(&entry);
		fprobe_one(1);
		enable_fprobe(&entry);
		same("entry: none while it is disabled", 3, seen.entries);
		del(&entry);
	}
	fprobe_one(1);
	same("entry: none afterwards", 3, seen.entries);
	if (add(&entry, fprobe_two)) {
		fprobe_two(1);
		same("entry: the same fprobe once more, elsewhere", 4, seen.entries);
		del(&entry);
	}

	begin();
	if (add(&exit, fprobe_two)) {
		same("exit: the function returns what it has to", 47, fprobe_two(7));
		same("exit: the returned value", 47, seen.ret);
		check(in(seen.exit_ip, fprobe_two), "exit: the address");
		del(&exit);
	}
	fprobe_two(1);
	same("exit: one call, and none afterwards", 1, seen.exits);

	begin();
	if (!register_fprobe(&both, "fprobe_deep*", NULL)) {
		same("both: a function that calls itself", 6, fprobe_deep(5));
		same("both: each entry", 6, seen.entries);
		same("both: each exit", 6, seen.exits);
		same("both: each exit has the data of its entry", 6, seen.in_order);
		same("both: none is missed", 0, both.nmissed);
		del(&both);
	} else {
		check(false, "both: register_fprobe()");
	}

	begin();
	if (add(&tail, fprobe_tail) && add(&one, fprobe_one)) {
		same("a tail call of one hooked function to another", 22, fprobe_tail(7));
		same("both return", 2, seen.exits);
		del(&one);
		del(&tail);
	}
	if (add(&pair, fprobe_pair)) {
		p = fprobe_pair(7);
		check(p.a == 7 && p.b == ~7UL, "a structure comes back in two registers");
		del(&pair);
	}
	check(!seen.user, "user_mode() is false in all handlers");
	check(!seen.preemptible, "no handler can be preempted");

	begin();
	if (add(&entry, fprobe_one)) {
		fprobe_one(7);
		local_irq_save(flags);
		fprobe_one(7);
		local_irq_restore(flags);
		del(&entry);
	}
	check(seen.entries == 2 && !seen.masked, "an entry's registers say whether interrupts are masked");
}

/* One node, for a function that is on the stack several times */
static void __init check_missed(void)
{
	static struct fprobe fp = { .exit_handler = on_exit, .nr_maxactive = 1 };

	begin();
	if (!add(&fp, fprobe_deep))
		return;
	same("with one node: the function returns what it has to", 6, fprobe_deep(5));
	same("with one node: one return is seen", 1, seen.exits);
	same("with one node: all others count as missed", 5, fp.nmissed);
	fprobe_deep(0);
	same("with one node: it is free again", 2, seen.exits);
	del(&fp);
}

/* A handler that calls what is probed */
static void on_exit_calls(struct fprobe *fp, unsigned long ip, struct pt_regs *regs,
			  void *data)
{
	on_exit(fp, ip, regs, data);
	if (seen.exits < 100)
		fprobe_one(1);
}

static void on_exit_changes(struct fprobe *fp, unsigned long ip, struct pt_regs *regs,
			    void *data)
{
	on_exit(fp, ip, regs, data);
	regs_set_return_value(regs, 4711);
}

/* Hits by this very task */
static struct task_struct *self;
static unsigned long own;

static void on_exit_own(struct fprobe *fp, unsigned long ip, struct pt_regs *regs, void *data)
{
	own += current == self;
}

/* What rethook itself may call, in a kernel that checks itself, when a function returns */
static void __init check_recursion_in_rethook(void)
{
	static struct fprobe fp = { .exit_handler = on_exit_own, .nr_maxactive = 16 };
	unsigned long flags, before;

	if (!IS_ENABLED(CONFIG_PROVE_RCU))
		return;
	self = current;
	if (register_fprobe(&fp, "rcu_read_lock_any_held", NULL)) {
		check(false, "rcu_read_lock_any_held() can be hooked");
		return;
	}
	local_irq_save(flags);
	before = own;
	rcu_read_lock_any_held();
	before = own - before;
	local_irq_restore(flags);
	same("a function that rethook could call returns once", 1, before);
	del(&fp);
}

/* What rethook calls to be preempted must not come back to it. */
static void __init check_preempted(void)
{
	static struct kretprobe rp = { .kp.symbol_name = "preempt_schedule_notrace" };
	int ret = IS_ENABLED(CONFIG_PREEMPTION) ? register_kretprobe(&rp) : -EINVAL;

	same("preempt_schedule_notrace cannot be hooked", -EINVAL, ret);
	if (!ret)
		unregister_kretprobe(&rp);
}

static void __init check_recursion(void)
{
	static struct fprobe fp = { .exit_handler = on_exit_calls };
	static struct fprobe changes = { .exit_handler = on_exit_changes };

	begin();
	if (add(&fp, fprobe_one)) {
		same("an exit handler calls the function", 22, fprobe_one(7));
		/* ftrace lets one pass, for the sake of interrupts. */
		check(seen.exits <= 2, "and is called for that no more than once");
		check(fp.nmissed > 0, "the next one counts as missed");
		del(&fp);
	}
	if (add(&changes, fprobe_one)) {
		same("an exit handler changes the returned value", 4711, fprobe_one(7));
		del(&changes);
	}
}

/*
 * Where RCU does not watch: at the entry of arch_cpu_idle(), and when irq_exit() returns.
 * On arm64 the one cannot be traced, and the other is not called.
 */
static unsigned long unwatched, left_idle;

static void on_entry_idle(struct fprobe *fp, unsigned long ip, struct pt_regs *regs, void *data)
{
	unwatched += !rcu_is_watching();
}

static void on_exit_idle(struct fprobe *fp, unsigned long ip, struct pt_regs *regs, void *data)
{
	unwatched += !rcu_is_watching();
	left_idle++;
}

static void __init check_idle(void)
{
	static struct fprobe entry = { .entry_handler = on_entry_idle };
	static struct fprobe leave = { .exit_handler = on_exit_idle };

	if (register_fprobe(&entry, "arch_cpu_idle", NULL))
		return;
	same("irq_exit() can be probed", 0, register_fprobe(&leave, "irq_exit", NULL));
	msleep(100);
	del(&leave);
	del(&entry);
	same("no handler is called while RCU does not watch", 0, unwatched);
	check(entry.nmissed > 0, "such an entry counts as missed");
	check(leave.nmissed * 10 < left_idle, "but not such a return");
}

/* The function is left by an fprobe that is gone by then. */
static struct fprobe vanishing = { .exit_handler = on_exit };

static noinline unsigned long fprobe_vanish(unsigned long x)
{
	asm volatile("" : "+r" (x) : : "memory");
	if (unregister_fprobe(&vanishing))
		x = 0;
	asm volatile("" : "+r" (x) : : "memory");
	return x + 1;
}

static void __init check_vanishing(void)
{
	begin();
	if (!add(&vanishing, fprobe_vanish))
		return;
	same("a function returns after its fprobe is gone", 8, fprobe_vanish(7));
	same("whose handler is not called", 0, seen.exits);
}

/* A function that never returns: its node comes back when the task is gone. */

static noinline void fprobe_dies(struct completion *done)
{
	kthread_complete_and_exit(done, 0);
}

static int dying(void *done)
{
	fprobe_dies(done);
	return 0;
}

static void __init check_dying(void)
{
	static struct fprobe fp = {
		.entry_handler = on_entry,
		.exit_handler = on_exit,
		.nr_maxactive = 1,
	};
	unsigned int i;

	begin();
	if (!add(&fp, fprobe_dies))
		return;
	for (i = 0; i < 3; i++) {
		DECLARE_COMPLETION_ONSTACK(done);

		if (IS_ERR(kthread_run(dying, &done, "fprobe-dying")))
			break;
		wait_for_completion(&done);
		msleep(200);	/* until it is reaped, after which ... */
		rcu_barrier();	/* ... a grace period passes */
	}
	same("a function that never returns is seen each time, with one node", 3, seen.entries);
	same("and no exit of it", 0, seen.exits);
	del(&fp);
}

/* Backtraces: who asks, and what has to be in there, one after the other */

static unsigned long entries[32];
static unsigned int nr_entries;
static enum { NOT, HERE, BY_REGS } tracing;	/* what handlers do */
static typeof(stack_trace_save_regs) *save_regs;	/* is not exported */

static void on_entry_trace(struct fprobe *fp, unsigned long ip, struct pt_regs *regs,
			   void *data)
{
	nr_entries = stack_trace_save(entries, ARRAY_SIZE(entries), 0);
}

static void on_exit_trace(struct fprobe *fp, unsigned long ip, struct pt_regs *regs,
			  void *data)
{
	if (tracing == BY_REGS)
		nr_entries = save_regs(regs, entries, ARRAY_SIZE(entries), 0);
	else if (tracing == HERE)
		nr_entries = stack_trace_save(entries, ARRAY_SIZE(entries), 0);
}

static int on_kretprobe_trace(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	on_exit_trace(NULL, 0, regs, NULL);
	return 0;
}

static noinline void fprobe_traced(bool inside)
{
	asm volatile("" : : : "memory");
	if (inside)
		nr_entries = stack_trace_save(entries, ARRAY_SIZE(entries), 0);
	asm volatile("" : : : "memory");
}

static noinline void fprobe_caller(bool inside)
{
	fprobe_traced(inside);
	barrier();
}

static noinline void fprobe_outer(bool inside)
{
	fprobe_caller(inside);
	barrier();
}

static void name_of(unsigned long addr, char *buf, size_t size)
{
	snprintf(buf, size, "%ps", (void *)(addr - 1));
	buf[strcspn(buf, " ")] = '\0';
}

/* fprobe_caller and fprobe_outer follow each other, and fprobe_traced if @traced. */
static void __init check_trace(const char *what, bool traced)
{
	static const char *const expected[] = { "fprobe_traced", "fprobe_caller", "fprobe_outer" };
	unsigned int i, next = traced ? 0 : 1, prev = 0;
	char name[KSYM_NAME_LEN + 32];
	bool ok = true;

	for (i = 0; i < nr_entries && next < ARRAY_SIZE(expected); i++) {
		name_of(entries[i], name, sizeof(name));
		if (!strcmp(name, expected[next])) {
			/* They have to be neighbours. */
			ok &= next == (traced ? 0 : 1) || i == prev + 1;
			prev = i;
			next++;
		}
	}
	ok &= next == ARRAY_SIZE(expected);
	check(ok, what);
	for (i = 0; !ok && i < nr_entries; i++)
		pr_err("  %pSb\n", (void *)entries[i]);
	nr_entries = 0;
}

static void __init check_traces(void)
{
	static struct fprobe entry = { .entry_handler = on_entry_trace };
	static struct fprobe exit = { .exit_handler = on_exit_trace };
	static struct fprobe caller = { .exit_handler = on_exit };
	static struct kretprobe rp = {
		.handler = on_kretprobe_trace,
		.kp.symbol_name = "fprobe_traced",
	};
	static struct kprobe find = { .symbol_name = "stack_trace_save_regs" };
	char name[KSYM_NAME_LEN + 32];

	if (!IS_ENABLED(CONFIG_ARCH_CORRECT_STACKTRACE_ON_KRETPROBE))
		return;

	if (register_kprobe(&find)) {
		check(false, "stack_trace_save_regs() is found");
		return;
	}
	save_regs = (void *)find.addr;
	unregister_kprobe(&find);

	if (add(&entry, fprobe_traced)) {
		fprobe_outer(false);
		/* On riscv only trampolines with the callsite's ops leave a frame record. */
		if (!IS_ENABLED(CONFIG_RISCV) || IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS))
			check_trace("a backtrace from an entry handler", true);
		nr_entries = 0;
		del(&entry);
	}
	if (!add(&exit, fprobe_traced) || !add(&caller, fprobe_caller))
		return;
	tracing = HERE;
	fprobe_outer(false);
	check_trace("a backtrace from an exit handler", false);
	tracing = BY_REGS;
	fprobe_outer(false);
	name_of(nr_entries ? entries[0] : 0, name, sizeof(name));
	check(!strcmp(name, "fprobe_caller"), "one by its registers begins with the caller");
	check_trace("and goes on with the caller's caller", false);
	tracing = NOT;
	fprobe_outer(true);
	check_trace("a backtrace from a function whose return is hooked", true);
	if (!register_kretprobe(&rp)) {
		fprobe_outer(true);
		check_trace("the same, hooked by a kretprobe, too", true);
		disable_fprobe(&exit);
		tracing = HERE;
		fprobe_outer(false);
		check_trace("a backtrace from the kretprobe's handler", false);
		tracing = NOT;
		unregister_kretprobe(&rp);
	} else {
		check(false, "register_kretprobe()");
	}
	del(&caller);
	del(&exit);
}

/* Several probes of each kind on one function */

static unsigned long kprobe_hits, kretprobe_hits, callers;

static int on_kprobe(struct kprobe *p, struct pt_regs *regs)
{
	kprobe_hits += !user_mode(regs);
	return 0;
}

static int on_kretprobe(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	kretprobe_hits += regs_return_value(regs) == 22;
	/* The trampoline is not in this module. */
	callers += within_module(get_kretprobe_retaddr(ri), THIS_MODULE) &&
		   instruction_pointer(regs) == get_kretprobe_retaddr(ri);
	return 0;
}

static void __init check_company(void)
{
	static struct fprobe fp[3] = {
		{ .entry_handler = on_entry },
		{ .exit_handler = on_exit },
		{ .entry_handler = on_entry, .exit_handler = on_exit,
		  .flags = FPROBE_FL_KPROBE_SHARED },
	};
	static struct kretprobe rp[2] = {
		{ .handler = on_kretprobe, .kp.symbol_name = "fprobe_one" },
		{ .handler = on_kretprobe, .kp.symbol_name = "fprobe_one" },
	};
	static struct kprobe kp = {
		.pre_handler = on_kprobe,
		.symbol_name = "fprobe_one",
	};
	unsigned long addrs[] = {
		(unsigned long)fprobe_deep,
		(unsigned long)fprobe_one,
	};
	unsigned int i;

	begin();
	if (!add(&fp[0], fprobe_one))
		return;
	if (register_fprobe_ips(&fp[1], addrs, ARRAY_SIZE(addrs)) ||
	    register_kretprobe(&rp[0]) || register_kretprobe(&rp[1]) ||
	    register_kprobe(&kp) || !add(&fp[2], fprobe_one)) {
		check(false, "six probes are registered");
		return;
	}
	same("six probes on a function", 22, fprobe_one(7));
	same("two fprobes at its entry", 2, seen.entries);
	same("two fprobes at its exit", 2, seen.exits);
	same("a kprobe", 1, kprobe_hits);
	same("two kretprobes", 2, kretprobe_hits);
	same("both know where the function returns to", 2, callers);
	fprobe_deep(2);
	same("an fprobe on several functions sees another one", 5, seen.exits);
	unregister_kprobe(&kp);
	unregister_kretprobe(&rp[0]);
	unregister_kretprobe(&rp[1]);
	for (i = 0; i < ARRAY_SIZE(fp); i++)
		del(&fp[i]);
}

static int __init fprobe_test_init(void)
{
	if (bench)
		return fprobe_bench(bench);
	if (!IS_ENABLED(CONFIG_FPROBE))
		return -EOPNOTSUPP;
	if (storm)
		return fprobe_storm(storm, rounds);

	check_handlers();
	check_missed();
	check_recursion();
	check_recursion_in_rethook();
	check_preempted();
	check_idle();
	check_vanishing();
	check_dying();
	check_traces();
	check_company();
	return failed ? -EIO : 0;
}
module_init(fprobe_test_init);

static void __exit fprobe_test_exit(void)
{
	fprobe_attach_exit();
}
module_exit(fprobe_test_exit);

MODULE_DESCRIPTION("Check fprobes and kretprobes");
MODULE_LICENSE("GPL");
