// SPDX-License-Identifier: GPL-2.0
/*
 * Kprobes at the entry of a function: what their handlers see and may change
 *
 * Loading the module makes each check, prints a line for it, and fails with EIO if any
 * went wrong. ftrace=1 says that ftrace has to call these kprobes. With hold=1 there are no
 * checks: kprobes_old() has a kprobe until the module is unloaded, and each number that is
 * written to "calls" is how often it is called. With storm=MS probes come and go for so
 * long, and at least rounds=N times, see storm.c.
 */

#define pr_fmt(fmt)	KBUILD_MODNAME ": " fmt

#include <linux/compiler.h>
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/irq_work.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/stacktrace.h>
#include <linux/string.h>

#include "../redirect/redirect.h"
#include "kprobes.h"

static bool ftrace;
module_param(ftrace, bool, 0444);
MODULE_PARM_DESC(ftrace, "Has ftrace to call the kprobes?");

static bool fail;
module_param(fail, bool, 0444);
MODULE_PARM_DESC(fail, "Allocations fail on request");

static unsigned int storm;
module_param(storm, uint, 0444);
MODULE_PARM_DESC(storm, "For how many milliseconds probes come and go, in place of the checks");

static unsigned int rounds;
module_param(rounds, uint, 0444);
MODULE_PARM_DESC(rounds, "... and how often, at least");

static bool graph;
module_param(graph, bool, 0444);
MODULE_PARM_DESC(graph, "Does function_graph hook the functions' returns?");

static bool hold;
module_param(hold, bool, 0444);
MODULE_PARM_DESC(hold, "Keep one kprobe, in place of the checks");

#ifndef KPROBE_FLAG_KEEPS_SAVED
#define KPROBE_FLAG_KEEPS_SAVED	0
#endif

#define OLD_RETURNS	0x4f4cUL
#define NEW_RETURNS	0x4e45UL
#define ARGS		GENMASK(7, 0)
#define SAVED		GENMASK(28, 19)

struct call_regs new_regs;
static bool failed;

static bool check(bool ok, const char *what)
{
	if (ok)
		pr_info("ok - %s\n", what);
	else
		pr_err("not ok - %s\n", what);
	failed |= !ok;
	return ok;
}

static void same(const char *what, unsigned long expected, unsigned long got)
{
	if (!check(expected == got, what))
		pr_err("  expected %#lx, got %#lx\n", expected, got);
}

/* The functions */

static noinline unsigned long
kprobes_old(unsigned long a0, unsigned long a1, unsigned long a2, unsigned long a3,
	    unsigned long a4, unsigned long a5, unsigned long a6, unsigned long a7)
{
	register unsigned long x0 asm("x0") = a0;
	register unsigned long x1 asm("x1") = a1;
	register unsigned long x2 asm("x2") = a2;
	register unsigned long x3 asm("x3") = a3;
	register unsigned long x4 asm("x4") = a4;
	register unsigned long x5 asm("x5") = a5;
	register unsigned long x6 asm("x6") = a6;
	register unsigned long x7 asm("x7") = a7;
	register struct call_regs *to asm("x16") = &new_regs;

	asm volatile(
		"stp	x0, x1, [x16]\n"
		"stp	x2, x3, [x16, #16]\n"
		"stp	x4, x5, [x16, #32]\n"
		"stp	x6, x7, [x16, #48]\n"
		"stp	x19, x20, [x16, #8 * 19]\n"
		"stp	x21, x22, [x16, #8 * 21]\n"
		"stp	x23, x24, [x16, #8 * 23]\n"
		"stp	x25, x26, [x16, #8 * 25]\n"
		"stp	x27, x28, [x16, #8 * 27]\n"
		: : "r" (to), "r" (x0), "r" (x1), "r" (x2), "r" (x3), "r" (x4), "r" (x5),
		    "r" (x6), "r" (x7) : "memory");
	return OLD_RETURNS;
}

/* The compiler must not know that they change nothing which a handler may change. */
static unsigned long kprobes_two(unsigned long x);
static unsigned long kprobes_three(unsigned long x);
static typeof(kprobes_two) *volatile two_function = kprobes_two;
static typeof(kprobes_three) *volatile three_function = kprobes_three;

static noinline unsigned long kprobes_two(unsigned long x)
{
	asm volatile("" : "+r" (x) : : "memory");
	return 2 * x;
}

static noinline unsigned long kprobes_three(unsigned long x)
{
	x = two_function(x);
	asm volatile("" : "+r" (x) : : "memory");
	return x + 1;
}

static typeof(kprobes_old) *volatile old_function = kprobes_old;

static unsigned long call_old(void)
{
	return old_function(0, 1, 2, 3, 4, 5, 6, 7);
}

/*
 * Behind MOV X9, LR, or behind that and a BTI C: 4 or 8 bytes. Clang 16 aligns a function to
 * 4 bytes, whatever -falign-functions says, where it sees that four are read at its address.
 */
static unsigned long callsite_offset(void *func)
{
	OPTIMIZER_HIDE_VAR(func);
	return *(u32 *)func == 0xd503245f ? 8 : 4;
}

/* What a handler saw, and what it has to do */
static struct {
	unsigned long hits, posts;
	unsigned long post_pc;
	struct pt_regs regs;
	bool irqs, preemptible, rcu;
} seen;

static struct {
	unsigned long arg0, saved, post_arg0;	/* x0; x19 to x28; x0 in the post_handler */
	unsigned long pc, skip, post_pc;
	bool back;
	int ret;
} todo;

static void begin(void)
{
	memset(&seen, 0, sizeof(seen));
	memset(&todo, 0, sizeof(todo));
	memset(&new_regs, 0, sizeof(new_regs));
}

static int pre(struct kprobe *p, struct pt_regs *regs)
{
	unsigned int i;

	seen.hits++;
	seen.regs = *regs;
	seen.irqs |= !irqs_disabled();
	seen.preemptible |= preemptible();
	seen.rcu = rcu_is_watching();
	if (todo.arg0)
		regs->regs[0] = todo.arg0;
	for (i = 19; todo.saved && i <= 28; i++)
		regs->regs[i] = todo.saved + i;
	if (todo.pc)
		instruction_pointer_set(regs, todo.pc);
	if (todo.back)
		instruction_pointer_set(regs, procedure_link_pointer(regs));
	if (todo.skip)
		instruction_pointer_set(regs, instruction_pointer(regs) + todo.skip);
	return todo.ret;
}

static void post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	seen.posts++;
	seen.post_pc = instruction_pointer(regs);
	if (todo.post_arg0)
		regs->regs[0] = todo.post_arg0;
	if (todo.post_pc)
		instruction_pointer_set(regs, todo.post_pc);
}

/* Another one at the same address */
static unsigned long others;

static int other_pre(struct kprobe *p, struct pt_regs *regs)
{
	others++;
	return 0;
}

static bool add(struct kprobe *p)
{
	int ret;

	p->flags &= ~KPROBE_FLAG_DISABLED;	/* One that was unregistered is. */
	ret = register_kprobe(p);
	if (ret)
		pr_err("not ok - register_kprobe(): error %d\n", ret);
	failed |= ret;
	return !ret;
}

static void __init check_places(void)
{
	struct kprobe name = { .symbol_name = "kprobes_old", .pre_handler = pre };
	struct kprobe addr = { .addr = (void *)kprobes_old, .pre_handler = pre };
	struct kprobe site = { .addr = (void *)kprobes_old, .pre_handler = pre };
	struct kprobe later = { .addr = (void *)kprobes_old, .pre_handler = pre };
	struct kprobe *at[] = { &name, &addr };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(at); i++) {
		begin();
		if (!add(at[i]))
			continue;
		same("a kprobe at the entry: its address is the function's",
		     (unsigned long)kprobes_old, (unsigned long)at[i]->addr);
		same("... does ftrace call it?", ftrace, kprobe_ftrace(at[i]));
		same("... the function returns what it has to", OLD_RETURNS, call_old());
		same("... one hit", 1, seen.hits);
		unregister_kprobe(at[i]);
		call_old();
		same("... none afterwards", 1, seen.hits);
		name.addr = NULL;	/* or it has both */
		if (add(at[i])) {
			call_old();
			same("... it is registered once more", 2, seen.hits);
			unregister_kprobe(at[i]);
		}
		name.addr = NULL;
	}

	/* Without ftrace the callsite is refused. */
	begin();
	site.offset = callsite_offset(kprobes_old);
	if (!register_kprobe(&site)) {
		same("the address of the callsite stands for that of the function",
		     (unsigned long)kprobes_old, (unsigned long)site.addr);
		call_old();
		same("... one hit", 1, seen.hits);
		unregister_kprobe(&site);
	} else {
		check(!ftrace, "a kprobe at the callsite");
	}

	begin();
	later.offset = callsite_offset(kprobes_old) + 4;
	if (add(&later)) {
		same("a kprobe behind the callsite: its address", (unsigned long)kprobes_old +
		     callsite_offset(kprobes_old) + 4, (unsigned long)later.addr);
		check(!kprobe_ftrace(&later), "... ftrace does not call it");
		call_old();
		same("... one hit", 1, seen.hits);
		if (add(&addr)) {
			call_old();
			same("... and beside one at the entry, three", 3, seen.hits);
			unregister_kprobe(&addr);
		}
		unregister_kprobe(&later);
	}
}

/* One call of kprobes_old() with known registers */
static struct call_regs in, out;

static unsigned long call_known(void)
{
	unsigned int i;

	for (i = 0; i < CALL_NR_REGS; i++)
		in.r[i] = 0x5a00000000000000UL | i << 16 | (i + 1);
	call_with_regs((void (*)(void))kprobes_old, &in, &out);
	return out.r[0];
}

/* What pre() makes of these registers */
static struct call_regs changed(void)
{
	struct call_regs want = in;
	unsigned int i;

	if (todo.arg0)
		want.r[0] = todo.arg0;
	for (i = 19; todo.saved && i <= 28; i++)
		want.r[i] = todo.saved + i;
	return want;
}

/* Where a call goes is also a matter of who else traces the function. */
static unsigned long lr(void)
{
	return graph ? 0 : BIT(CALL_REG_LR);
}

static void compare(const char *what, const unsigned long *want, const unsigned long *have,
		    unsigned long mask)
{
	bool ok = true;
	unsigned int i;

	for (i = 0; i < CALL_NR_REGS; i++) {
		if (!(mask & BIT(i)) || want[i] == have[i])
			continue;
		pr_err("  register %u: %#lx, expected %#lx\n", i, have[i], want[i]);
		ok = false;
	}
	check(ok, what);
}

static void __init check_regs(void)
{
	static struct kprobe kp = {
		.addr = (void *)kprobes_old,
		.pre_handler = pre,
		.post_handler = post,
	};
	struct call_regs want;
	unsigned long flags, mode;

	begin();
	if (!add(&kp))
		return;

	same("registers: the function returns what it has to", OLD_RETURNS, call_known());
	compare("... what the handler sees", in.r, (unsigned long *)seen.regs.regs,
		ARGS | BIT(8) | SAVED | BIT(CALL_REG_FP) | BIT(CALL_REG_LR));
	same("... the stack pointer", in.r[CALL_REG_SP], seen.regs.sp);
	same("... the pc is the address of the kprobe", (unsigned long)kp.addr, seen.regs.pc);
	check(!user_mode(&seen.regs), "... not those of user space");
	mode = seen.regs.pstate & PSR_MODE_MASK;
	check(mode == PSR_MODE_EL1h || mode == PSR_MODE_EL2h, "... pstate has the kernel's mode");
	check(interrupts_enabled(&seen.regs), "... and interrupts that are not masked");
	check(!seen.irqs, "the handler runs with interrupts masked");
	check(!seen.preemptible, "... without preemption");
	check(seen.rcu, "... and where RCU watches");
	compare("the function has them as well", in.r, new_regs.r, ARGS | SAVED);
	compare("... and its caller", in.r, out.r, SAVED | BIT(CALL_REG_FP) | BIT(CALL_REG_SP));
	same("the post_handler is called", 1, seen.posts);
	same("... with the pc behind the instruction", (unsigned long)kp.addr + 4, seen.post_pc);

	local_irq_save(flags);
	call_known();
	local_irq_restore(flags);
	check(!interrupts_enabled(&seen.regs),
	      "pstate, or the priority with pseudo-NMIs, where interrupts are masked");
	check(!irqs_disabled(), "they are not any more");
	raw_local_irq_save(flags);
	call_known();
	check(!IS_ENABLED(CONFIG_PROVE_LOCKING) || lockdep_hardirqs_enabled(),
	      "... and where lockdep does not know that they are");
	raw_local_irq_restore(flags);

	begin();
	todo.arg0 = 0x6368;
	todo.saved = 0x73617600;
	same("a handler changes registers", OLD_RETURNS, call_known());
	want = changed();
	compare("... the function has those", want.r, new_regs.r, ARGS | SAVED);
	compare("... and its caller", want.r, out.r, SAVED | BIT(CALL_REG_FP) | BIT(CALL_REG_SP));
	begin();
	call_known();
	compare("... and not the next time", in.r, new_regs.r, ARGS | SAVED);

	begin();
	todo.pc = (unsigned long)call_new;
	todo.ret = 1;
	todo.arg0 = 0x6368;
	todo.saved = 0x73617600;
	same("a handler sends the call to another function", NEW_RETURNS, call_known());
	compare("... which has the registers", want.r, new_regs.r,
		ARGS | BIT(8) | SAVED | BIT(CALL_REG_FP) | lr() | BIT(CALL_REG_SP));
	same("... no post_handler", 0, seen.posts);

	begin();
	todo.back = true;
	todo.ret = 1;
	todo.arg0 = 0x6368;
	same("a handler sends the call back to the caller", todo.arg0, call_known());
	same("... for each call", todo.arg0, call_known());
	same("... without the function", 0, new_regs.r[0]);

	begin();
	todo.pc = (unsigned long)call_new;
	same("a handler that returns 0 does not", OLD_RETURNS, call_known());
	same("... there is a post_handler", 1, seen.posts);

	/* With a breakpoint that is MOV X9, LR, which a traced function needs. */
	begin();
	todo.skip = 4;
	todo.ret = 1;
	if (ftrace) {
		same("a handler skips the instruction", OLD_RETURNS, call_known());
		same("... once", 1, seen.hits);
	}

	begin();
	todo.post_pc = (unsigned long)call_new;
	todo.post_arg0 = 0x706f;
	same("a post_handler sends the call to another function", NEW_RETURNS, call_known());
	want = in;
	want.r[0] = todo.post_arg0;
	compare("... which has the registers", want.r, new_regs.r,
		ARGS | BIT(8) | SAVED | BIT(CALL_REG_FP) | lr() | BIT(CALL_REG_SP));
	unregister_kprobe(&kp);
}

/* Several at one address */
static void __init check_several(void)
{
	static struct kprobe plain = {
		.addr = (void *)kprobes_old, .pre_handler = other_pre,
		.flags = KPROBE_FLAG_KEEPS_SAVED,
	};
	static struct kprobe posts = {
		.addr = (void *)kprobes_old, .pre_handler = pre, .post_handler = post,
	};
	struct kprobe *kp[] = { &plain, &posts };
	unsigned int first, last;
	struct call_regs want;

	for (first = 0; first < 2; first++) {
		for (last = 0; last < 2; last++) {
			begin();
			others = 0;
			if (!add(kp[first]))
				return;
			call_old();
			if (!add(kp[!first]))
				return;
			call_old();
			unregister_kprobe(kp[!last]);
			call_old();
			unregister_kprobe(kp[last]);
			call_old();
			same("two at one address: all hits of both", 4, others + seen.hits);
			same("... and of a post_handler", seen.hits, seen.posts);
			same("... of the one that came first and stayed", first == last ? 3 : 2,
			     first ? seen.hits : others);
		}
	}

	begin();
	others = 0;
	if (!add(&plain) || !add(&posts))
		return;
	todo.saved = 0x73617600;
	call_known();
	want = changed();
	compare("beside one that keeps the registers, the other one changes them", want.r,
		new_regs.r, ARGS | SAVED);

	begin();
	others = 0;
	disable_kprobe(&plain);
	call_old();
	same("one of two is disabled", 1, seen.hits);
	same("... and not hit", 0, others);
	disable_kprobe(&posts);
	call_old();
	same("both are", 1, seen.hits + others);
	enable_kprobe(&posts);
	call_old();
	enable_kprobe(&plain);
	call_old();
	same("they are enabled, one by one", 3, seen.hits);
	same("... all hits", 1, others);
	unregister_kprobe(&plain);
	unregister_kprobe(&posts);
	call_old();
	same("... and none afterwards", 4, seen.hits + others);
}

/* A handler that calls what has a kprobe: a miss for each of these */
static int pre_calls(struct kprobe *p, struct pt_regs *regs)
{
	seen.hits++;
	two_function(1);
	if (three_function(1) != 3)
		seen.posts++;
	return 0;
}

static void __init check_missed(void)
{
	static struct kprobe outer = { .addr = (void *)kprobes_old, .pre_handler = pre_calls };
	static struct kprobe two = { .addr = (void *)kprobes_two, .pre_handler = other_pre };
	static struct kprobe three = { .addr = (void *)kprobes_three, .pre_handler = other_pre };

	begin();
	others = 0;
	three.offset = callsite_offset(kprobes_three) + 4;
	if (!add(&outer) || !add(&two) || !add(&three))
		return;
	call_old();
	same("a handler calls what has kprobes: one hit", 1, seen.hits);
	same("... what is called returns what it has to", 0, seen.posts);
	same("... none of the others", 0, others);
	same("... which count misses, at the entry", 2, two.nmissed);
	same("... and behind it", 1, three.nmissed);
	three_function(1);
	same("... they are hit from elsewhere", 2, others);
	unregister_kprobe(&outer);
	unregister_kprobe(&two);
	unregister_kprobe(&three);
}

/* An interrupt comes while a handler runs, which has to wait. */
static void interrupt(struct irq_work *work)
{
	two_function(1);
}

static DEFINE_IRQ_WORK(irq_work, interrupt);

static int pre_irq(struct kprobe *p, struct pt_regs *regs)
{
	irq_work_queue(&irq_work);
	udelay(100);
	return 0;
}

static void __init check_irq(void)
{
	static struct kprobe outer = { .addr = (void *)kprobes_old, .pre_handler = pre_irq };
	static struct kprobe two = { .addr = (void *)kprobes_two, .pre_handler = other_pre };
	unsigned int i;

	others = 0;
	if (!add(&outer) || !add(&two))
		return;
	for (i = 0; i < 100; i++) {
		call_old();
		irq_work_sync(&irq_work);
	}
	same("an interrupt beside a handler: each hit of what it calls", 100, others);
	same("... none is missed", 0, two.nmissed);
	unregister_kprobe(&outer);
	unregister_kprobe(&two);
}

static unsigned long returns, right;

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	returns++;
	right += regs_return_value(regs) == OLD_RETURNS &&
		 within_module(get_kretprobe_retaddr(ri), THIS_MODULE) && !user_mode(regs);
	return 0;
}

static void __init check_returns(void)
{
	static struct kretprobe rp = { .handler = on_return, .kp.addr = (void *)kprobes_old };
	static struct kretprobe again = { .handler = on_return };
	static struct kprobe kp = { .addr = (void *)kprobes_old, .pre_handler = pre };

	begin();
	if (register_kretprobe(&rp)) {
		check(false, "register_kretprobe()");
		return;
	}
	same("a kretprobe: does ftrace call its kprobe?", ftrace, kprobe_ftrace(&rp.kp));
	same("... the function returns what it has to", OLD_RETURNS, call_known());
	compare("... its caller has its registers", in.r, out.r, SAVED | BIT(CALL_REG_FP) | BIT(CALL_REG_SP));
	if (add(&kp)) {
		call_known();
		same("... beside a kprobe", 1, seen.hits);
		todo.pc = (unsigned long)call_new;
		todo.ret = 1;
		same("... that sends the call elsewhere", NEW_RETURNS, call_known());
		unregister_kprobe(&kp);
	}
	again.kp.addr = rp.kp.addr;	/* as somebody who looks there for it */
	unregister_kretprobe(&rp);
	if (check(!register_kretprobe(&again), "... once more, by its address")) {
		call_old();
		unregister_kretprobe(&again);
	}
	call_old();
	same("... each return", 3, returns);
	same("... with what was returned, and to the caller", 3, right);
}

/* A tracer of the same function that sends the call elsewhere, before and after a kprobe */
static void redirect_tracer(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
			    struct ftrace_regs *fregs)
{
	instruction_pointer_set(ftrace_get_regs(fregs), (unsigned long)call_new);
}

static void __init check_redirect(void)
{
	static struct ftrace_ops ops[2] = {
		{ .func = redirect_tracer,
		  .flags = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_IPMODIFY },
		{ .func = redirect_tracer,
		  .flags = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_IPMODIFY },
	};
	static struct kprobe kp[2] = {
		{ .addr = (void *)kprobes_old, .pre_handler = pre, .post_handler = post },
		{ .addr = (void *)kprobes_old, .pre_handler = pre, .post_handler = post },
	};
	unsigned int i;

	for (i = 0; i < 2; i++) {
		begin();
		if (i && !add(&kp[i]))
			return;
		if (ftrace_set_filter_ip(&ops[i], (unsigned long)kprobes_old, 0, 1) ||
		    register_ftrace_function(&ops[i])) {
			check(false, "a tracer that redirects is registered");
			return;
		}
		if (!i && !add(&kp[i]))
			return;
		same("a tracer redirects, beside a kprobe with a post_handler", NEW_RETURNS,
		     call_known());
		same("... the kprobe is hit", 1, seen.hits);
		same("... and its post_handler", 1, seen.posts);
		same("... with its own pc", (unsigned long)kprobes_old, seen.regs.pc);
		compare("... the new function has the registers", in.r, new_regs.r,
			ARGS | BIT(8) | SAVED | BIT(CALL_REG_FP) | lr() | BIT(CALL_REG_SP));
		unregister_kprobe(&kp[i]);
		unregister_ftrace_function(&ops[i]);
		ftrace_free_filter(&ops[i]);
	}
}

/* Backtraces from a handler: where it is, and from its registers */
static unsigned long here[32], by_regs[32];
static unsigned int nr_here, nr_by_regs;
static typeof(stack_trace_save_regs) *save_regs;	/* is not exported */

static int pre_trace(struct kprobe *p, struct pt_regs *regs)
{
	nr_here = stack_trace_save(here, ARRAY_SIZE(here), 0);
	nr_by_regs = save_regs(regs, by_regs, ARRAY_SIZE(by_regs), 0);
	return 0;
}

static bool is(unsigned long addr, const char *func)
{
	char name[KSYM_NAME_LEN + 32];

	snprintf(name, sizeof(name), "%ps", (void *)addr);
	name[strcspn(name, " ")] = '\0';
	return !strcmp(name, func);
}

static noinline __noclone unsigned long kprobes_caller(unsigned long x)
{
	x = three_function(x);
	asm volatile("" : "+r" (x) : : "memory");
	return x;
}

static void __init check_traces(void)
{
	static struct kprobe find = { .symbol_name = "stack_trace_save_regs" };
	static struct kprobe kp = { .addr = (void *)kprobes_two, .pre_handler = pre_trace };
	bool ok = false;
	unsigned int i;

	if (!add(&find))
		return;
	/* As many a module does: what it calls is the function. */
	save_regs = (void *)find.addr;
	unregister_kprobe(&find);
	if (!add(&kp))
		return;
	barrier();
	kprobes_caller(1);
	unregister_kprobe(&kp);

	for (i = 0; i + 2 < nr_here; i++)
		ok |= is(here[i], "kprobes_two") && is(here[i + 1], "kprobes_three") &&
		      is(here[i + 2], "kprobes_caller");
	/* With a breakpoint the function has no frame yet. */
	if (!ftrace)
		ok = true;
	if (!check(ok, "a backtrace from a handler has the function and its callers"))
		for (i = 0; i < nr_here; i++)
			pr_err("  %pS\n", (void *)here[i]);
	same("one by its registers begins with the function", (unsigned long)kprobes_two,
	     nr_by_regs ? by_regs[0] : 0);
	check(nr_by_regs > 1 && is(by_regs[1], "kprobes_caller"), "and goes on with its caller's caller");
}

static struct kprobe held = { .addr = (void *)kprobes_old, .pre_handler = pre };

static int calls_set(const char *val, const struct kernel_param *param)
{
	unsigned int calls;
	int ret = kstrtouint(val, 10, &calls);

	while (!ret && calls--)
		if (call_old() != OLD_RETURNS)
			ret = -EIO;
	return ret;
}

static int hits_get(char *buf, const struct kernel_param *param)
{
	return sysfs_emit(buf, "%lu\n", seen.hits);
}

static const struct kernel_param_ops calls_ops = { .set = calls_set, .get = hits_get };
module_param_cb(calls, &calls_ops, NULL, 0600);

#ifdef CONFIG_FAILSLAB
/*
 * A kprobe that goes while memory is refused: at the first allocation, at the second, and so
 * on. It has to go, as its owner frees it, and whoever looks for kprobes would find it.
 */
static void __init check_out_of_memory(void)
{
	static struct kprobe kp = { .addr = (void *)kprobes_old, .pre_handler = pre };
	unsigned int nth = 0, left, hits = 0, late = 0;

	do {
		begin();
		if (!add(&kp))
			return;
		call_old();
		hits += seen.hits;
		current->fail_nth = ++nth;
		unregister_kprobe(&kp);
		left = current->fail_nth;
		current->fail_nth = 0;
		begin();
		call_old();
		late += seen.hits;
	} while (!left && nth < 100);
	pr_info("# %u attempts\n", nth);
	check(left, "a kprobe goes without memory");
	same("... each time it came it is hit", nth, hits);
	same("... and none once it went", 0, late);
}
#else
static void __init check_out_of_memory(void) { }
#endif

static int __init kprobes_init(void)
{
	if (hold)
		return register_kprobe(&held);
	if (storm)
		return kprobes_storm(storm, rounds);

	check_places();
	check_regs();
	check_several();
	check_missed();
	check_irq();
	check_returns();
	check_redirect();
	check_traces();
	if (fail)
		check_out_of_memory();
	return failed ? -EIO : 0;
}
module_init(kprobes_init);

static void __exit kprobes_exit(void)
{
	if (hold)
		unregister_kprobe(&held);
}
module_exit(kprobes_exit);

MODULE_DESCRIPTION("Check kprobes at the entry of functions");
MODULE_LICENSE("GPL");
