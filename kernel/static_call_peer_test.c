// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit test of static calls between the kernel and modules
 *
 * The caller is in the kernel (k), see static_call_peer.c, or in this module (m); the
 * trampoline and the target are there or in a third place, static_call_peer_far.c (f).
 * Each call has more arguments than there are registers. Where code has a register that
 * calls between these places change, as the TOC pointer of ppc64, each caller looks
 * whether it was restored.
 */

#include <kunit/test.h>
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/static_call_peer.h>

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

static int counted;

static noinline long own_counted(STATIC_CALL_PEER_PROTO)
{
	counted++;
	return READ_ONCE(own_data) + STATIC_CALL_PEER_SUM;
}

DEFINE_STATIC_CALL(peer_own, own_target);
DEFINE_STATIC_CALL_NULL(peer_null, own_counted);
DEFINE_STATIC_CALL_RET0(peer_ret0, own_target);

/* Whose trampoline */
enum of { KERNEL, OWN, FAR, OF };
static const char of_is[] = "kmf";

static static_call_peer_t *targets[] = {
	static_call_peer_target, own_target, static_call_peer_other, own_other,
	static_call_peer_far, (void *)__static_call_return0,
};

static const char target_is[] = "kmKMf0";
static const long returns[] = { 0, 2000, 1000, 4000, 3000 };
#define TARGETS	ARRAY_SIZE(targets)

static long expected(int n, long x)
{
	return target_is[n] == '0' ? 0 : STATIC_CALL_PEER_IS(x) + returns[n];
}

static void update(enum of of, int n)
{
	if (of == KERNEL)
		static_call_update(static_call_peer, targets[n]);
	else if (of == OWN)
		static_call_update(peer_own, targets[n]);
	else
		static_call_update(static_call_peer_far, targets[n]);
}

static void update_all(int n)
{
	enum of of;

	for (of = 0; of < OF; of++)
		update(of, n);
}

static noinline long module_call(enum of of, long x)
{
	unsigned long toc = static_call_peer_toc();
	long ret;

	if (of == KERNEL)
		ret = static_call(static_call_peer)(STATIC_CALL_PEER_ARGS(x));
	else if (of == OWN)
		ret = static_call(peer_own)(STATIC_CALL_PEER_ARGS(x));
	else
		ret = static_call(static_call_peer_far)(STATIC_CALL_PEER_ARGS(x));
	return static_call_peer_toc() == toc ? ret : -1;
}

/* The kernel has no more than the address of a module's trampoline */
static noinline long kernel_call(enum of of, long x)
{
	if (of == KERNEL)
		return static_call_peer_call(x);
	if (of == OWN)
		return static_call_peer_pointer(static_call(peer_own), x);
	return static_call_peer_pointer(static_call(static_call_peer_far), x);
}

/* From each target to each other, as what is written depends on both */
static void test_changes(struct kunit *test)
{
	enum of of;
	int from, to;

	for (of = 0; of < OF; of++)
		for (from = 0; from < TARGETS; from++)
			for (to = 0; to < TARGETS; to++) {
				update(of, from);
				update(of, to);
				KUNIT_EXPECT_EQ_MSG(test, kernel_call(of, 1), expected(to, 1),
						    "k%c%c, was %c", of_is[of], target_is[to],
						    target_is[from]);
				KUNIT_EXPECT_EQ_MSG(test, module_call(of, 2), expected(to, 2),
						    "m%c%c, was %c", of_is[of], target_is[to],
						    target_is[from]);
			}
}

/* Each caller, trampoline and target. Case n is passed as n + 1: NULL ends the list */
#define CASES	(2 * OF * TARGETS)

static const void *gen_case(const void *prev, char *desc)
{
	unsigned long n = (unsigned long)prev;

	if (n == CASES)
		return NULL;
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%c%c%c", "km"[n % 2], of_is[n / 2 % OF],
		 target_is[n / 2 / OF]);
	return (void *)(n + 1);
}

static void test_case(struct kunit *test)
{
	unsigned long n = (unsigned long)test->param_value - 1;
	enum of of = n / 2 % OF;
	int target = n / 2 / OF;

	update(of, target);
	if (n % 2)
		KUNIT_EXPECT_EQ(test, module_call(of, 2), expected(target, 2));
	else
		KUNIT_EXPECT_EQ(test, kernel_call(of, 1), expected(target, 1));
}

/* The trampoline itself, by its address, as a callback's may be passed on */
#ifdef CONFIG_HAVE_STATIC_CALL
#define ADDRESS(name)	STATIC_CALL_TRAMP_ADDR(name)
#else
#define ADDRESS(name)	static_call_query(name)
#endif

static static_call_peer_t *address_of(enum of of)
{
	static_call_peer_t *address;

	if (of == KERNEL)
		address = (void *)ADDRESS(static_call_peer);
	else if (of == OWN)
		address = (void *)ADDRESS(peer_own);
	else
		address = (void *)ADDRESS(static_call_peer_far);
	/* Or clang makes a direct call of it: ppc64 has none of a module's trampoline */
	OPTIMIZER_HIDE_VAR(address);
	return address;
}

static void test_address(struct kunit *test)
{
	enum of of;
	int n;

	for (n = 0; n < TARGETS; n++) {
		update_all(n);
		for (of = 0; of < OF; of++) {
			static_call_peer_t *address = address_of(of);
			unsigned long toc = static_call_peer_toc();
			long ret = address(STATIC_CALL_PEER_ARGS(of));

			KUNIT_EXPECT_EQ(test, toc, static_call_peer_toc());
			KUNIT_EXPECT_EQ_MSG(test, ret, expected(n, of), "m%c%c", of_is[of],
					    target_is[n]);
			KUNIT_EXPECT_EQ_MSG(test, static_call_peer_pointer(address, of),
					    expected(n, of), "k%c%c", of_is[of], target_is[n]);
		}
	}
}

static void test_nothing(struct kunit *test)
{
	static_call_peer_t *address;

	counted = 0;
	static_call_cond(peer_null)(STATIC_CALL_PEER_ARGS(1));
	KUNIT_EXPECT_EQ(test, counted, 0);
	static_call_update(peer_null, own_counted);
	KUNIT_EXPECT_EQ(test, static_call(peer_null)(STATIC_CALL_PEER_ARGS(1)), expected(1, 1));
	KUNIT_EXPECT_EQ(test, counted, 1);
	static_call_update(peer_null, NULL);
	static_call_cond(peer_null)(STATIC_CALL_PEER_ARGS(1));
	if (IS_ENABLED(CONFIG_HAVE_STATIC_CALL)) {
		address = (void *)ADDRESS(peer_null);
		OPTIMIZER_HIDE_VAR(address);
		address(STATIC_CALL_PEER_ARGS(1));
	}
	KUNIT_EXPECT_EQ(test, counted, 1);
	KUNIT_EXPECT_EQ(test, static_call(peer_ret0)(STATIC_CALL_PEER_ARGS(1)), 0L);
}

/*
 * A call may find the target of before or behind an update that is under way; a call that
 * begins when one has returned, and ends before the next begins, finds its target. The
 * target before targets[n] is targets[n + 1].
 */
static int asked;	/* the target, UNDER_WAY during an update, and the number of updates << 8 */
#define UNDER_WAY	0x80

struct reader {
	struct task_struct *task;
	long wrong, stale, calls;
	long settled[TARGETS];		/* the calls that had to find this one */
};

static bool found(long got, int n, long x)
{
	return got == expected(n, x) || got == expected((n + 1) % TARGETS, x);
}

static int storm_reader(void *data)
{
	struct reader *r = data;

	while (!kthread_should_stop()) {
		/* Pairs with the release: what it was stored behind is done */
		int before = smp_load_acquire(&asked), n = before & 7;
		enum of of = r->calls++ % OF;
		long x = before & 7, from_k = kernel_call(of, x), from_m = module_call(of, x);

		/* Has an update begun in between? Pairs with the smp_mb() in front of each */
		smp_rmb();
		if (READ_ONCE(asked) >> 8 == before >> 8) {
			if (!found(from_k, n, x) || !found(from_m, n, x)) {
				r->wrong++;
			} else if (!(before & UNDER_WAY)) {
				r->stale += from_k != expected(n, x) || from_m != expected(n, x);
				r->settled[n]++;
			}
		}
		cond_resched();
	}
	return 0;
}

static void test_storm(struct kunit *test)
{
	struct reader *readers = kunit_kcalloc(test, nr_cpu_ids, sizeof(*readers), GFP_KERNEL);
	unsigned long end = jiffies + min(static_call_peer_seconds, 240U) * HZ;
	long wrong = 0, stale = 0, calls = 0, settled[TARGETS] = { };
	int cpu, i, n = 0, rounds = 0;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, readers);
	/* As if there had been one before the first */
	update_all(1);
	asked = UNDER_WAY;
	cpus_read_lock();
	for_each_online_cpu(cpu) {
		struct task_struct *task = kthread_create_on_cpu(storm_reader, &readers[n], cpu,
								 "static_call/%u");

		if (!IS_ERR(task)) {
			readers[n++].task = task;
			wake_up_process(task);
		}
	}
	KUNIT_EXPECT_EQ(test, n, num_online_cpus());
	cpus_read_unlock();
	while (time_before(jiffies, end) || rounds < 10 * TARGETS) {
		i = rounds++ * 5 % TARGETS;
		WRITE_ONCE(asked, rounds << 8 | UNDER_WAY | i);
		/* A reader that sees anything new also sees the store above, by its smp_rmb() */
		smp_mb();
		update_all(i);
		/* Pairs with the acquire: whoever reads it calls the new target */
		smp_store_release(&asked, rounds << 8 | i);
		/* Each target is left alone for a while, in every other turn */
		if (rounds / TARGETS & 1)
			usleep_range(50, 100);
		cond_resched();
	}
	while (n) {
		struct reader *r = &readers[--n];

		kthread_stop(r->task);
		wrong += r->wrong;
		stale += r->stale;
		calls += r->calls;
		for (i = 0; i < TARGETS; i++)
			settled[i] += r->settled[i];
	}
	kunit_info(test, "%d rounds, %ld calls\n", rounds, calls);
	KUNIT_EXPECT_EQ(test, wrong, 0L);
	KUNIT_EXPECT_EQ(test, stale, 0L);
	for (i = 0; i < TARGETS; i++)
		KUNIT_EXPECT_GT_MSG(test, settled[i], 0L, "no call had to find %c", target_is[i]);
}

static void back(struct kunit *test)
{
	static_call_update(static_call_peer, static_call_peer_target);
	static_call_update(peer_own, own_target);
	static_call_update(static_call_peer_far, static_call_peer_far);
	synchronize_rcu();
}

static struct kunit_case static_call_peer_cases[] = {
	KUNIT_CASE(test_changes),
	KUNIT_CASE_PARAM(test_case, gen_case),
	KUNIT_CASE(test_address),
	KUNIT_CASE(test_nothing),
	KUNIT_CASE(test_storm),
	{}
};

static struct kunit_suite static_call_peer_suite = {
	.name = "static_call_peer",
	.exit = back,
	.test_cases = static_call_peer_cases,
};

kunit_test_suite(static_call_peer_suite);

/* Lead the kernel's trampoline into the module once more, and back, before that goes */
static void __exit static_call_peer_exit(void)
{
	update(KERNEL, 1);
	WARN_ON(static_call_peer_call(1) != expected(1, 1));
	back(NULL);
	WARN_ON(static_call_peer_call(1) != expected(0, 1));
}
module_exit(static_call_peer_exit);

MODULE_DESCRIPTION("KUnit test of static calls between the kernel and modules");
MODULE_LICENSE("GPL");
