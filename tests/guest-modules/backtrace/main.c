// SPDX-License-Identifier: GPL-2.0
/*
 * Is a backtrace from within a tracer as it should be? It has to have the
 * traced function, then its caller, then the caller's caller: each of them once,
 * and in that order, with nothing of the three skipped because the tracer was
 * called before the traced function could make its stack frame.
 *
 * Loading the module checks that for one ops, for one with each of the flags
 * that change how it is called, and for two ops on one function. It prints a
 * line for each and fails with EIO if any went wrong. Loaded, it does nothing.
 */

#include <linux/kallsyms.h>
#include <linux/stacktrace.h>
#include <linux/string.h>
#include "../checks.h"

#define MAX_ENTRIES	32

static unsigned long entries[MAX_ENTRIES];
static unsigned int nr_entries;
static unsigned int nr_calls;

DEFINE_TRACEE(backtrace_tracee)

static noinline void backtrace_caller(void)
{
	backtrace_tracee();
	barrier();
}

static noinline void backtrace_outer(void)
{
	backtrace_caller();
	asm volatile("/* outer */" : : : "memory");
}

static void backtrace_tracer(unsigned long ip, unsigned long parent_ip,
			     struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	nr_entries = stack_trace_save(entries, MAX_ENTRIES, 0);
	nr_calls++;
}

/*
 * Each check has ops of its own: once its filter is freed, an ops cannot be
 * used again.
 */
static struct {
	const char *what;
	struct ftrace_ops ops;
	struct ftrace_ops other;	/* if it has a function */
} checks[] = {
	{
		.what = "one ops",
		.ops = { .func = backtrace_tracer },
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_REGS
	}, {
		.what = "one ops, SAVE_REGS",
		.ops = {
			.func = backtrace_tracer,
			.flags = FTRACE_OPS_FL_SAVE_REGS,
		},
#endif
	}, {
		.what = "one ops, RECURSION",
		.ops = {
			.func = backtrace_tracer,
			.flags = FTRACE_OPS_FL_RECURSION,
		},
	}, {
		.what = "one ops, RCU",
		.ops = {
			.func = backtrace_tracer,
			.flags = FTRACE_OPS_FL_RCU,
		},
	}, {
		.what = "two ops",
		.ops = { .func = backtrace_tracer },
		.other = { .func = trace_nothing },
	},
};

static const char * const expected[] = {
	"backtrace_tracee",
	"backtrace_caller",
	"backtrace_outer",
};

/* The function that @addr is in, or returns to, without the module's name. */
static void __init name_of(unsigned long addr, char *buf, size_t size)
{
	snprintf(buf, size, "%ps", (void *)(addr - 1));
	buf[strcspn(buf, " ")] = '\0';
}

static void __init check_entries(const char *what)
{
	unsigned int found = 0, repeated = 0, prev = 0;
	char name[KSYM_NAME_LEN + 32];

	for (unsigned int i = 0; i < nr_entries; i++) {
		name_of(entries[i], name, sizeof(name));

		if (found < ARRAY_SIZE(expected) &&
		    !strcmp(name, expected[found])) {
			/* The three have to be neighbours. */
			if (found && i != prev + 1)
				break;
			prev = i;
			found++;
		} else if (found && !strncmp(name, "backtrace_", 10)) {
			/* backtrace_init() may well follow, but none twice. */
			for (unsigned int j = 0; j < found; j++)
				repeated += !strcmp(name, expected[j]);
		}
	}

	if (check(nr_calls == 1 && found == ARRAY_SIZE(expected) && !repeated,
		  "%s: %u calls, %u of %zu functions found, %u repeated",
		  what, nr_calls, found, ARRAY_SIZE(expected), repeated))
		return;
	for (unsigned int i = 0; i < nr_entries; i++)
		pr_err("  %pSb\n", (void *)entries[i]);
}

static void __init check_one(const char *what, struct ftrace_ops *ops, struct ftrace_ops *other)
{
	int ret;

	nr_entries = 0;
	nr_calls = 0;

	ret = trace(ops, backtrace_tracee);
	if (!ret && other->func) {
		ret = trace(other, backtrace_tracee);
		if (ret)
			untrace(ops);
	}
	if (ret) {
		check(false, "%s: registering failed: %d", what, ret);
		return;
	}

	backtrace_outer();

	if (other->func)
		untrace(other);
	untrace(ops);
	check_entries(what);
}

static int __init backtrace_init(void)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(checks); i++)
		check_one(checks[i].what, &checks[i].ops, &checks[i].other);

	return failed;
}
module_init(backtrace_init);
NOTHING_TO_UNDO();

MODULE_DESCRIPTION("Check backtraces through a traced function");
MODULE_LICENSE("GPL");
