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

#define pr_fmt(fmt)	KBUILD_MODNAME ": " fmt

#include <linux/gcd.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/sizes.h>
#include <linux/sort.h>
#include <trace/events/power.h>
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

static unsigned int bad;

#define CHECK(what, cond) do {						\
	bool __ok = (cond);						\
	pr_info("%s - %s\n", __ok ? "ok" : "not ok", what);		\
	bad += !__ok;							\
} while (0)

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

	CHECK("mmm, all in one module", own_call(1) == 2);
	CHECK("mmm, all in the other one", peer_call(1) == 101);
	CHECK("mmm, the trampoline and its target in the other one",
	      static_call(callops_peer)(2) == 102);
	static_call_update(own, peer_add);
	CHECK("mmm, the target in the other one", own_call(1) == 101);
	static_call_update(own, peer_double);
	CHECK("mmm, another one there", own_call(1) == 2);
	static_call_update(callops_peer, own_add);
	CHECK("mmm, the trampoline in the other one", static_call(callops_peer)(1) == 2);
	CHECK("mmm, the trampoline and its caller in the other one", peer_call(1) == 2);
	static_call_update(own, own_add);
	CHECK("mmm, back in range", own_call(5) == 6);
	static_call_update(own, (void *)__static_call_return0);
	CHECK("mm, 0", own_call(5) == 0);
	static_call_update(own, peer_double);
	CHECK("mmm, out of range again", own_call(5) == 10);
	static_call_update(own, own_add);
	CHECK("mmm, in range again", own_call(5) == 6);
	before = added;
	static_call_update(own, NULL);
	static_call_cond(own)(5);
	CHECK("mm, nothing", added == before);
	static_call_update(own, own_add);
	CHECK("mmm, in range once more", own_call(5) == 6);
	static_call_update(callops_peer, peer_double);
	CHECK("mmm, in range of the other one", peer_call(4) == 8);
	static_call_update(callops_peer, peer_add);

	CHECK("mmk, defined with a function of the kernel", static_call(own_gcd)(12, 18) == 6);
	static_call_update(own_gcd, NULL);
	static_call_update(own_gcd, gcd);
	CHECK("mmk, updated to it", static_call(own_gcd)(12, 18) == 6);
	CHECK("kmm", sorted(1));
	static_call_update(own_cmp, reverse);
	CHECK("kmm, another one", sorted(3));

	trace_suspend_resume("callops", 1, true);
	CHECK("mkm, off", got == 0);
	CHECK("mkm is registered", !register_trace_suspend_resume(own_probe, &data));
	trace_suspend_resume("callops", 1, true);
	CHECK("mkm", got == 1001);
	unregister_trace_suspend_resume(own_probe, &data);
	tracepoint_synchronize_unregister();
	trace_suspend_resume("callops", 1, true);
	CHECK("mkm, off again", got == 1001);
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
	CHECK("no kprobe goes on a trampoline", probes_refused());
	if (seconds)
		CHECK("storm", !storm(seconds));

	return bad ? -EIO : 0;
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
