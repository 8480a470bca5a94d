// SPDX-License-Identifier: GPL-2.0
/*
 * Static calls: caller, trampoline and target in the kernel and in modules, in range of
 * a branch and out of it. Loading the module runs the checks, prints a line for each,
 * and fails with EIO if any went wrong; with @seconds, a storm; with @calls, it
 * measures instead; with @flips, it just updates.
 *
 * The kernel's trampoline is that of a tracepoint that nothing calls but what
 * suspends, the kernel's caller is sort().
 */

#include <linux/gcd.h>
#include <linux/kprobes.h>
#include <linux/sizes.h>
#include <linux/sort.h>
#include <trace/events/power.h>
#include "../checks.h"
#include "static.h"

static unsigned int seconds, calls;
module_param(seconds, uint, 0444);
MODULE_PARM_DESC(seconds, "How long the storm lasts");
module_param(calls, uint, 0444);
MODULE_PARM_DESC(calls, "Measure: so many calls");
static unsigned int flips;
module_param(flips, uint, 0444);
MODULE_PARM_DESC(flips, "Just change a target so often, out of range and back");
static unsigned long core;
module_param(core, ulong, 0444);
MODULE_PARM_DESC(core, "Measure: an empty function of the kernel, by its address");

#ifdef CONFIG_ARM64
/* Larger than the window for modules, so it lies behind the kernel, the peer before it */
static char fill[SZ_128M + SZ_4M] __used;
#else
static char fill[1] __used;
#endif

static int added;
static int own_add(int x) { added++; return x + 1; }
static int cmp(const void *a, const void *b) { return *(int *)a - *(int *)b; }
static int reverse(const void *a, const void *b) { return *(int *)b - *(int *)a; }

DEFINE_STATIC_CALL(own, own_add);
DEFINE_STATIC_CALL(own_cmp, cmp);
DEFINE_STATIC_CALL(own_gcd, gcd);
DEFINE_TRACE(callops_one, TP_PROTO(long a), TP_ARGS(a));
DEFINE_TRACE(callops_two, TP_PROTO(long a, long b), TP_ARGS(a, b));
DEFINE_TRACE(callops_four, TP_PROTO(long a, long b, long c, long d), TP_ARGS(a, b, c, d));
DEFINE_TRACE(callops_twelve, PROTO12, ARGS12);

static int got;

static void own_probe(void *data, const char *action, int val, bool start)
{
	got += val + *(int *)data;
}

static noinline int own_call(int x)
{
	return static_call(own)(x);
}

static bool sorted(int first)
{
	int v[] = { 2, 1, 3 };

	sort(v, ARRAY_SIZE(v), sizeof(v[0]), static_call(own_cmp), NULL);
	return v[0] == first;
}

static void combinations(void)
{
	static int data = 1000;
	int before;

	check(own_call(1) == 2, "mmm, all in one module");
	check(peer_call(1) == 101, "mmm, all in the other one");
	check(static_call(callops_peer)(2) == 102, "mmm, the trampoline and its target in the other one");
	static_call_update(own, peer_add);
	check(own_call(1) == 101, "mmm, the target in the other one");
	static_call_update(own, peer_double);
	check(own_call(1) == 2, "mmm, another one there");
	static_call_update(callops_peer, own_add);
	check(static_call(callops_peer)(1) == 2, "mmm, the trampoline in the other one");
	check(peer_call(1) == 2, "mmm, the trampoline and its caller in the other one");
	static_call_update(own, own_add);
	check(own_call(5) == 6, "mmm, back in range");
	static_call_update(own, (void *)__static_call_return0);
	check(own_call(5) == 0, "mm, 0");
	static_call_update(own, peer_double);
	check(own_call(5) == 10, "mmm, out of range again");
	static_call_update(own, own_add);
	check(own_call(5) == 6, "mmm, in range again");
	before = added;
	static_call_update(own, NULL);
	static_call_cond(own)(5);
	check(added == before, "mm, nothing");
	static_call_update(own, own_add);
	check(own_call(5) == 6, "mmm, in range once more");
	static_call_update(callops_peer, peer_double);
	check(peer_call(4) == 8, "mmm, in range of the other one");
	static_call_update(callops_peer, peer_add);

	check(static_call(own_gcd)(12, 18) == 6, "mmk, defined with a function of the kernel");
	static_call_update(own_gcd, NULL);
	static_call_update(own_gcd, gcd);
	check(static_call(own_gcd)(12, 18) == 6, "mmk, updated to it");
	check(sorted(1), "kmm");
	static_call_update(own_cmp, reverse);
	check(sorted(3), "kmm, another one");

	trace_suspend_resume("callops", 1, true);
	check(got == 0, "mkm, off");
	check(!register_trace_suspend_resume(own_probe, &data), "mkm is registered");
	trace_suspend_resume("callops", 1, true);
	check(got == 1001, "mkm");
	unregister_trace_suspend_resume(own_probe, &data);
	tracepoint_synchronize_unregister();
	trace_suspend_resume("callops", 1, true);
	check(got == 1001, "mkm, off again");
}

/* What a probe writes would be taken for what the last update left there */
static bool probes_refused(void)
{
#ifdef CONFIG_HAVE_STATIC_CALL
	for (int at = 0; at < 32; at += 4) {
		struct kprobe kp = { .addr = (void *)STATIC_CALL_TRAMP_ADDR(callops_peer) + at };
		int ret = register_kprobe(&kp);

		if (!ret)
			unregister_kprobe(&kp);
		if (ret != -EINVAL)
			return false;
	}
#endif
	return true;
}

/*
 * Out of range of a branch, to another target than the last time, and back. Where modules
 * load the target from the key, their trampolines do not change: it is one of the kernel,
 * which nothing calls meanwhile.
 */
#define KERNEL_UPDATE(func)						\
	__static_call_update(&STATIC_CALL_KEY(tp_func_suspend_resume),	\
			     STATIC_CALL_TRAMP_ADDR(tp_func_suspend_resume), func)

static void flip(unsigned int i)
{
	if (IS_ENABLED(CONFIG_STATIC_CALL_KERNEL_ONLY)) {
		KERNEL_UPDATE(i % 2 ? (void *)own_probe : (void *)own_add);
		KERNEL_UPDATE(__traceiter_suspend_resume);
	} else {
		static_call_update(own, i % 2 ? peer_add : peer_double);
		static_call_update(own, own_add);
	}
}

static int __init static_init(void)
{
	pr_info("bytes to the other module and to the kernel: %ld %ld\n",
		abs((long)own_call - (long)peer_add), abs((long)own_call - (long)gcd));
	if (calls)
		return bench(calls, core);
	for (unsigned int i = 0; i < flips; i++)
		flip(i);
	/* Not an error, or insmod would try again, and the test count twice as many */
	if (flips)
		return 0;

	combinations();
	check(probes_refused(), "no kprobe goes on a trampoline");
	if (seconds)
		check(!storm(seconds), "storm");

	return failed;
}
module_init(static_init);

static void __exit static_exit(void)
{
	/* It must not be left with a target in here */
	static_call_update(callops_peer, peer_add);
}
module_exit(static_exit);

MODULE_DESCRIPTION("Static calls between modules and the kernel");
MODULE_LICENSE("GPL");
