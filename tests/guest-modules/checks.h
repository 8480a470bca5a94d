/* SPDX-License-Identifier: GPL-2.0 */
/* The modules here that make checks, and print a line for each, share this. */
#ifndef CALLOPS_CHECKS_H
#define CALLOPS_CHECKS_H

#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/module.h>
#include <linux/printk.h>

/* A header that was included before may have another one */
#undef pr_fmt
#define pr_fmt(fmt)	KBUILD_MODNAME ": " fmt

/* A function to trace, with a body that no compiler can take for another one */
#define DEFINE_TRACEE(name)						\
	static noinline __aligned(32) void name(void)			\
	{								\
		asm volatile("/* " #name " */" : : : "memory");		\
	}

static int failed __maybe_unused;	/* what the module's init function returns */

/* Is @good so? The rest is a format, and says what is checked. */
#define check(good, fmt, ...) ({					\
	bool __good = (good);						\
									\
	if (__good) {							\
		pr_info("ok - " fmt "\n", ##__VA_ARGS__);		\
	} else {							\
		pr_err("not ok - " fmt "\n", ##__VA_ARGS__);		\
		failed = -EIO;						\
	}								\
	__good;								\
})

static inline int trace(struct ftrace_ops *ops, void *func)
{
	int ret = ftrace_set_filter_ip(ops, (unsigned long)func, 0, 1);

	if (!ret)
		ret = register_ftrace_function(ops);
	if (ret)
		ftrace_free_filter(ops);
	return ret;
}

static inline void untrace(struct ftrace_ops *ops)
{
	WARN_ON_ONCE(unregister_ftrace_function(ops));
	ftrace_free_filter(ops);
}

static inline void trace_nothing(unsigned long ip, unsigned long parent_ip,
				 struct ftrace_ops *op, struct ftrace_regs *fregs)
{
}

/* For a module that has nothing to do when it is unloaded, but can be */
#define NOTHING_TO_UNDO()						\
	static void __exit nothing_to_undo(void) { }			\
	module_exit(nothing_to_undo)

#endif
