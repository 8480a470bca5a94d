// SPDX-License-Identifier: GPL-2.0
/*
 * Functions to trace, called as often as one asks, and by nobody else:
 *
 *   echo 25 > /sys/module/callops_target/parameters/one
 *
 * calls target_one() 25 times, after wait_ms milliseconds. Each parameter is a kind of
 * function: those that a compiler deems cold or makes small may be laid out unlike the others.
 */

#include <linux/compiler.h>
#include <linux/delay.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

#include "target.h"

#define MAX_CALLS	1000000U

/* The comments keep the bodies apart, so that no two are folded into one. */
static noinline void target_one(void)
{
	asm volatile("/* one */" : : : "memory");
}

static noinline void target_two(void)
{
	asm volatile("/* two */" : : : "memory");
}

/* Called by none but a cold function: what compilers infer to be cold, too. */
static noinline void target_inferred(void)
{
	asm volatile("/* inferred */" : : : "memory");
}

static noinline __cold void target_cold(void)
{
	asm volatile("/* cold */" : : : "memory");
	target_inferred();
	barrier();
}

/* Returns two words, in two registers. */
struct target_words {
	unsigned long a, b;
};

static unsigned int wait_ms;
module_param(wait_ms, uint, 0600);

static unsigned int wrong_pairs;
module_param(wrong_pairs, uint, 0400);

static noinline struct target_words target_words(unsigned long a)
{
	struct target_words words = { a, ~a };

	OPTIMIZER_HIDE_VAR(words.a);
	return words;
}

static void target_pair(void)
{
	unsigned long a = wrong_pairs + 0x7061697200000000UL;
	struct target_words words = target_words(a);

	wrong_pairs += words.a != a || words.b != ~a;
}

static int target_call(const char *val, const struct kernel_param *kp)
{
	void (*target)(void) = kp->arg;
	unsigned int n;
	int ret;

	ret = kstrtouint(val, 0, &n);
	if (ret)
		return ret;
	if (n > MAX_CALLS)
		return -ERANGE;

	if (wait_ms)
		msleep(wait_ms);
	while (n--)
		target();

	return 0;
}

static const struct kernel_param_ops target_ops = {
	.set = target_call,
};

module_param_cb(one, &target_ops, target_one, 0200);
module_param_cb(two, &target_ops, target_two, 0200);
module_param_cb(cold, &target_ops, target_cold, 0200);
module_param_cb(pair, &target_ops, target_pair, 0200);
module_param_cb(size, &target_ops, target_size, 0200);

MODULE_DESCRIPTION("Functions to trace, called as often as one asks");
MODULE_LICENSE("GPL");
