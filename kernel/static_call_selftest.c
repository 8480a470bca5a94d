// SPDX-License-Identifier: GPL-2.0
/*
 * Static calls at boot: when there is one CPU, and when there are all of them.
 * What needs no such time is in static_call_test.c.
 */

#include <linux/bug.h>
#include <linux/init.h>
#include <linux/static_call.h>

static int called;

static int func_a(int x)
{
	called++;
	return x + 1;
}

static int func_b(int x)
{
	called++;
	return x + 2;
}

DEFINE_STATIC_CALL(sc_selftest, func_a);
DEFINE_STATIC_CALL_NULL(sc_selftest_null, func_a);
DEFINE_STATIC_CALL_RET0(sc_selftest_ret0, func_a);

static struct static_call_data {
	int (*func)(int x);
	int val;
	int expect;
} static_call_data[] __initdata = {
	{ NULL,   2, 3 },	/* as it was defined */
	{ func_b, 2, 4 },
	{ func_b, 3, 5 },
	{ (void *)__static_call_return0, 2, 0 },
	{ func_a, 2, 3 },
};

static int __init test_static_call_init(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(static_call_data); i++) {
		struct static_call_data *scd = &static_call_data[i];

		if (scd->func) {
			static_call_update(sc_selftest, scd->func);
			WARN_ON(static_call_query(sc_selftest) != scd->func);
		}

		WARN_ON(static_call(sc_selftest)(scd->val) != scd->expect);
	}

	called = 0;
	static_call_cond(sc_selftest_null)(1);
	WARN_ON(static_call(sc_selftest_ret0)(1));
	WARN_ON(called);
	static_call_update(sc_selftest_null, func_a);
	static_call_update(sc_selftest_ret0, func_b);
	WARN_ON(static_call(sc_selftest_null)(1) != 2);
	WARN_ON(static_call(sc_selftest_ret0)(1) != 3);
	WARN_ON(called != 2);
	static_call_update(sc_selftest_null, NULL);
	static_call_update(sc_selftest_ret0, (void *)__static_call_return0);
	static_call_cond(sc_selftest_null)(1);
	WARN_ON(static_call(sc_selftest_ret0)(1));
	WARN_ON(called != 2);

	return 0;
}
early_initcall(test_static_call_init);

/* The second time the first entry finds func_a as well */
static int __init test_static_call_smp_init(void)
{
	return test_static_call_init();
}
late_initcall(test_static_call_smp_init);
