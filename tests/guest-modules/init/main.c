// SPDX-License-Identifier: GPL-2.0
/*
 * Tracers on a function that is there for the time of init only, and lies where
 * such functions do: an allocation of its own, that may be far from the rest of
 * the module.
 *
 * Loading the module prints how far, calls its init function under tracers of its
 * own, prints a line for each, and fails with EIO if any went wrong.
 */

#include <linux/init.h>
#include <linux/sizes.h>
#include "../checks.h"
#ifdef INIT_DIRECT
#include "ftrace-direct-arm64.h"
#endif

#define CALLS	10

static unsigned int seen;

/* What does not fit in the hole that the module's text and data may lie in */
static char room[SZ_1M] __initdata;

static noinline unsigned long __init init_tracee(unsigned long x)
{
	asm volatile("/* init */" : : "r" (room) : "memory");
	return x + 1;
}

DEFINE_TRACEE(init_other)

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

	check(calls == expected && !wrong, "%s: %u calls seen, %u expected; %u wrong results",
	      what, calls, expected, wrong);
}

static void __init check_ops(struct ftrace_ops *ops, const char *what)
{
	int ret = trace(ops, init_tracee);

	if (ret) {
		check(false, "%s: registering failed: %d", what, ret);
		return;
	}
	check_calls(what, CALLS);
	untrace(ops);
}

#ifdef INIT_DIRECT
void init_direct(void);
void init_direct_tramp(void);
void init_direct(void) { seen++; }
DIRECT_TRAMP(init_direct_tramp, init_direct, "");

static struct ftrace_ops direct;

static void __init check_direct(void)
{
	unsigned long tramp = (unsigned long)init_direct_tramp;
	int ret = ftrace_set_filter_ip(&direct, (unsigned long)init_tracee, 0, 0) ?:
		  register_ftrace_direct_multi(&direct, tramp);

	if (!ret) {
		check_calls("a direct call", CALLS);
		ret = unregister_ftrace_direct_multi(&direct, tramp);
	}
	if (ret)
		check(false, "a direct call: registering or unregistering failed: %d", ret);
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

NOTHING_TO_UNDO();

MODULE_DESCRIPTION("Check tracers on a function of a module's init text");
MODULE_LICENSE("GPL");
