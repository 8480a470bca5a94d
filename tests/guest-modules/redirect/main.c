// SPDX-License-Identifier: GPL-2.0
/*
 * A tracer that has all registers, and that sends the call elsewhere
 *
 * That is what FTRACE_OPS_FL_SAVE_REGS with FTRACE_OPS_FL_IPMODIFY is for, and
 * what modules outside of the kernel use to replace a function. A function is
 * called here with a known value in every register. What the tracer sees in its
 * pt_regs, what the function finds that is called in the end, and what the
 * caller has in its registers afterwards are then compared with those values.
 *
 * Loading the module runs the checks, prints a line for each, and fails with
 * EIO if any went wrong. Loaded, it does nothing.
 */

#include <linux/ptrace.h>
#include <linux/string.h>
#include "../checks.h"
#include "redirect.h"

#define OLD_RETURNS	0x4f4cUL
#define NEW_RETURNS	0x4e45UL

/* What call_new() was given. Not static: assembly stores to it. */
struct call_regs new_regs;

static unsigned long old_args[CALL_NR_ARGS];
static bool old_called;

static noinline unsigned long
redirect_old(unsigned long a0, unsigned long a1, unsigned long a2,
	     unsigned long a3, unsigned long a4, unsigned long a5,
	     unsigned long a6, unsigned long a7)
{
	const unsigned long args[CALL_NR_ARGS] = {
		a0, a1, a2, a3, a4, a5, a6, a7
	};

	memcpy(old_args, args, sizeof(args));
	old_called = true;
	return OLD_RETURNS;
}

/* What the tracer is to do, and what it saw. */
static bool do_redirect;
static bool do_change_arg;
static struct pt_regs seen;
static unsigned long seen_parent;
static unsigned int seen_calls;

#define CHANGED_ARG	0x636861UL

static void redirect_tracer(unsigned long ip, unsigned long parent_ip,
			    struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct pt_regs *regs = ftrace_get_regs(fregs);

	seen_calls++;
	seen_parent = parent_ip;
	if (!regs)
		return;
	seen = *regs;

	if (do_change_arg)
		call_set_arg(regs, 0, CHANGED_ARG);
	if (do_redirect)
		instruction_pointer_set(regs, (unsigned long)call_new);
}

#define REDIRECT_FLAGS	(FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_IPMODIFY)

static struct ftrace_ops redirect_ops = {
	.func = redirect_tracer,
	.flags = REDIRECT_FLAGS,
};

/* A second one that may change the pc, which has to be refused. */
static struct ftrace_ops rival_ops = {
	.func = trace_nothing,
	.flags = REDIRECT_FLAGS,
};

/* One that does not, and one that does not even want registers. */
static struct ftrace_ops regs_ops = {
	.func = trace_nothing,
	.flags = FTRACE_OPS_FL_SAVE_REGS,
};

static struct ftrace_ops plain_ops = {
	.func = trace_nothing,
};

static unsigned int __init
compare(const char *what, const struct call_regs *want,
	const struct call_regs *have, unsigned long mask)
{
	unsigned int wrong = 0;

	for (int i = 0; i < CALL_NR_REGS; i++) {
		if (!(mask & BIT(i)) || want->r[i] == have->r[i])
			continue;
		pr_err("  register %d %s: %#lx, expected %#lx\n",
		       i, what, have->r[i], want->r[i]);
		wrong++;
	}

	return wrong;
}

static unsigned int __init expect(const char *what, bool good)
{
	if (good)
		return 0;

	pr_err("  not so: %s\n", what);
	return 1;
}

static void __init check_call(const char *what, bool traced, bool redirect,
			      bool change_arg)
{
	struct call_regs in, in_changed, pt, out, old;
	unsigned int wrong = 0;

	memset(&seen, 0, sizeof(seen));
	memset(&new_regs, 0, sizeof(new_regs));
	memset(&out, 0, sizeof(out));
	memset(&old, 0, sizeof(old));
	memset(&pt, 0, sizeof(pt));
	memset(old_args, 0, sizeof(old_args));
	seen_calls = 0;
	old_called = false;
	do_redirect = redirect;
	do_change_arg = change_arg;

	for (int i = 0; i < CALL_NR_REGS; i++)
		in.r[i] = 0x5a00000000000000UL | i << 16 | (i + 1);

	call_with_regs((void (*)(void))redirect_old, &in, &out);

	in_changed = in;
	if (change_arg)
		in_changed.r[0] = CHANGED_ARG;

	/* The function that ran */
	if (redirect) {
		wrong += expect("the new function ran", out.r[0] == NEW_RETURNS);
		wrong += expect("the old function did not", !old_called);
		wrong += compare("in the new function", &in_changed, &new_regs,
				 CALL_ARGS | CALL_SAVED | BIT(CALL_REG_LR) |
				 BIT(CALL_REG_SP));
	} else {
		wrong += expect("the old function ran", out.r[0] == OLD_RETURNS);
		wrong += expect("it says so", old_called);
		memcpy(old.r, old_args, sizeof(old_args));
		wrong += compare("in the old function", &in_changed, &old,
				 GENMASK(CALL_NR_ARGS - 1, 0));
	}

	/* The caller */
	wrong += compare("after the call", &in, &out,
			 CALL_SAVED | BIT(CALL_REG_SP));

	/* The tracer */
	wrong += expect("the tracer was called as often as the function",
			seen_calls == traced);
	if (traced) {
		for (int i = 0; i < CALL_NR_REGS; i++)
			pt.r[i] = call_pt_reg(&seen, i);
		wrong += compare("in the tracer", &in, &pt, CALL_SEEN);
		wrong += expect("parent_ip is where the function returns to",
				seen_parent == in.r[CALL_REG_LR]);
		wrong += expect("pt_regs' pc is in the function, at its start",
				instruction_pointer(&seen) -
				(unsigned long)redirect_old <= 16);
	}

	check(!wrong, "%s", what);
}

static void __init check_beside(const char *what, struct ftrace_ops *ops)
{
	int ret = trace(ops, redirect_old);

	if (ret) {
		check(false, "%s: registering failed: %d", what, ret);
		return;
	}
	check_call(what, true, true, false);
	untrace(ops);
}

/* One that stays on a function of the kernel, and leaves all as it is */
static char *hold;
module_param(hold, charp, 0);

static struct ftrace_ops hold_ops = {
	.func = trace_nothing,
	.flags = REDIRECT_FLAGS | FTRACE_OPS_FL_RECURSION,
};

static int __init redirect_init(void)
{
	int ret;

	if (hold) {
		ret = ftrace_set_filter(&hold_ops, hold, strlen(hold), 1);
		return ret ?: register_ftrace_function(&hold_ops);
	}

	check_call("not traced", false, false, false);
	ret = trace(&redirect_ops, redirect_old);
	if (ret) {
		check(false, "registering with SAVE_REGS and IPMODIFY: %d", ret);
		return ret;
	}

	check_call("traced, and nothing changed", true, false, false);
	check_call("an argument changed", true, false, true);
	check_call("sent to another function", true, true, false);
	check_call("sent to another function with another argument", true, true, true);
	check_beside("sent on, beside an ops without registers", &plain_ops);
	check_call("sent on, alone again", true, true, false);
	check_beside("sent on, beside an ops with registers", &regs_ops);

	ret = trace(&rival_ops, redirect_old);
	if (!ret)
		untrace(&rival_ops);
	check(ret == -EBUSY, "a second IPMODIFY ops is refused: %d", ret);
	check_call("sent on, after that", true, true, false);

	untrace(&redirect_ops);
	check_call("not traced any more", false, false, false);
	return failed;
}
module_init(redirect_init);

static void __exit redirect_exit(void)
{
	if (hold)
		untrace(&hold_ops);
}
module_exit(redirect_exit);

MODULE_DESCRIPTION("Check a tracer that sees and changes all registers");
MODULE_LICENSE("GPL");
