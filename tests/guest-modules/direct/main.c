// SPDX-License-Identifier: GPL-2.0
/*
 * Direct calls: alone and together with other tracers, in any order
 *
 * Loading the module puts direct calls on a function of its own, which takes and
 * returns what a direct call must not spoil, and, if @addr is given, on the
 * function of the kernel there, which somebody calls while @calls is read. It
 * prints a line for each check and fails with EIO if any went wrong.
 *
 * The direct call of @addr stays until the module is unloaded.
 *
 * With @glob it does nothing but make a direct call of the functions of that name, which
 * may fail.
 */

#include <linux/atomic.h>
#include <linux/sched.h>
#include <linux/string.h>
#include "../checks.h"
#include "ftrace-direct-arm64.h"

#define CALLS	10

static unsigned long addr;
module_param(addr, ulong, 0444);
MODULE_PARM_DESC(addr, "Function of the kernel to have a direct call, too");

static char *glob;
module_param(glob, charp, 0444);
MODULE_PARM_DESC(glob, "Functions to have a direct call, and no checks");

static unsigned long nr_tramps;
module_param(nr_tramps, ulong, 0444);
MODULE_PARM_DESC(nr_tramps, "Address of ftrace_direct_func_count; allocations fail on request");

static unsigned long calls;
module_param(calls, ulong, 0644);
MODULE_PARM_DESC(calls, "How often that function made its direct call");

static unsigned int seen_one, seen_two, seen_ops, wrong_ip;

void direct_one(unsigned long ip);
void direct_two(unsigned long ip);
void direct_kernel(unsigned long ip);
void direct_tramp_one(void);
void direct_tramp_two(void);
void direct_tramp_kernel(void);

static noinline unsigned long
direct_tracee(unsigned long a, unsigned long b, unsigned long c,
	      unsigned long d, unsigned long e, unsigned long f,
	      unsigned long g, unsigned long h, unsigned long i)
{
	asm volatile("/* tracee */" : : : "memory");
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i;
}

/* What the trampolines call. They pass on where the function goes on. */
static void saw(unsigned long ip, unsigned int *count)
{
	if (ip - (unsigned long)direct_tracee > 32)
		wrong_ip++;
	(*count)++;
}

void direct_one(unsigned long ip) { saw(ip, &seen_one); }
void direct_two(unsigned long ip) { saw(ip, &seen_two); }
void direct_kernel(unsigned long ip) { calls++; }

DIRECT_TRAMP(direct_tramp_one, direct_one, "mov x0, x30\n");
DIRECT_TRAMP(direct_tramp_two, direct_two, "mov x0, x30\n");
DIRECT_TRAMP(direct_tramp_kernel, direct_kernel, "mov x0, x30\n");

#define ONE	((unsigned long)direct_tramp_one)
#define TWO	((unsigned long)direct_tramp_two)
#define TRACEE	((unsigned long)direct_tracee)

static void direct_tracer(unsigned long ip, unsigned long parent_ip,
			  struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	seen_ops++;
}

static struct ftrace_ops direct, kernel_direct, pair;
static struct ftrace_ops tracer = { .func = direct_tracer };
static struct ftrace_ops regs_tracer = {
	.func	= direct_tracer,
	.flags	= FTRACE_OPS_FL_SAVE_REGS,
};

/* A tracer that sends the call to another function, as modules do */
static noinline unsigned long direct_other(void)
{
	return 4711;
}

static void direct_redirector(unsigned long ip, unsigned long parent_ip,
			      struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	seen_ops++;
	instruction_pointer_set(ftrace_get_regs(fregs), (unsigned long)direct_other);
}

static struct ftrace_ops redirector = {
	.func	= direct_redirector,
	.flags	= FTRACE_OPS_FL_SAVE_REGS,
};
static struct ftrace_ops ipmodify = {
	.func	= direct_redirector,
	.flags	= FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_IPMODIFY,
};

static void __init check_ret(int ret, int want, const char *what)
{
	if (!check(ret == want, "%s", what))
		pr_err("  it returned %d, not %d\n", ret, want);
}

/* The tracee is called: is each called as often as it should be? */
static void __init check_calls(const char *what, bool one, bool two, bool ops)
{
	unsigned int wrong_sum = 0;
	bool good;

	seen_one = seen_two = seen_ops = wrong_ip = 0;
	for (unsigned long i = 0; i < CALLS; i++) {
		typeof(&direct_tracee) volatile func = direct_tracee;

		wrong_sum += func(i, 1, 2, 3, 4, 5, 6, 7, 8) != i + 240;
	}

	good = seen_one == one * CALLS && seen_two == two * CALLS &&
	       seen_ops == ops * CALLS && !wrong_ip && !wrong_sum;
	if (!check(good, "%s", what))
		pr_err("  calls of one %u, two %u, ops %u; wrong ip %u, wrong results %u\n",
		       seen_one, seen_two, seen_ops, wrong_ip, wrong_sum);
}

/* A tracer comes and goes while the direct call is there, and the reverse. */
static void __init check_with(struct ftrace_ops *ops, const char *what)
{
	pr_info("# beside an ops %s\n", what);
	check_ret(register_ftrace_function(ops), 0, "an ops joins the direct call");
	check_calls("both are called", true, false, true);
	check_ret(modify_ftrace_direct_multi(&direct, TWO), 0, "the direct call is changed");
	check_calls("the new one and the ops are called", false, true, true);
	check_ret(unregister_ftrace_direct_multi(&direct, TWO), 0, "the direct call leaves");
	check_calls("the ops is still called", false, false, true);
	check_ret(register_ftrace_direct_multi(&direct, ONE), 0, "a direct call joins the ops");
	check_calls("both are called", true, false, true);
	check_ret(unregister_ftrace_function(ops), 0, "the ops leaves");
	check_calls("the direct call is still called", true, false, false);
}

static void __init check_redirected(const char *what, bool one)
{
	typeof(&direct_tracee) volatile func = direct_tracee;
	unsigned long ret;

	seen_one = seen_ops = 0;
	ret = func(1, 1, 2, 3, 4, 5, 6, 7, 8);
	check(ret == 4711 && seen_ops == 1 && seen_one == one, "%s", what);
}

/* A tracer that changes where the call goes: is it heard beside a direct call? */
static void __init check_redirect(void)
{
	check_ret(register_ftrace_function(&redirector), 0, "an ops that sets the pc joins");
	check_redirected("the direct call is made, and the call is redirected", true);
	check_ret(unregister_ftrace_function(&redirector), 0, "it leaves");
	check_calls("the direct call is still called", true, false, false);
	check_ret(register_ftrace_function(&ipmodify), -EBUSY, "one with IPMODIFY is refused");
	check_calls("which changes nothing", true, false, false);
	check_ret(unregister_ftrace_direct_multi(&direct, ONE), 0, "the direct call leaves");
	check_ret(register_ftrace_function(&ipmodify), 0, "one with IPMODIFY is alone");
	check_redirected("the call is redirected", false);
	check_ret(register_ftrace_direct_multi(&direct, ONE), -EBUSY, "a direct call is refused");
	check_redirected("which changes nothing", false);
	check_ret(unregister_ftrace_function(&ipmodify), 0, "it leaves");
	check_ret(register_ftrace_direct_multi(&direct, ONE), 0, "a direct call is registered again");
	check_calls("and called", true, false, false);
}

#ifdef CONFIG_FAULT_INJECTION
/*
 * A direct call of one function, or of two, that is refused memory: at its first
 * allocation, at its second, and so on, until it needs no more. What is refused must
 * leave nothing: then another one is made, and the callsite is as before, and so is the
 * number of trampolines. A failure may also change nothing, as where a set is allocated.
 */
static void __init check_out_of_memory(bool two)
{
	unsigned int nth = 0, refused = 0, left, other = 0, changed = 0, lost = 0, busy = 0;
	int tramps = READ_ONCE(*(int *)nr_tramps), ret;
	u32 site[8];

	memcpy(site, (void *)(TRACEE - 16), sizeof(site));
	do {
		current->fail_nth = ++nth;
		ret = two ? register_ftrace_direct_multi(&pair, ONE) :
			    register_ftrace_direct(TRACEE, ONE);
		left = current->fail_nth;
		current->fail_nth = 0;
		if (!ret) {
			ret = two ? unregister_ftrace_direct_multi(&pair, ONE) :
				    unregister_ftrace_direct(TRACEE, ONE);
			other += !!ret;
		} else {
			refused++;
			other += ret != -ENOMEM;
		}
		changed += !!memcmp(site, (void *)(TRACEE - 16), sizeof(site));
		lost += READ_ONCE(*(int *)nr_tramps) != tramps;
		if (register_ftrace_direct_multi(&direct, TWO))
			busy++;
		else
			unregister_ftrace_direct_multi(&direct, TWO);
	} while (!left && nth < 100);

	pr_info("# %u of %u attempts without memory were refused\n", refused, nth);
	check(refused > 1 && left, "%s, no memory", two ? "two functions" : "one");
	check(!other, "nothing but -ENOMEM");
	check(!changed, "the callsite is as before each time");
	check(!lost, "no trampoline is left each time");
	check(!busy, "another one is made each time");
	check_calls("nobody is called", false, false, false);
}
#else
static void __init check_out_of_memory(bool two) { }
#endif

static int __init direct_init(void)
{
	int ret;

	if (glob) {
		ret = ftrace_set_filter(&kernel_direct, glob, strlen(glob), 1) ?:
		      register_ftrace_direct_multi(&kernel_direct,
						   (unsigned long)direct_tramp_kernel);
		if (ret)
			ftrace_free_filter(&kernel_direct);
		return ret;
	}

	check_calls("nobody is called at first", false, false, false);
	ret = ftrace_set_filter_ip(&direct, TRACEE, 0, 0) ?:
	      ftrace_set_filter_ip(&tracer, TRACEE, 0, 0) ?:
	      ftrace_set_filter_ip(&regs_tracer, TRACEE, 0, 0) ?:
	      ftrace_set_filter_ip(&redirector, TRACEE, 0, 0) ?:
	      ftrace_set_filter_ip(&ipmodify, TRACEE, 0, 0) ?:
	      ftrace_set_filter_ip(&pair, TRACEE, 0, 0) ?:
	      ftrace_set_filter_ip(&pair, (unsigned long)direct_other, 0, 0);
	if (!ret && addr)
		ret = ftrace_set_filter_ip(&kernel_direct, addr, 0, 0);
	check_ret(ret, 0, "filters are set");
	if (ret)
		goto out;

	ret = register_ftrace_direct_multi(&direct, ONE);
	check_ret(ret, 0, "a direct call is registered");
	if (ret)
		goto out;
	check_calls("it is called", true, false, false);
	check_ret(modify_ftrace_direct_multi(&direct, TWO), 0, "it is changed");
	check_calls("the new one is called", false, true, false);
	check_ret(modify_ftrace_direct_multi(&direct, ONE), 0, "and changed back");
	check_calls("the old one is called", true, false, false);
	check_with(&tracer, "");
	check_with(&regs_tracer, "with all registers");
	check_redirect();
	check_ret(register_ftrace_direct(TRACEE, TWO), -EBUSY, "there can be only one");
	check_ret(unregister_ftrace_direct_multi(&direct, ONE), 0, "it is unregistered");
	check_calls("nobody is called", false, false, false);

	check_ret(register_ftrace_direct(TRACEE, TWO), 0, "one by address is registered");
	check_calls("it is called", false, true, false);
	check_ret(register_ftrace_function(&tracer), 0, "an ops joins");
	check_calls("both are called", false, true, true);
	check_ret(modify_ftrace_direct(TRACEE, TWO, ONE), 0, "it is changed");
	check_calls("the new one and the ops are called", true, false, true);
	check_ret(unregister_ftrace_function(&tracer), 0, "the ops leaves");
	check_calls("the new one is called", true, false, false);
	check_ret(modify_ftrace_direct(TRACEE, ONE, TWO), 0, "it is changed back");
	check_calls("the old one is called", false, true, false);
	check_ret(unregister_ftrace_direct(TRACEE, TWO), 0, "it is unregistered");
	check_calls("nobody is called", false, false, false);

	if (nr_tramps) {
		check_out_of_memory(false);
		check_out_of_memory(true);
	}

	if (addr && !failed)
		check_ret(register_ftrace_direct_multi(&kernel_direct,
						       (unsigned long)direct_tramp_kernel),
			  0, "one on a function of the kernel is registered");
out:
	ftrace_free_filter(&tracer);
	ftrace_free_filter(&regs_tracer);
	ftrace_free_filter(&redirector);
	ftrace_free_filter(&ipmodify);
	ftrace_free_filter(&direct);
	ftrace_free_filter(&pair);
	return failed;
}
module_init(direct_init);

static void __exit direct_exit(void)
{
	if (addr || glob)
		unregister_ftrace_direct_multi(&kernel_direct,
					       (unsigned long)direct_tramp_kernel);
	ftrace_free_filter(&kernel_direct);
}
module_exit(direct_exit);

MODULE_DESCRIPTION("Check direct calls");
MODULE_LICENSE("GPL");
