// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit test of static calls, and of tracepoints, which use them
 *
 * Those of this file only, with targets in this file; as a module if KUnit is one.
 */

#include <kunit/test.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/sort.h>
#include <linux/static_call.h>
#include <linux/tracepoint.h>

static int called_a, called_b;

static int func_a(int x) { called_a++; return x + 1; }
static int func_b(int x) { called_b++; return x + 2; }
static long func_long(long x) { return x; }
static void *func_pointer(void *p) { return p; }
static void func_void(int *p) { (*p)++; }
static int func_cmp(const void *a, const void *b) { return *(int *)a - *(int *)b; }
static int func_reverse(const void *a, const void *b) { return *(int *)b - *(int *)a; }

static long func_args(char a, short b, int c, long d, void *e, u8 f, u16 g, u32 h,
		      u64 i, char j, short k, int l)
{
	return a + 2 * b + 3 * c + 4 * d + 5 * (long)e + 6 * f + 7 * g + 8 * h +
	       9 * i + 10 * j + 11 * k + 12 * l;
}

static long func_args_last(char a, short b, int c, long d, void *e, u8 f, u16 g, u32 h,
			   u64 i, char j, short k, int l)
{
	return l;
}

DEFINE_STATIC_CALL(sct_int, func_a);
DEFINE_STATIC_CALL(sct_cmp, func_cmp);
DEFINE_STATIC_CALL(sct_args, func_args);
DEFINE_STATIC_CALL_NULL(sct_null, func_void);
DEFINE_STATIC_CALL_RET0(sct_ret0_int, func_a);
DEFINE_STATIC_CALL_RET0(sct_ret0_long, func_long);
DEFINE_STATIC_CALL_RET0(sct_ret0_pointer, func_pointer);

static void test_update(struct kunit *test)
{
	called_a = 0;
	called_b = 0;
	KUNIT_EXPECT_EQ(test, static_call(sct_int)(1), 2);
	static_call_update(sct_int, func_b);
	KUNIT_EXPECT_PTR_EQ(test, static_call_query(sct_int), (void *)func_b);
	KUNIT_EXPECT_EQ(test, static_call(sct_int)(1), 3);
	static_call_update(sct_int, func_b);
	KUNIT_EXPECT_EQ(test, static_call(sct_int)(2), 4);
	static_call_update(sct_int, func_a);
	KUNIT_EXPECT_EQ(test, static_call(sct_int)(2), 3);
	KUNIT_EXPECT_EQ(test, called_a, 2);
	KUNIT_EXPECT_EQ(test, called_b, 2);
}

static void test_null(struct kunit *test)
{
	int count = 0;

	static_call_cond(sct_null)(&count);
	KUNIT_EXPECT_EQ(test, count, 0);
	static_call_update(sct_null, func_void);
	static_call_cond(sct_null)(&count);
	KUNIT_EXPECT_EQ(test, count, 1);
	static_call_update(sct_null, NULL);
	static_call_cond(sct_null)(&count);
	KUNIT_EXPECT_EQ(test, count, 1);
}

/* All of the register has to be 0, and the arguments are those of another type */
static void test_ret0(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, static_call(sct_ret0_int)(-1), 0);
	KUNIT_EXPECT_EQ(test, static_call(sct_ret0_long)(-1), 0L);
	KUNIT_EXPECT_PTR_EQ(test, static_call(sct_ret0_pointer)(test), (void *)NULL);
	static_call_update(sct_ret0_int, func_b);
	static_call_update(sct_ret0_long, func_long);
	static_call_update(sct_ret0_pointer, func_pointer);
	KUNIT_EXPECT_EQ(test, static_call(sct_ret0_int)(-1), 1);
	KUNIT_EXPECT_EQ(test, static_call(sct_ret0_long)(LONG_MIN), LONG_MIN);
	KUNIT_EXPECT_PTR_EQ(test, static_call(sct_ret0_pointer)(test), (void *)test);
	static_call_update(sct_ret0_int, (void *)__static_call_return0);
	static_call_update(sct_ret0_long, (void *)__static_call_return0);
	static_call_update(sct_ret0_pointer, (void *)__static_call_return0);
	KUNIT_EXPECT_EQ(test, static_call(sct_ret0_int)(-1), 0);
	KUNIT_EXPECT_EQ(test, static_call(sct_ret0_long)(-1), 0L);
	KUNIT_EXPECT_PTR_EQ(test, static_call(sct_ret0_pointer)(test), (void *)NULL);
}

static noinline long call_args(void)
{
	return static_call(sct_args)(1, 2, 3, 4, (void *)5, 6, 7, 8, 9, 10, 11, 12);
}

static void test_args(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, call_args(), 650L);
	static_call_update(sct_args, func_args_last);
	KUNIT_EXPECT_EQ(test, call_args(), 12L);
	static_call_update(sct_args, func_args);
	KUNIT_EXPECT_EQ(test, call_args(), 650L);
}

/*
 * The compiler makes a jump of it, as the Makefile asks for: arm64 and riscv have frame
 * pointers, and those come without such jumps. On ppc64 it is a call, which has to restore
 * the TOC.
 */
static noinline int call_last(int x)
{
	return static_call(sct_int)(x * 3);
}

static void test_tail(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, call_last(2), 7);
	static_call_update(sct_int, func_b);
	KUNIT_EXPECT_EQ(test, call_last(2), 8);
	static_call_update(sct_int, func_a);
}

/* A trampoline stays the same, so its address can be passed on, and be called */
static void test_pointer(struct kunit *test)
{
	int (*cmp)(const void *a, const void *b) = static_call(sct_cmp);
	int v[] = { 2, 3, 1 };

	/* With inline calls the trampoline may be no target for an indirect one: x86's IBT */
	if (IS_ENABLED(CONFIG_HAVE_STATIC_CALL_INLINE))
		kunit_skip(test, "calls are inline");

	sort(v, ARRAY_SIZE(v), sizeof(v[0]), cmp, NULL);
	KUNIT_EXPECT_EQ(test, v[0], 1);
	KUNIT_EXPECT_EQ(test, v[2], 3);
	static_call_update(sct_cmp, func_reverse);
	sort(v, ARRAY_SIZE(v), sizeof(v[0]), static_call(sct_cmp), NULL);
	KUNIT_EXPECT_EQ(test, v[0], 3);
	KUNIT_EXPECT_EQ(test, v[2], 1);
	static_call_update(sct_cmp, func_cmp);
}

#if IS_ENABLED(CONFIG_KPROBES) && IS_ENABLED(CONFIG_HAVE_STATIC_CALL) && \
	!IS_ENABLED(CONFIG_HAVE_STATIC_CALL_INLINE)
static int probed(struct kprobe *p, struct pt_regs *regs) { return 0; }

/* What a probe writes would be taken for what the last update left there */
static void test_kprobe(struct kunit *test)
{
	static struct kprobe kp;
	int i, ret;

	for (i = 0; i < 32; i += 4) {
		memset(&kp, 0, sizeof(kp));
		kp.pre_handler = probed;
		kp.addr = (void *)STATIC_CALL_TRAMP_ADDR(sct_int) + i;
		ret = register_kprobe(&kp);
		KUNIT_EXPECT_EQ(test, ret, -EINVAL);
		if (!ret)
			unregister_kprobe(&kp);
	}
}
#else
static void test_kprobe(struct kunit *test)
{
	kunit_skip(test, "no kprobes, or no trampolines");
}
#endif

DECLARE_TRACE(sct_event, TP_PROTO(int a, int b), TP_ARGS(a, b));
DEFINE_TRACE(sct_event, TP_PROTO(int a, int b), TP_ARGS(a, b));

static int seen[3], unpaired;
static int tag[3];

static void probe_seen(int n, void *data, int a, int b)
{
	if (data != &tag[n] || a != 1 || b != 2)
		unpaired++;
	seen[n]++;
}

static void probe_0(void *data, int a, int b) { probe_seen(0, data, a, b); }
static void probe_1(void *data, int a, int b) { probe_seen(1, data, a, b); }
static void probe_2(void *data, int a, int b) { probe_seen(2, data, a, b); }

static void expect_seen(struct kunit *test, int n0, int n1, int n2)
{
	memset(seen, 0, sizeof(seen));
	trace_sct_event(1, 2);
	KUNIT_EXPECT_EQ(test, seen[0], n0);
	KUNIT_EXPECT_EQ(test, seen[1], n1);
	KUNIT_EXPECT_EQ(test, seen[2], n2);
	KUNIT_EXPECT_EQ(test, unpaired, 0);
}

/* 0 -> 1 -> 2 -> 3 -> 2 -> 1 -> 1 -> 0, the second probe in front of the first */
static void test_tracepoint(struct kunit *test)
{
	expect_seen(test, 0, 0, 0);
	KUNIT_ASSERT_EQ(test, register_trace_sct_event(probe_0, &tag[0]), 0);
	expect_seen(test, 1, 0, 0);
	KUNIT_ASSERT_EQ(test, register_trace_prio_sct_event(probe_1, &tag[1], 20), 0);
	expect_seen(test, 1, 1, 0);
	KUNIT_ASSERT_EQ(test, register_trace_sct_event(probe_2, &tag[2]), 0);
	expect_seen(test, 1, 1, 1);
	KUNIT_EXPECT_EQ(test, unregister_trace_sct_event(probe_0, &tag[0]), 0);
	expect_seen(test, 0, 1, 1);
	KUNIT_EXPECT_EQ(test, unregister_trace_sct_event(probe_1, &tag[1]), 0);
	expect_seen(test, 0, 0, 1);
	KUNIT_EXPECT_EQ(test, unregister_trace_sct_event(probe_2, &tag[2]), 0);
	expect_seen(test, 0, 0, 0);
	KUNIT_ASSERT_EQ(test, register_trace_sct_event(probe_1, &tag[1]), 0);
	expect_seen(test, 0, 1, 0);
	KUNIT_EXPECT_EQ(test, unregister_trace_sct_event(probe_1, &tag[1]), 0);
	expect_seen(test, 0, 0, 0);
	tracepoint_synchronize_unregister();
}

static struct kunit_case static_call_test_cases[] = {
	KUNIT_CASE(test_update),
	KUNIT_CASE(test_null),
	KUNIT_CASE(test_ret0),
	KUNIT_CASE(test_args),
	KUNIT_CASE(test_tail),
	KUNIT_CASE(test_pointer),
	KUNIT_CASE(test_kprobe),
	KUNIT_CASE(test_tracepoint),
	{}
};

static struct kunit_suite static_call_test_suite = {
	.name = "static_call",
	.test_cases = static_call_test_cases,
};

kunit_test_suite(static_call_test_suite);

MODULE_DESCRIPTION("KUnit test of static calls");
MODULE_LICENSE("GPL");
