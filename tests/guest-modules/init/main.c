// SPDX-License-Identifier: GPL-2.0
/*
 * Tracers on a function that is there for the time of init only, and lies where
 * such functions do: an allocation of its own, that may be far from the rest of
 * the module.
 *
 * Loading the module prints how far, calls its init function under tracers of its
 * own, prints a line for each, and fails with EIO if any went wrong.
 */

#define pr_fmt(fmt)	KBUILD_MODNAME ": " fmt

#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/sizes.h>
#ifdef INIT_DIRECT
#include "ftrace-direct-arm64.h"
#endif

#define CALLS	10

static unsigned int seen;
static int failed;

/* What does not fit in the hole that the module's text and data may lie in */
static char room[SZ_1M] __initdata;

static noinline unsigned long __init init_tracee(unsigned long x)
{
	asm volatile("/* init */" : : "r" (room) : "memory");
	return x + 1;
}

static noinline void init_other(void)
{
	asm volatile("/* other */" : : : "memory");
}

static void init_tracer(unsigned long ip, unsigned long parent_ip,
			struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	seen++;
}

static struct ftrace_ops plain = { .func = init_tracer };
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_REGS
static struct ftrace_ops regs = {
	.func	= init_tracer,
	.flags	= FTRACE_OPS_FL_SAVE_REGS,
};
#endif

static void __init check_calls(const char *what, unsigned int expected)
{
	unsigned int wrong = 0, calls;

	/* The compiler knows of no way from the function to the tracers. */
	WRITE_ONCE(seen, 0);
	for (unsigned long i = 0; i < CALLS; i++)
		wrong += init_tracee(i) != i + 1;
	calls = READ_ONCE(seen);

	if (calls == expected && !wrong) {
		pr_info("ok - %s\n", what);
		return;
	}
	pr_err("not ok - %s: %u calls seen, not %u; %u wrong results\n", what, calls,
	       expected, wrong);
	failed = -EIO;
}

static void __init check_ops(struct ftrace_ops *ops, const char *what)
{
	int ret;

	ret = ftrace_set_filter_ip(ops, (unsigned long)init_tracee, 0, 0);
	if (!ret)
		ret = register_ftrace_function(ops);
	if (ret) {
		pr_err("not ok - %s: registering failed: %d\n", what, ret);
		failed = ret;
		return;
	}
	check_calls(what, CALLS);
	ret = unregister_ftrace_function(ops);
	if (ret) {
		pr_err("not ok - %s: unregistering failed: %d\n", what, ret);
		failed = ret;
	}
	ftrace_free_filter(ops);
}

#ifdef INIT_DIRECT
void init_direct(void);
void init_direct_tramp(void);
void init_direct(void) { seen++; }
DIRECT_TRAMP(init_direct_tramp, init_direct, "");

static struct ftrace_ops direct;

static void __init check_direct(void)
{
	int ret;

	ret = ftrace_set_filter_ip(&direct, (unsigned long)init_tracee, 0, 0);
	if (!ret)
		ret = register_ftrace_direct_multi(&direct, (unsigned long)init_direct_tramp);
	if (ret) {
		pr_err("not ok - a direct call: registering failed: %d\n", ret);
		failed = ret;
		return;
	}
	check_calls("a direct call", CALLS);
	ret = unregister_ftrace_direct_multi(&direct, (unsigned long)init_direct_tramp);
	if (ret) {
		pr_err("not ok - a direct call: unregistering failed: %d\n", ret);
		failed = ret;
	}
	ftrace_free_filter(&direct);
}
#else
static void __init check_direct(void) { }
#endif

static int __init init_init(void)
{
	pr_info("distance %ld\n", (long)init_tracee - (long)init_other);

	check_calls("no tracer of the module's own", 0);
	check_ops(&plain, "an ops");
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_REGS
	check_ops(&regs, "an ops that wants all registers");
#endif
	check_direct();
	init_other();

	return failed;
}
module_init(init_init);

static void __exit init_exit(void)
{
}
module_exit(init_exit);

MODULE_DESCRIPTION("Check tracers on a function of a module's init text");
MODULE_LICENSE("GPL");
