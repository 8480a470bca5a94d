// SPDX-License-Identifier: GPL-2.0
/*
 * Functions with arguments in registers and on the stack, of many sizes:
 *
 *   echo 2 > /sys/module/callops_args/parameters/call
 *
 * calls function 2. "calls" counts the calls that reached a function, "wrong" the
 * arguments and, unless the function was not reached, the return values that were
 * not what they should be, and "returned" has the last return value.
 */

#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>

#include "args.h"

static int args_returned;

module_param_named(calls, args_calls, uint, 0600);
module_param_named(wrong, args_wrong, uint, 0600);
module_param_named(returned, args_returned, int, 0400);

#define V8	V(1), V(2), V(3), V(4), V(5), V(6), V(7), V(8)
#define PAIR(n)	((struct pair){ V(n), V((n) + 1) })
#define EIGHT(n) ((struct eight){ (u32)V(n), V(n) >> 32 })
#define TWELVE(n) ((struct twelve){ V(n), (u32)V((n) + 1) })

static int call(unsigned int nr)
{
	switch (nr) {
	case 0: return args_nine(V8, V(9));
	case 1: return args_eleven(V8, V(9), V(10), V(11));
	case 2: return args_twelve(V8, V(9), V(10), V(11), V(12));
	case 3: return args_task(V8, V(9), current);
	case 4: return args_structs((struct four){ (u32)V(1) }, EIGHT(2), TWELVE(3), V(5));
	case 5: return args_pair(V(1), PAIR(2), V(4));
	case 6: return args_spill(V(1), V(2), V(3), V(4), V(5), V(6), V(7), PAIR(8), V(10));
	case 7: return args_below(PAIR(1), PAIR(3), PAIR(5), PAIR(7), V(9), PAIR(10), EIGHT(12),
				  TWELVE(13), V(15));
	case 8: return args_wide(V(1), V128(2), V(4), V128(5), V(7));
	case 9: return args_wide_below(V8, V(9), V128(10), V(12));
	case 10: return args_wide_spill(V(1), V(2), V(3), V(4), V(5), V(6), V(7), V128(8));
	case 11: return args_pairs(PAIR(1), PAIR(3), PAIR(5), PAIR(7), PAIR(9), PAIR(11), PAIR(13),
				   PAIR(15), PAIR(17), PAIR(19), PAIR(21), PAIR(23));
	case 12: return args_open(V(1), (struct open){ V(2) }, V(4));
	case 13: return args_open_even((struct open){ V(1) }, V(3));
	case 14: return args_hidden(V(1), (struct hidden){ V(2), V(3) }, V(4), V(5), V(6), V(7),
				    V(8), V(9));
	case 15: return args_returns(V(1)) == V128(2) ? RET(15) : 0;
	case 16: return args_hidden_few(V(1), (struct hidden){ V(2), V(3) }, V(4));
	}
	return -EINVAL;
}

static int args_set(const char *val, const struct kernel_param *kp)
{
	unsigned int nr, before = args_calls;
	int ret = kstrtouint(val, 0, &nr);

	if (ret)
		return ret;
	args_returned = call(nr);
	if (args_returned == -EINVAL)
		return -EINVAL;
	if (args_calls != before)
		args_wrong += args_returned != RET(nr);
	return 0;
}

static const struct kernel_param_ops args_ops = {
	.set = args_set,
};

module_param_cb(call, &args_ops, NULL, 0200);

MODULE_DESCRIPTION("Functions with many kinds of arguments");
MODULE_LICENSE("GPL");
