// SPDX-License-Identifier: GPL-2.0
/*
 * Static calls with caller, trampoline and target in the kernel (k) or in a module (m):
 * all eight cases, with more arguments than registers, and where code has a register
 * that calls between the two change, that it is restored. With @seconds, a storm: all
 * CPUs call while the targets change. Loading the module fails with EIO if one was wrong.
 */

#define pr_fmt(fmt)	KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/module.h>

#if IS_ENABLED(CONFIG_STATIC_CALL_PEER)
#include <linux/static_call_peer.h>
#include "eight.h"

static unsigned int seconds;
module_param(seconds, uint, 0444);
MODULE_PARM_DESC(seconds, "How long the storm lasts");

static unsigned int bad;

#define CHECK(what, x, expect) do {					\
	long __got = (x), __expect = (expect);				\
	pr_info("%sok - %s, %ld\n", __got == __expect ? "" : "not ", what, __got); \
	bad += __got != __expect;					\
} while (0)

/* Something that is found through the TOC, in each target */
static long own_data = 2000;

static noinline long own_target(STATIC_CALL_PEER_PROTO)
{
	return READ_ONCE(own_data) + STATIC_CALL_PEER_SUM;
}

static noinline long own_other(STATIC_CALL_PEER_PROTO)
{
	return 2 * READ_ONCE(own_data) + STATIC_CALL_PEER_SUM;
}

DEFINE_STATIC_CALL(eight_own, own_target);
DEFINE_STATIC_CALL_NULL(eight_null, own_target);
DEFINE_STATIC_CALL_RET0(eight_ret0, own_target);

/* The caller in this module; @of is the trampoline of the kernel, of this module, of the peer */
enum of { KERNEL, OWN, FAR, OF };

static noinline long module_call(enum of of, long x)
{
	unsigned long toc = static_call_peer_toc();
	long ret;

	if (of == KERNEL)
		ret = static_call(static_call_peer)(STATIC_CALL_PEER_ARGS(x));
	else if (of == OWN)
		ret = static_call(eight_own)(STATIC_CALL_PEER_ARGS(x));
	else
		ret = static_call(eight_far)(STATIC_CALL_PEER_ARGS(x));
	return static_call_peer_toc() == toc ? ret : -1;
}

/* The same in the kernel, which has the address of a module's trampoline only */
static noinline long kernel_call(enum of of, long x)
{
	if (of == KERNEL)
		return static_call_peer_call(x);
	if (of == OWN)
		return static_call_peer_pointer(static_call(eight_own), x);
	return static_call_peer_pointer(static_call(eight_far), x);
}

/* The trampoline itself, by its address, as a tracepoint's or a callback's may be passed on */
static noinline long by_address(static_call_peer_t *tramp, bool kernel, long x)
{
	unsigned long toc = static_call_peer_toc();
	long ret = kernel ? static_call_peer_pointer(tramp, x) : tramp(STATIC_CALL_PEER_ARGS(x));

	return static_call_peer_toc() == toc ? ret : -1;
}
#ifdef CONFIG_HAVE_STATIC_CALL
#define ADDRESS(name)	STATIC_CALL_TRAMP_ADDR(name)
#else
#define ADDRESS(name)	static_call_query(name)
#endif

static static_call_peer_t *targets[] = {
	static_call_peer_target, own_target, static_call_peer_other, own_other, eight_far,
	(void *)__static_call_return0,
};
static const char target_is[] = "kmkmm0";
static const long returns[] = { 0, 2000, 1000, 4000, 3000, -650 };

static void update(enum of of, int n)
{
	if (of == KERNEL)
		static_call_update(static_call_peer, targets[n]);
	else if (of == OWN)
		static_call_update(eight_own, targets[n]);
	else
		static_call_update(eight_far, targets[n]);
}

static long expect(int n, long x)
{
	return target_is[n] == '0' ? 0 : STATIC_CALL_PEER_IS(x) + returns[n];
}

static void eight(void)
{
	char what[80];
	enum of of;
	int from, n;

	/* From each target to each other, as what is written depends on both */
	for (of = 0; of < OF; of++)
		for (from = 0; from < ARRAY_SIZE(targets); from++)
			for (n = 0; n < ARRAY_SIZE(targets); n++) {
				update(of, from);
				update(of, n);
				if (kernel_call(of, 1) != expect(n, 1) || module_call(of, 2) != expect(n, 2)) {
					pr_info("not ok - trampoline %d from %d to %d: %ld %ld\n", of, from,
						n, kernel_call(of, 1), module_call(of, 2));
					bad++;
				}
			}
	for (of = 0; of < OF; of++)
		for (n = 0; n < ARRAY_SIZE(targets); n++) {
			update(of, n);
			snprintf(what, sizeof(what), "k%c%c, %d", "kmm"[of], target_is[n], of);
			CHECK(what, kernel_call(of, 1), expect(n, 1));
			snprintf(what, sizeof(what), "m%c%c, %d", "kmm"[of], target_is[n], of);
			CHECK(what, module_call(of, 2), expect(n, 2));
		}
	for (n = 0; n < ARRAY_SIZE(targets); n++) {
		update(KERNEL, n);
		update(OWN, n);
		update(FAR, n);
		snprintf(what, sizeof(what), "by address, %c", target_is[n]);
		CHECK(what, by_address(ADDRESS(static_call_peer), true, 1), expect(n, 1));
		CHECK(what, by_address(ADDRESS(static_call_peer), false, 2), expect(n, 2));
		CHECK(what, by_address(ADDRESS(eight_own), true, 3), expect(n, 3));
		CHECK(what, by_address(ADDRESS(eight_own), false, 4), expect(n, 4));
		CHECK(what, by_address(ADDRESS(eight_far), true, 5), expect(n, 5));
		CHECK(what, by_address(ADDRESS(eight_far), false, 6), expect(n, 6));
	}
	static_call_cond(eight_null)(STATIC_CALL_PEER_ARGS(1));
	static_call_update(eight_null, own_target);
	CHECK("no longer NULL", static_call(eight_null)(STATIC_CALL_PEER_ARGS(1)), expect(1, 1));
	static_call_update(eight_null, NULL);
	static_call_cond(eight_null)(STATIC_CALL_PEER_ARGS(1));
	CHECK("0 as it was defined", static_call(eight_ret0)(STATIC_CALL_PEER_ARGS(1)), 0);
}

/*
 * A call may find the target of before or behind an update that is under way; a call that
 * begins when one has returned, and ends before the next begins, finds its target. The
 * target before targets[n] is targets[n + 1].
 */
static int asked = 0x80;	/* the target, 0x80 during an update, and the number of updates << 8 */
static atomic_t wrong, stale, calls;

static int reader(void *unused)
{
	while (!kthread_should_stop()) {
		int before = smp_load_acquire(&asked), n = before & 7;
		enum of of = before % 3;
		long x = before & 7, got = kernel_call(of, x), also = module_call(of, x);

		/* In between no update has begun? */
		smp_rmb();
		if (READ_ONCE(asked) >> 8 == before >> 8) {
			if (got != expect(n, x) && got != expect((n + 1) % ARRAY_SIZE(targets), x) &&
			    atomic_inc_return(&wrong) <= 10)
				pr_info("storm: trampoline %d: %ld\n", of, got);
			if (!(before & 0x80) && (got != expect(n, x) || also != expect(n, x)))
				atomic_inc(&stale);
		}
		atomic_inc(&calls);
		cond_resched();
	}
	return 0;
}

static void storm(void)
{
	struct task_struct *tasks[NR_CPUS];
	unsigned long end = jiffies + seconds * HZ;
	int cpu, i, n = 0, rounds = 0;

	/* As if there had been one before the first */
	update(KERNEL, 1);
	update(OWN, 1);
	update(FAR, 1);

	for_each_online_cpu(cpu) {
		tasks[n] = kthread_create_on_cpu(reader, NULL, cpu, "callops_eight/%u");
		if (!IS_ERR(tasks[n]))
			wake_up_process(tasks[n++]);
	}
	while (time_before(jiffies, end)) {
		i = rounds++ * 5 % ARRAY_SIZE(targets);
		WRITE_ONCE(asked, rounds << 8 | 0x80 | i);
		smp_mb();
		update(KERNEL, i);
		update(OWN, i);
		update(FAR, i);
		smp_store_release(&asked, rounds << 8 | i);
		if (rounds & 1)
			usleep_range(50, 100);
		cond_resched();
	}
	while (n)
		kthread_stop(tasks[--n]);
	pr_info("storm: %d rounds, %d calls\n", rounds, atomic_read(&calls));
	CHECK("storm: wrong calls", atomic_read(&wrong), 0);
	CHECK("storm: stale calls", atomic_read(&stale), 0);
	bad += atomic_read(&calls) < 1000;
}

static void back(void)
{
	static_call_update(static_call_peer, static_call_peer_target);
	static_call_update(eight_far, eight_far);
	synchronize_rcu();
}

static int __init eight_init(void)
{
	eight();
	if (seconds)
		storm();
	back();
	CHECK("kkk, back", static_call_peer_call(1), expect(0, 1));
	return bad ? -EIO : 0;
}
module_init(eight_init);

/* The kernel's trampoline leads to the module until it is unloaded */
static void __exit eight_exit(void)
{
	update(KERNEL, 1);
	WARN_ON(static_call_peer_call(1) != expect(1, 1));
	back();
}
module_exit(eight_exit);
#endif

MODULE_DESCRIPTION("All eight cases of static calls");
MODULE_LICENSE("GPL");
