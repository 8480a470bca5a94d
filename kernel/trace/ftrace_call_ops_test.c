// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of per-callsite ftrace_ops: the choice of the ops, over its truth
 * table, on private records and lists; and what real callsites, those of the
 * tracees below, end up with as ops come and go.
 */

#include <kunit/test.h>
#include <linux/ftrace_call_ops.h>
#include <linux/module.h>

#include "ftrace_internal.h"
#include "trace.h"

#define NR_OPS	3

/* Two functions to trace. This file alone in its folder is instrumented. */
static noinline void tracee_a(void)
{
	barrier();
}

static noinline void tracee_b(void)
{
	barrier();
}

struct test_ops {
	struct ftrace_ops ops;
	unsigned int calls;
};

static notrace void test_func(unsigned long ip, unsigned long parent_ip,
			      struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	container_of(op, struct test_ops, ops)->calls++;
}

struct context {
	struct test_ops ops[NR_OPS];
	struct dyn_ftrace *rec_a;
	struct dyn_ftrace *rec_b;
};

/* The records of built-in functions never move */
static struct dyn_ftrace *find_rec(void (*func)(void))
{
	unsigned long ip = ftrace_location((unsigned long)func);
	struct dyn_ftrace *rec = NULL;
	struct ftrace_rec_iter *iter;

	mutex_lock(&ftrace_lock);
	for_ftrace_rec_iter(iter) {
		if (ip && ftrace_rec_iter_record(iter)->ip == ip) {
			rec = ftrace_rec_iter_record(iter);
			break;
		}
	}
	mutex_unlock(&ftrace_lock);

	return rec;
}

static const struct ftrace_ops *serving(struct dyn_ftrace *rec)
{
	const struct ftrace_ops *ops;

	mutex_lock(&ftrace_lock);
	ops = ftrace_rec_get_ops(rec);
	mutex_unlock(&ftrace_lock);

	return ops;
}

static void trace(struct kunit *test, struct test_ops *t, struct dyn_ftrace *rec)
{
	KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter_ip(&t->ops, rec->ip, 0, 0));
}

static void add(struct kunit *test, struct test_ops *t)
{
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&t->ops));
}

static void del(struct kunit *test, struct test_ops *t)
{
	KUNIT_ASSERT_EQ(test, 0, unregister_ftrace_function(&t->ops));
}

/* Link the first @nr ops into a list that nobody else knows */
static struct ftrace_ops *list_of(struct context *ctx, int nr)
{
	struct ftrace_ops *list = &ftrace_list_end;

	while (nr--) {
		rcu_assign_pointer(ctx->ops[nr].ops.next, list);
		list = &ctx->ops[nr].ops;
	}

	return list;
}

/* The truth table of ftrace_rec_select_ops() */
static void select_test(struct kunit *test)
{
	const unsigned long alone = FTRACE_FL_ENABLED | FTRACE_FL_CALL_OPS |
				    FTRACE_FL_CALL_OPS_EN;
	struct context *ctx = test->priv;
	struct dyn_ftrace rec = { .ip = ctx->rec_a->ip };
	struct ftrace_ops *list;

	/* ops[0] and ops[2] trace something else, ops[1] traces @rec */
	trace(test, &ctx->ops[0], ctx->rec_b);
	trace(test, &ctx->ops[1], ctx->rec_a);
	trace(test, &ctx->ops[2], ctx->rec_b);
	list = list_of(ctx, NR_OPS);

	/* Nobody traces it */
	rec.flags = 0;
	KUNIT_EXPECT_PTR_EQ(test, &ftrace_nop_ops, ftrace_rec_select_ops(&rec, list));
	KUNIT_EXPECT_PTR_EQ(test, &ftrace_nop_ops,
			    ftrace_rec_select_ops(&rec, &ftrace_list_end));

	/* Somebody would, but ftrace is off, or the record not ready */
	rec.flags = FTRACE_FL_CALL_OPS | 1;
	KUNIT_EXPECT_PTR_EQ(test, &ftrace_nop_ops, ftrace_rec_select_ops(&rec, list));
	rec.flags = FTRACE_FL_DISABLED;
	KUNIT_EXPECT_PTR_EQ(test, &ftrace_nop_ops, ftrace_rec_select_ops(&rec, list));
	rec.flags = FTRACE_FL_DISABLED | FTRACE_FL_CALL_OPS | 1;
	KUNIT_EXPECT_PTR_EQ(test, &ftrace_nop_ops, ftrace_rec_select_ops(&rec, list));

	/* One, in the middle, at the head and at the end of the list */
	rec.flags = alone | 1;
	KUNIT_EXPECT_PTR_EQ(test, &ctx->ops[1].ops, ftrace_rec_select_ops(&rec, list));
	KUNIT_EXPECT_PTR_EQ(test, &ctx->ops[1].ops,
			    ftrace_rec_select_ops(&rec, &ctx->ops[1].ops));
	list = list_of(ctx, 2);
	KUNIT_EXPECT_PTR_EQ(test, &ctx->ops[1].ops, ftrace_rec_select_ops(&rec, list));

	/* One, whatever else the record says */
	rec.flags = alone | FTRACE_FL_REGS | FTRACE_FL_REGS_EN | FTRACE_FL_IPMODIFY | 1;
	KUNIT_EXPECT_PTR_EQ(test, &ctx->ops[1].ops, ftrace_rec_select_ops(&rec, list));

	/* Several */
	rec.flags = FTRACE_FL_ENABLED | 2;
	KUNIT_EXPECT_PTR_EQ(test, &ftrace_list_ops, ftrace_rec_select_ops(&rec, list));
	rec.flags = FTRACE_FL_ENABLED | FTRACE_FL_REGS | FTRACE_FL_REGS_EN | 3;
	KUNIT_EXPECT_PTR_EQ(test, &ftrace_list_ops, ftrace_rec_select_ops(&rec, list));
}

/* FTRACE_FL_CALL_OPS follows the count */
static void count_test(struct kunit *test)
{
	struct dyn_ftrace rec = { };

	for (unsigned int nr = 0; nr < 4; nr++) {
		rec.flags = FTRACE_FL_ENABLED | FTRACE_FL_CALL_OPS | nr;
		ftrace_rec_update_call_ops(&rec);
		KUNIT_EXPECT_EQ(test, nr == 1, !!(rec.flags & FTRACE_FL_CALL_OPS));

		rec.flags = FTRACE_FL_ENABLED | nr;
		ftrace_rec_update_call_ops(&rec);
		KUNIT_EXPECT_EQ(test, nr == 1, !!(rec.flags & FTRACE_FL_CALL_OPS));
	}
}

static const unsigned long flags_params[] = {
	0,
	FTRACE_OPS_FL_RECURSION,
	FTRACE_OPS_FL_RCU,
	FTRACE_OPS_FL_RECURSION | FTRACE_OPS_FL_RCU,
	FTRACE_OPS_FL_SAVE_REGS,
	FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_IPMODIFY,
	FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_RECURSION | FTRACE_OPS_FL_RCU,
};

static void flags_desc(const unsigned long *flags, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s%s%s%s%s",
		 *flags ? "" : "none",
		 *flags & FTRACE_OPS_FL_RECURSION ? "RECURSION " : "",
		 *flags & FTRACE_OPS_FL_RCU ? "RCU " : "",
		 *flags & FTRACE_OPS_FL_SAVE_REGS ? "SAVE_REGS " : "",
		 *flags & FTRACE_OPS_FL_IPMODIFY ? "IPMODIFY" : "");
}

KUNIT_ARRAY_PARAM(flags, flags_params, flags_desc);

/* A lone ops serves its callsite itself, whatever it asks for */
static void alone_test(struct kunit *test)
{
	const unsigned long *flags = test->param_value;
	struct context *ctx = test->priv;
	struct test_ops *t = &ctx->ops[0], *other = &ctx->ops[1];
	bool assist = *flags & (FTRACE_OPS_FL_RECURSION | FTRACE_OPS_FL_RCU);

	t->ops.flags = *flags;
	trace(test, t, ctx->rec_a);
	trace(test, other, ctx->rec_b);
	add(test, other);
	add(test, t);

	KUNIT_EXPECT_PTR_EQ(test, &t->ops, serving(ctx->rec_a));
	KUNIT_EXPECT_PTR_EQ(test, &other->ops, serving(ctx->rec_b));
	KUNIT_EXPECT_EQ(test, assist, t->ops.callsite_func != t->ops.func);
	tracee_a();
	tracee_a();

	del(test, t);
	KUNIT_EXPECT_PTR_EQ(test, &ftrace_nop_ops, serving(ctx->rec_a));
	tracee_a();
	tracee_b();
	KUNIT_EXPECT_EQ(test, 2, t->calls);
	KUNIT_EXPECT_EQ(test, 1, other->calls);

	del(test, other);
	KUNIT_EXPECT_PTR_EQ(test, &ftrace_nop_ops, serving(ctx->rec_b));
}

/* One, two, three and back: from the list to whichever is left */
static void several_test(struct kunit *test)
{
	static const int order[][NR_OPS] = { { 0, 1, 2 }, { 2, 1, 0 }, { 1, 0, 2 } };
	struct context *ctx = test->priv;
	struct test_ops *last;

	for (int i = 0; i < NR_OPS; i++)
		trace(test, &ctx->ops[i], ctx->rec_a);
	/* Registers are saved for all while one wants them */
	ctx->ops[1].ops.flags |= FTRACE_OPS_FL_SAVE_REGS;

	for (int o = 0; o < ARRAY_SIZE(order); o++) {
		for (int i = 0; i < NR_OPS; i++) {
			ctx->ops[i].calls = 0;
			add(test, &ctx->ops[i]);
			tracee_a();
		}
		KUNIT_EXPECT_PTR_EQ(test, &ftrace_list_ops, serving(ctx->rec_a));

		del(test, &ctx->ops[order[o][0]]);
		KUNIT_EXPECT_PTR_EQ(test, &ftrace_list_ops, serving(ctx->rec_a));
		tracee_a();

		del(test, &ctx->ops[order[o][1]]);
		last = &ctx->ops[order[o][2]];
		KUNIT_EXPECT_PTR_EQ(test, &last->ops, serving(ctx->rec_a));
		tracee_a();

		del(test, last);
		KUNIT_EXPECT_PTR_EQ(test, &ftrace_nop_ops, serving(ctx->rec_a));
		tracee_a();

		/* ops[i] saw the calls from the i-th on until it was removed */
		for (int i = 0; i < NR_OPS; i++)
			KUNIT_EXPECT_EQ(test, NR_OPS - order[o][i] + i,
					ctx->ops[order[o][i]].calls);
	}
}

/* An ops that stays registered and changes what it traces */
static void filter_test(struct kunit *test)
{
	struct context *ctx = test->priv;
	struct test_ops *t = &ctx->ops[0];

	trace(test, t, ctx->rec_a);
	add(test, t);
	KUNIT_EXPECT_PTR_EQ(test, &t->ops, serving(ctx->rec_a));
	KUNIT_EXPECT_PTR_EQ(test, &ftrace_nop_ops, serving(ctx->rec_b));

	/* Both */
	trace(test, t, ctx->rec_b);
	KUNIT_EXPECT_PTR_EQ(test, &t->ops, serving(ctx->rec_a));
	KUNIT_EXPECT_PTR_EQ(test, &t->ops, serving(ctx->rec_b));

	/* Only the other one */
	KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter_ip(&t->ops, ctx->rec_a->ip, 1, 0));
	KUNIT_EXPECT_PTR_EQ(test, &ftrace_nop_ops, serving(ctx->rec_a));
	KUNIT_EXPECT_PTR_EQ(test, &t->ops, serving(ctx->rec_b));
	tracee_a();
	tracee_b();
	KUNIT_EXPECT_EQ(test, 1, t->calls);

	/* Not that one either */
	KUNIT_ASSERT_EQ(test, 0, ftrace_set_notrace(&t->ops, "tracee_b",
						    strlen("tracee_b"), 0));
	KUNIT_EXPECT_PTR_EQ(test, &ftrace_nop_ops, serving(ctx->rec_b));

	del(test, t);
}

/* The pid filter is put between the callsite and the ops */
static void pid_test(struct kunit *test)
{
	struct context *ctx = test->priv;
	struct test_ops *t = &ctx->ops[0];
	struct trace_array *tr;

	tr = kunit_kzalloc(test, sizeof(*tr), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, tr);

	/* Nobody calls tracee_a() here, so that nobody looks into @tr */
	t->ops.flags = FTRACE_OPS_FL_PID;
	t->ops.private = tr;
	trace(test, t, ctx->rec_a);

	add(test, t);
	KUNIT_EXPECT_TRUE(test, t->ops.callsite_func == test_func);
	del(test, t);

	rcu_assign_pointer(tr->function_pids, (struct trace_pid_list *)tr);
	add(test, t);
	KUNIT_EXPECT_PTR_EQ(test, &t->ops, serving(ctx->rec_a));
	KUNIT_EXPECT_TRUE(test, t->ops.callsite_func == t->ops.func);
	KUNIT_EXPECT_FALSE(test, t->ops.callsite_func == test_func);
	del(test, t);
}

/* What ftrace does when it fails half-way: the list function takes over */
static void retire_test(struct kunit *test)
{
	struct context *ctx = test->priv;
	struct test_ops *t = &ctx->ops[0], *other = &ctx->ops[1];

	trace(test, t, ctx->rec_a);
	trace(test, other, ctx->rec_b);
	add(test, t);
	add(test, other);

	mutex_lock(&ftrace_lock);
	ftrace_retire_ops(&t->ops);
	mutex_unlock(&ftrace_lock);

	KUNIT_EXPECT_PTR_EQ(test, &ftrace_list_ops, serving(ctx->rec_a));
	KUNIT_EXPECT_PTR_EQ(test, &other->ops, serving(ctx->rec_b));
	tracee_a();
	KUNIT_EXPECT_EQ(test, 1, t->calls);

	del(test, t);
	del(test, other);
	KUNIT_EXPECT_PTR_EQ(test, &ftrace_nop_ops, serving(ctx->rec_a));
}

/* Where the literal is, and that it is recognized */
static void literal_test(struct kunit *test)
{
	struct context *ctx = test->priv;
	unsigned long ip = ctx->rec_a->ip;
	unsigned long literal = ftrace_literal_addr(ip);

	KUNIT_EXPECT_TRUE(test, IS_ALIGNED(literal, sizeof(unsigned long)));
	KUNIT_EXPECT_LE(test, literal + sizeof(unsigned long), (unsigned long)tracee_a);
	KUNIT_EXPECT_LE(test, ip - literal, (unsigned long)FTRACE_LITERAL_REACH);

	for (unsigned long addr = literal - 4; addr <= ip + 8; addr += 4)
		KUNIT_EXPECT_EQ(test,
				(addr >= literal && addr < literal + sizeof(unsigned long)) ||
				(addr > ip && addr < ip + MCOUNT_INSN_SIZE),
				ftrace_site_reserved(addr));
}

static int call_ops_init(struct kunit *test)
{
	struct context *ctx;

	ctx = kunit_kzalloc(test, sizeof(*ctx), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, ctx);
	for (int i = 0; i < NR_OPS; i++)
		ctx->ops[i].ops.func = test_func;

	ctx->rec_a = find_rec(tracee_a);
	ctx->rec_b = find_rec(tracee_b);
	KUNIT_ASSERT_NOT_NULL(test, ctx->rec_a);
	KUNIT_ASSERT_NOT_NULL(test, ctx->rec_b);

	test->priv = ctx;
	return 0;
}

static void call_ops_exit(struct kunit *test)
{
	struct context *ctx = test->priv;

	/* An assertion may have left them registered */
	for (int i = 0; ctx && i < NR_OPS; i++) {
		if (ctx->ops[i].ops.flags & FTRACE_OPS_FL_ENABLED)
			unregister_ftrace_function(&ctx->ops[i].ops);
		ftrace_free_filter(&ctx->ops[i].ops);
	}
}

static struct kunit_case call_ops_cases[] = {
	KUNIT_CASE(select_test),
	KUNIT_CASE(count_test),
	KUNIT_CASE_PARAM(alone_test, flags_gen_params),
	KUNIT_CASE(several_test),
	KUNIT_CASE(filter_test),
	KUNIT_CASE(pid_test),
	KUNIT_CASE(retire_test),
	KUNIT_CASE(literal_test),
	{ }
};

static struct kunit_suite call_ops_suite = {
	.name = "ftrace_call_ops",
	.init = call_ops_init,
	.exit = call_ops_exit,
	.test_cases = call_ops_cases,
};

kunit_test_suite(call_ops_suite);

MODULE_LICENSE("GPL");
