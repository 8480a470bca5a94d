// SPDX-License-Identifier: GPL-2.0
/*
 * Functions that are called like others: target_one() as one of callops_target.ko,
 * and version_proc_show() as one of the kernel.
 *
 *   echo 25 > /sys/module/callops_twin/parameters/one
 */

#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

static noinline void target_one(void)
{
	asm volatile("/* the other one */" : : : "memory");
}

static noinline void version_proc_show(void)
{
	asm volatile("/* another show */" : : : "memory");
}

static int twin_call(const char *val, const struct kernel_param *kp)
{
	void (*twin)(void) = kp->arg;
	unsigned int n;
	int ret;

	ret = kstrtouint(val, 0, &n);
	while (!ret && n--)
		twin();

	return ret;
}

static const struct kernel_param_ops twin_ops = {
	.set = twin_call,
};

module_param_cb(one, &twin_ops, target_one, 0200);
module_param_cb(show, &twin_ops, version_proc_show, 0200);

MODULE_DESCRIPTION("Functions that are called like others");
MODULE_LICENSE("GPL");
