// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of per-callsite ftrace_ops: the choice of the ops, over its truth
 * table, on private records and lists; what real callsites, those of the
 * tracees below, end up with as ops come and go; literals in each kind of
 * memory that holds some; and what is a patch site.
 */

#include <kunit/test.h>
#include <linux/ftrace_batch.h>
#include <linux/ftrace_call_ops.h>
#include <linux/memory.h>
#include <linux/module.h>
#include <linux/moduleloader.h>
#include <linux/set_memory.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <asm/sections.h>

#include "ftrace_callsite.h"
#include "trace.h"

/*
 * What the compiler puts at a patch site: 16 bytes of NOPs, of which the first 8
 * are in front of the function, which may begin with a landing pad. Further
 * what is no NOP, where the callsite is, and what writes the literal.
 */
#ifdef CONFIG_ARM64
#include <asm/insn.h>
#include <asm/patching.h>

typedef u32 site_insn;
#define INSN(insn)	((__force u32)cpu_to_le32(insn))
#define SITE_NOP	INSN(0xd503201f)
#define SITE_IP		12

/* None, BTI C, BTI, BTI J, BTI JC */
static const site_insn landings[] = {
	0, INSN(0xd503245f), INSN(0xd503241f), INSN(0xd503249f), INSN(0xd50324df),
};

/* UDF, BTI C, MOV X9, LR */
static const site_insn no_nops[] = { 0, INSN(0xd503245f), INSN(0xaa1e03e9) };

/* Not by arch_ftrace_write_literal(): no ip makes it write to a misaligned address */
#define write_literal(addr, val)	aarch64_insn_write_literal_u64(addr, val)
#else
#ifdef CONFIG_RISCV_ISA_C
typedef u16 site_insn;
#define SITE_NOP	0x0001
#define OTHER_NOP	0x0013	/* half of it */
#else
typedef u32 site_insn;
#define SITE_NOP	0x00000013
#define OTHER_NOP	0x00010001
#endif
#define SITE_IP		8

static const site_insn landings[] = { 0 };

/* No instruction, the NOP of the other size, AUIPC T0 */
static const site_insn no_nops[] = { 0, OTHER_NOP, 0x0297 };

static int write_literal(void *addr, u64 val)
{
	struct dyn_ftrace rec = {
		.ip = (unsigned long)addr + FTRACE_LITERAL_REACH,
	};

	return arch_ftrace_write_literal(&rec, (void *)val);
}
#endif

#define NR_OPS	3

/* Functions to trace. The folder is not instrumented, but this file is. */
static noinline void tracee_a(void)
{
	asm volatile("/* a */" : : : "memory");
}

static noinline void tracee_b(void)
{
	asm volatile("/* b */" : : : "memory");
}

/* Wherever they are, two of the four have their callsites and literals in one page. */
static noinline void tracee_c(void)
{
	asm volatile("/* c */" : : : "memory");
}

static noinline void tracee_d(void)
{
	asm volatile("/* d */" : : : "memory");
}

static void (*const tracees[])(void) = { tracee_a, tracee_b, tracee_c, tracee_d };

struct test_ops {
	struct ftrace_ops ops;
	unsigned int calls;
	unsigned int turn;
};

static notrace void test_func(unsigned long ip, unsigned long parent_ip,
			      struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct test_ops *t = container_of(op, struct test_ops, ops);
	static unsigned int turns;

	t->calls++;
	t->turn = ++turns;
}

struct context {
	struct test_ops ops[NR_OPS];
	struct dyn_ftrace *rec_a;
	struct dyn_ftrace *rec_b;
	void *module;
	void *pages;
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
	ops = ftrace_rec_read_literal(rec);
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
	const unsigned long alone = FTRACE_FL_ENABLED | FTRACE_FL_CALL_OPS_EN;
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

/* What the literal of @rec names is neither an ops of ours nor the list: a set */
static bool by_set(struct context *ctx, struct dyn_ftrace *rec)
{
	const struct ftrace_ops *ops = serving(rec);

	for (int i = 0; i < NR_OPS; i++) {
		if (ops == &ctx->ops[i].ops)
			return false;
	}

	return ops != &ftrace_nop_ops && ops != &ftrace_list_ops &&
	       rec->flags & FTRACE_FL_CALL_OPS_EN;
}

/* One, two, three and back: from a set to whichever is left */
static void several_test(struct kunit *test)
{
	static const int order[][NR_OPS] = { { 0, 1, 2 }, { 2, 1, 0 }, { 1, 0, 2 } };
	struct context *ctx = test->priv;
	struct test_ops *last;

	for (int i = 0; i < NR_OPS; i++)
		trace(test, &ctx->ops[i], ctx->rec_a);
	/* Registers are saved for all while one wants them */
	ctx->ops[1].ops.flags |= FTRACE_OPS_FL_SAVE_REGS;
	/* One set is of ops that want no check, the others are mixed */
	ctx->ops[2].ops.flags |= FTRACE_OPS_FL_RECURSION;

	for (int o = 0; o < ARRAY_SIZE(order); o++) {
		for (int i = 0; i < NR_OPS; i++) {
			ctx->ops[i].calls = 0;
			add(test, &ctx->ops[i]);
			tracee_a();
		}
		KUNIT_EXPECT_TRUE(test, by_set(ctx, ctx->rec_a));

		del(test, &ctx->ops[order[o][0]]);
		KUNIT_EXPECT_TRUE(test, by_set(ctx, ctx->rec_a));
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

/* Callsites with the same ops share a set, and get another when these change */
static void set_test(struct kunit *test)
{
	struct context *ctx = test->priv;
	struct test_ops *t = ctx->ops;
	const struct ftrace_ops *set;

	for (int i = 0; i < 2; i++) {
		trace(test, &t[i], ctx->rec_a);
		trace(test, &t[i], ctx->rec_b);
		add(test, &t[i]);
	}
	set = serving(ctx->rec_a);
	KUNIT_EXPECT_TRUE(test, by_set(ctx, ctx->rec_a));
	KUNIT_EXPECT_PTR_EQ(test, set, serving(ctx->rec_b));

	/* A third one on one of them: only that one changes */
	trace(test, &t[2], ctx->rec_a);
	add(test, &t[2]);
	KUNIT_EXPECT_TRUE(test, by_set(ctx, ctx->rec_a));
	KUNIT_EXPECT_PTR_NE(test, set, serving(ctx->rec_a));
	KUNIT_EXPECT_PTR_EQ(test, set, serving(ctx->rec_b));
	tracee_a();
	tracee_b();
	KUNIT_EXPECT_EQ(test, 2, t[0].calls);
	KUNIT_EXPECT_EQ(test, 2, t[1].calls);
	KUNIT_EXPECT_EQ(test, 1, t[2].calls);

	/* It goes over to the other one by its filter: the two swap their sets */
	KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter_ip(&t[2].ops, ctx->rec_b->ip, 0, 1));
	KUNIT_EXPECT_PTR_EQ(test, set, serving(ctx->rec_a));
	KUNIT_EXPECT_PTR_NE(test, set, serving(ctx->rec_b));
	tracee_a();
	tracee_b();
	KUNIT_EXPECT_EQ(test, 4, t[0].calls);
	KUNIT_EXPECT_EQ(test, 2, t[2].calls);

	/* The first one leaves and comes back: the last that was added is called first */
	KUNIT_EXPECT_TRUE(test, t[2].turn < t[1].turn && t[1].turn < t[0].turn);
	del(test, &t[0]);
	KUNIT_EXPECT_PTR_EQ(test, &t[1].ops, serving(ctx->rec_a));
	KUNIT_EXPECT_TRUE(test, by_set(ctx, ctx->rec_b));
	add(test, &t[0]);
	KUNIT_EXPECT_TRUE(test, by_set(ctx, ctx->rec_b));
	tracee_b();
	KUNIT_EXPECT_TRUE(test, t[0].turn < t[2].turn && t[2].turn < t[1].turn);
	for (int i = 0; i < NR_OPS; i++)
		KUNIT_EXPECT_EQ(test, i < 2 ? 5 : 3, t[i].calls);

	for (int i = 0; i < NR_OPS; i++)
		del(test, &t[i]);
	KUNIT_EXPECT_PTR_EQ(test, &ftrace_nop_ops, serving(ctx->rec_a));
	KUNIT_EXPECT_PTR_EQ(test, &ftrace_nop_ops, serving(ctx->rec_b));
}

/* Sets take all they may: the list serves, until there is room in a later update */
static void set_limit_test(struct kunit *test)
{
	struct context *ctx = test->priv;
	struct test_ops *t = ctx->ops;

	ftrace_ops_sets_max_bytes = 0;
	for (int i = 0; i < 2; i++) {
		trace(test, &t[i], ctx->rec_a);
		add(test, &t[i]);
	}
	KUNIT_EXPECT_PTR_EQ(test, &ftrace_list_ops, serving(ctx->rec_a));
	tracee_a();

	ftrace_ops_sets_max_bytes = FTRACE_OPS_SETS_MAX_BYTES;
	trace(test, &t[2], ctx->rec_b);
	add(test, &t[2]);
	KUNIT_EXPECT_TRUE(test, by_set(ctx, ctx->rec_a));
	tracee_a();
	for (int i = 0; i < NR_OPS; i++) {
		KUNIT_EXPECT_EQ(test, i < 2 ? 2 : 0, t[i].calls);
		del(test, &t[i]);
	}
}

/* Sets that nobody needs any more are freed */
static void wait_for_sets(void)
{
	rcu_barrier_tasks_rude();
	if (IS_ENABLED(CONFIG_PREEMPTION))
		rcu_barrier_tasks();
}

/* With room for one, there is none for another, until the first one was freed */
static void set_count_test(struct kunit *test)
{
	struct context *ctx = test->priv;
	struct test_ops *t = ctx->ops;
	unsigned long max;

	wait_for_sets();
	trace(test, &t[0], ctx->rec_a);
	trace(test, &t[0], ctx->rec_b);
	trace(test, &t[1], ctx->rec_a);
	trace(test, &t[2], ctx->rec_b);
	add(test, &t[0]);
	for (max = SZ_64; max <= SZ_4K; max *= 2) {
		ftrace_ops_sets_max_bytes = max;
		add(test, &t[1]);
		if (by_set(ctx, ctx->rec_a))
			break;
		del(test, &t[1]);
	}
	KUNIT_ASSERT_LE(test, max, SZ_4K);

	add(test, &t[2]);
	KUNIT_EXPECT_PTR_EQ(test, &ftrace_list_ops, serving(ctx->rec_b));
	del(test, &t[2]);
	del(test, &t[1]);
	wait_for_sets();
	add(test, &t[2]);
	KUNIT_EXPECT_TRUE(test, by_set(ctx, ctx->rec_b));
	del(test, &t[2]);
	del(test, &t[0]);
}

/* Write the first @nr of @sites; to what they were, if @back */
static int write_sites(struct ftrace_site *sites, unsigned int nr,
		       unsigned int *done, bool back)
{
	int ret;

	for (unsigned int i = 0; back && i < nr; i++) {
		swap(sites[i].was, sites[i].ops);
		swap(sites[i].old, sites[i].new);
	}
	*done = 0;

	mutex_lock(&ftrace_lock);
	ftrace_arch_code_modify_prepare();
	ret = arch_ftrace_write_sites(sites, nr, done);
	ftrace_arch_code_modify_post_process();
	mutex_unlock(&ftrace_lock);

	return ret;
}

/* Two functions whose callsites and literals are in one page */
static bool find_neighbours(struct dyn_ftrace *recs[2], int nr[2])
{
	for (nr[1] = 1; nr[1] < ARRAY_SIZE(tracees); nr[1]++) {
		for (nr[0] = 0; nr[0] < nr[1]; nr[0]++) {
			recs[0] = find_rec(tracees[nr[0]]);
			recs[1] = find_rec(tracees[nr[1]]);
			if (recs[0] && recs[1] &&
			    !((ftrace_literal_addr(recs[0]->ip) ^ recs[1]->ip) & PAGE_MASK) &&
			    !((ftrace_literal_addr(recs[1]->ip) ^ recs[0]->ip) & PAGE_MASK))
				return true;
		}
	}

	return false;
}

/* The first callsite, the second or none is not what it should be: it ends the batch */
static void batch_test(struct kunit *test)
{
	struct context *ctx = test->priv;
	struct test_ops *t = ctx->ops;
	struct dyn_ftrace *recs[2];
	struct ftrace_site sites[2];
	unsigned int done;
	int nr[2];

	KUNIT_ASSERT_TRUE(test, find_neighbours(recs, nr));
	t->ops.callsite_func = test_func;

	for (unsigned int wrong = 0; wrong <= 2; wrong++) {
		for (int i = 0; i < 2; i++) {
			sites[i] = (struct ftrace_site) {
				.rec = recs[i], .was = &ftrace_nop_ops, .ops = &t->ops,
			};
			KUNIT_ASSERT_EQ(test, 0,
					arch_ftrace_prepare_site(&sites[i], 0, FTRACE_ADDR));
			if (i == wrong)
				sites[i].old = sites[i].new ^ 1;
		}
		t->calls = 0;
		KUNIT_EXPECT_EQ(test, wrong < 2 ? -EINVAL : 0, write_sites(sites, 2, &done, false));
		KUNIT_EXPECT_EQ(test, wrong, done);
		tracees[nr[0]]();
		KUNIT_EXPECT_EQ(test, wrong > 0, t->calls);
		tracees[nr[1]]();
		KUNIT_EXPECT_EQ(test, wrong, t->calls);
		for (int i = 0; i < 2; i++)
			KUNIT_EXPECT_PTR_EQ(test, i < wrong ? &t->ops : &ftrace_nop_ops,
					    serving(recs[i]));

		if (wrong)
			KUNIT_EXPECT_EQ(test, 0, write_sites(sites, wrong, &done, true));
		tracees[nr[0]]();
		tracees[nr[1]]();
		KUNIT_EXPECT_EQ(test, wrong, t->calls);
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

static unsigned long filtered(struct test_ops *t)
{
	return rcu_dereference_protected(t->ops.func_hash->filter_hash, true)->count;
}

/* Functions come to the filter one by one, so that it has to grow, and go again */
static void filter_one_by_one_test(struct kunit *test)
{
	struct context *ctx = test->priv;
	struct test_ops *t = &ctx->ops[0];
	struct dyn_ftrace *recs[40];
	struct ftrace_rec_iter *iter;
	unsigned int nr = 0;

	mutex_lock(&ftrace_lock);
	for_ftrace_rec_iter(iter) {
		struct dyn_ftrace *rec = ftrace_rec_iter_record(iter);

		if (rec->flags || rec == ctx->rec_a)
			continue;
		recs[nr++] = rec;
		if (nr == ARRAY_SIZE(recs))
			break;
	}
	mutex_unlock(&ftrace_lock);
	KUNIT_ASSERT_EQ(test, ARRAY_SIZE(recs), nr);

	trace(test, t, ctx->rec_a);
	add(test, t);
	for (int i = 0; i < nr; i++) {
		trace(test, t, recs[i]);
		KUNIT_EXPECT_PTR_EQ(test, &t->ops, serving(recs[i]));
		KUNIT_EXPECT_PTR_EQ(test, &t->ops, serving(recs[0]));
		KUNIT_EXPECT_EQ(test, i + 2, filtered(t));
	}

	/* Twice is once, to go twice is an error, and so is what is no function. */
	trace(test, t, recs[0]);
	KUNIT_EXPECT_EQ(test, nr + 1, filtered(t));
	KUNIT_EXPECT_EQ(test, 0, ftrace_set_filter_ip(&t->ops, recs[0]->ip, 1, 0));
	KUNIT_EXPECT_EQ(test, -ENOENT, ftrace_set_filter_ip(&t->ops, recs[0]->ip, 1, 0));
	KUNIT_EXPECT_EQ(test, -EINVAL, ftrace_set_filter_ip(&t->ops, (unsigned long)recs, 0, 0));
	trace(test, t, recs[0]);

	for (int i = 0; i < nr; i++) {
		KUNIT_EXPECT_EQ(test, 0, ftrace_set_filter_ip(&t->ops, recs[i]->ip, 1, 0));
		KUNIT_EXPECT_PTR_EQ(test, &ftrace_nop_ops, serving(recs[i]));
	}
	KUNIT_EXPECT_EQ(test, 1, filtered(t));

	t->calls = 0;
	tracee_a();
	tracee_b();
	KUNIT_EXPECT_EQ(test, 1, t->calls);

	/* An empty filter stands for all functions */
	KUNIT_EXPECT_EQ(test, 0, ftrace_set_filter_ip(&t->ops, ctx->rec_a->ip, 1, 0));
	KUNIT_EXPECT_EQ(test, 0, filtered(t));
	KUNIT_EXPECT_PTR_EQ(test, &t->ops, serving(ctx->rec_a));
	KUNIT_EXPECT_PTR_EQ(test, &t->ops, serving(ctx->rec_b));
	trace(test, t, ctx->rec_a);
	KUNIT_EXPECT_PTR_EQ(test, &t->ops, serving(ctx->rec_a));
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

/* What ftrace does when it has failed, and an ops goes: nobody calls that one */
static void retire_test(struct kunit *test)
{
	struct context *ctx = test->priv;
	struct test_ops *t = &ctx->ops[0], *other = &ctx->ops[1];

	trace(test, t, ctx->rec_a);
	trace(test, other, ctx->rec_b);
	trace(test, &ctx->ops[2], ctx->rec_a);
	add(test, t);
	add(test, other);

	mutex_lock(&ftrace_lock);
	ftrace_bug_disarm_ops(&t->ops);
	mutex_unlock(&ftrace_lock);

	KUNIT_EXPECT_PTR_EQ(test, &ftrace_nop_ops, serving(ctx->rec_a));
	KUNIT_EXPECT_PTR_EQ(test, &other->ops, serving(ctx->rec_b));
	tracee_a();
	KUNIT_EXPECT_EQ(test, 0, t->calls);
	del(test, t);

	/* In a set: the list serves the callsite, and the next update makes a set again */
	trace(test, t, ctx->rec_b);
	add(test, t);
	KUNIT_EXPECT_TRUE(test, by_set(ctx, ctx->rec_b));
	mutex_lock(&ftrace_lock);
	ftrace_bug_disarm_ops(&t->ops);
	mutex_unlock(&ftrace_lock);
	KUNIT_EXPECT_PTR_EQ(test, &ftrace_list_ops, serving(ctx->rec_b));
	add(test, &ctx->ops[2]);
	KUNIT_EXPECT_TRUE(test, by_set(ctx, ctx->rec_b));
	tracee_b();
	KUNIT_EXPECT_EQ(test, 1, t->calls);
	KUNIT_EXPECT_EQ(test, 1, other->calls);

	del(test, &ctx->ops[2]);
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

/* An area of two pages: literals on both sides of where they meet */
#define AREA_PAGES	2
#define AREA_SIZE	(AREA_PAGES * PAGE_SIZE)

enum area_class { KERNEL_TEXT, INIT_TEXT, MODULE_TEXT, MODULE_COMING, READ_ONLY };

static const char * const areas[] = {
	[KERNEL_TEXT]	= "kernel text",
	[INIT_TEXT]	= "init text",
	[MODULE_TEXT]	= "module text",
	[MODULE_COMING]	= "module coming",
	[READ_ONLY]	= "read-only",
};

static void area_desc(const char * const *area, char *desc)
{
	strscpy(desc, *area, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(area, areas, area_desc);

/* Never called: text for an area, and a page to align it */
#define TEXT_AREA	".skip (" __stringify(AREA_PAGES) " + 1) << " __stringify(PAGE_SHIFT)

static noinline notrace void text_area(void)
{
	asm volatile(TEXT_AREA);
}

static noinline notrace void __init init_text_area(void)
{
	asm volatile(TEXT_AREA);
}

static void * __ref get_area(struct kunit *test, enum area_class class)
{
	struct context *ctx = test->priv;
	void *area;

	switch (class) {
	case KERNEL_TEXT:
		area = PTR_ALIGN((void *)text_area, PAGE_SIZE);
		KUNIT_ASSERT_TRUE(test, core_kernel_text((unsigned long)area));
		KUNIT_ASSERT_FALSE(test, init_section_contains(area, AREA_SIZE));
		return area;
	case INIT_TEXT:
		if (system_state >= SYSTEM_FREEING_INITMEM)
			kunit_skip(test, "init text is no more");
		area = PTR_ALIGN((void *)init_text_area, PAGE_SIZE);
		KUNIT_ASSERT_TRUE(test, core_kernel_text((unsigned long)area));
		KUNIT_ASSERT_TRUE(test, init_section_contains(area, AREA_SIZE));
		return area;
	case MODULE_TEXT:
	case MODULE_COMING:
		if (!IS_ENABLED(CONFIG_MODULES))
			kunit_skip(test, "no modules");
		area = module_alloc(AREA_SIZE);
		ctx->module = area;
		break;
	default:
		area = vmalloc(AREA_SIZE);
		ctx->pages = area;
		break;
	}

	KUNIT_ASSERT_NOT_NULL(test, area);
	set_vm_flush_reset_perms(area);
	memset(area, 0x5a, AREA_SIZE);
	if (class == MODULE_COMING)
		return area;

	if (!IS_ENABLED(CONFIG_STRICT_MODULE_RWX))
		kunit_skip(test, "text of modules is not read-only");
	KUNIT_ASSERT_EQ(test, 0, set_memory_ro((unsigned long)area, AREA_PAGES));
	if (class == MODULE_TEXT)
		KUNIT_ASSERT_EQ(test, 0, set_memory_x((unsigned long)area, AREA_PAGES));

	return area;
}

/* By a store, but riscv repeats one to a read-only page of these for ever */
static bool writable(void *addr)
{
	u64 val;

	if (IS_ENABLED(CONFIG_RISCV) && is_vmalloc_or_module_addr(addr))
		return pte_write(*virt_to_kpte((unsigned long)addr));

	return !get_kernel_nofault(val, (u64 *)addr) &&
	       !copy_to_kernel_nofault(addr, &val, sizeof(val));
}

/* An area that is as it should be, and in @copy what is in it */
static void *begin_area(struct kunit *test, void **copy)
{
	const char * const *param = test->param_value;
	enum area_class class = param - areas;
	bool read_only = class != MODULE_COMING;
	void *area = get_area(test, class);

	if (class == KERNEL_TEXT || class == INIT_TEXT)
		read_only = IS_ENABLED(CONFIG_STRICT_KERNEL_RWX);
	for (int i = 0; i < AREA_PAGES; i++)
		KUNIT_EXPECT_EQ(test, read_only, !writable(area + i * PAGE_SIZE));

	*copy = kunit_kmalloc(test, AREA_SIZE, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, *copy);
	memcpy(*copy, area, AREA_SIZE);

	return area;
}

static const unsigned long values[] = {
	0x0123456789abcdef, ~0x0123456789abcdef, (unsigned long)&ftrace_nop_ops,
};

/*
 * Each literal of some lines of cache, the first and the last of a page, by each
 * ip that has it: what was written is there, and nothing else has changed.
 */
static void write_test(struct kunit *test)
{
	static const size_t offsets[] = {
		0, 8, 16, 24, 32, 40, 48, 56, 64,
		PAGE_SIZE - 8, PAGE_SIZE, AREA_SIZE - 8,
	};
	void *copy, *area = begin_area(test, &copy);

	for (int i = 0; i < ARRAY_SIZE(offsets); i++) {
		unsigned long literal = (unsigned long)area + offsets[i];
		struct dyn_ftrace rec = { .ip = literal };
		int ips = 0;

		for (; rec.ip <= literal + FTRACE_LITERAL_REACH; rec.ip += 4) {
			if (ftrace_literal_addr(rec.ip) != literal)
				continue;

			ips++;
			for (int v = 0; v < ARRAY_SIZE(values); v++) {
				const struct ftrace_ops *ops = (void *)values[v];
				int ret;

				mutex_lock(&text_mutex);
				ret = arch_ftrace_write_literal(&rec, ops);
				mutex_unlock(&text_mutex);

				memcpy(copy + offsets[i], &ops, sizeof(ops));
				KUNIT_EXPECT_EQ(test, 0, ret);
				KUNIT_EXPECT_PTR_EQ(test, ops, ftrace_rec_read_literal(&rec));
				KUNIT_EXPECT_EQ(test, 0, memcmp(copy, area, AREA_SIZE));
			}
		}
		KUNIT_EXPECT_EQ(test, IS_ENABLED(CONFIG_ARM64) ? 2 : 1, ips);
	}
}

/* A misaligned literal could not be written by one store, and is not written. */
static void write_misaligned_test(struct kunit *test)
{
	static const size_t bases[] = { 0, PAGE_SIZE - 8 };
	void *copy, *area = begin_area(test, &copy);

	for (int i = 0; i < ARRAY_SIZE(bases) * 8; i++) {
		size_t offset = bases[i / 8] + i % 8;
		u64 val = values[i % 2];
		bool refused = i % 8;
		int ret;

		mutex_lock(&text_mutex);
		ret = write_literal(area + offset, val);
		mutex_unlock(&text_mutex);

		if (!refused)
			memcpy(copy + offset, &val, sizeof(val));
		KUNIT_EXPECT_EQ(test, refused ? -EINVAL : 0, ret);
		KUNIT_EXPECT_EQ(test, 0, memcmp(copy, area, AREA_SIZE));
	}
}

static u8 ftrace_kunit_site[40] __aligned(8);

static void put_insn(unsigned long addr, site_insn insn)
{
	memcpy((void *)addr, &insn, sizeof(insn));
}

/* A site for a function that begins with @landing, with no NOP behind it */
static unsigned long make_site(void *buf, size_t size, site_insn landing)
{
	unsigned long addr = (unsigned long)buf, end = addr + 16;

	memset(buf, 0, size);
	if (landing)
		end += sizeof(landing);
	for (unsigned long pc = addr; pc < end; pc += sizeof(site_insn))
		put_insn(pc, landing && pc == addr + 8 ? landing : SITE_NOP);

	return addr;
}

/* Sites as the compiler makes them, where a literal can be and where not */
static void site_test(struct kunit *test)
{
	for (int l = 0; l < ARRAY_SIZE(landings); l++) {
		for (size_t offset = 0; offset <= 8; offset += 2) {
			unsigned long addr = make_site(ftrace_kunit_site + offset, 24,
						       landings[l]);
			unsigned long ip = addr + SITE_IP;

			if (landings[l])
				ip += sizeof(site_insn);
			if (offset % 8)
				ip = 0;
			KUNIT_EXPECT_EQ_MSG(test, ip, ftrace_call_adjust(addr),
					    "landing pad %d, offset %zu", l, offset);
		}
	}
}

/* Each NOP has to be one. The address 0 is padding. */
static void no_site_test(struct kunit *test)
{
	for (int l = 0; l < ARRAY_SIZE(landings); l++) {
		int nr = 16 / sizeof(site_insn) + !!landings[l];

		for (int i = 0; i < nr; i++) {
			if (landings[l] && i == 8 / sizeof(site_insn))
				continue;

			for (int n = 0; n < ARRAY_SIZE(no_nops); n++) {
				unsigned long addr = make_site(ftrace_kunit_site, 24,
							       landings[l]);

				put_insn(addr + i * sizeof(site_insn), no_nops[n]);
				KUNIT_EXPECT_EQ_MSG(test, 0, ftrace_call_adjust(addr),
						    "landing pad %d, instruction %d is %x",
						    l, i, no_nops[n]);
			}
		}
	}

	KUNIT_EXPECT_EQ(test, 0, ftrace_call_adjust(0));
}

#define INIT_SITES	5

/* The literal of the third is in the first page, all else of it in the second. */
static void make_sites(void *area, struct dyn_ftrace *recs)
{
	memset(area, 0x5a, AREA_SIZE);
	for (int i = 0; i < INIT_SITES; i++)
		recs[i].ip = make_site(area + PAGE_SIZE - 72 + 32 * i, 24, 0) + SITE_IP;
}

static int init_sites(struct dyn_ftrace *recs, unsigned int nr, unsigned int *done)
{
	int ret;

	*done = 0;
	mutex_lock(&ftrace_lock);
	ret = ftrace_batch_init(NULL, recs, nr, done);
	mutex_unlock(&ftrace_lock);

	return ret;
}

/* New callsites are the same by the page as one by one, up to one that is none */
static void init_test(struct kunit *test)
{
	static const unsigned int together[] = { 2, 1, 2 };
	void *area = get_area(test, MODULE_COMING);
	void *copy = kunit_kmalloc(test, AREA_SIZE, GFP_KERNEL);
	struct dyn_ftrace recs[INIT_SITES] = { };
	unsigned int done, first = 0;

	KUNIT_ASSERT_NOT_NULL(test, copy);
	make_sites(area, recs);
	mutex_lock(&ftrace_lock);
	for (int i = 0; i < INIT_SITES; i++)
		KUNIT_EXPECT_EQ(test, 0, ftrace_init_nop(NULL, &recs[i]));
	mutex_unlock(&ftrace_lock);
	memcpy(copy, area, AREA_SIZE);

	make_sites(area, recs);
	for (int i = 0; i < ARRAY_SIZE(together); i++) {
		KUNIT_EXPECT_EQ(test, 0, init_sites(recs + first, INIT_SITES - first, &done));
		KUNIT_EXPECT_EQ(test, together[i], done);
		first += together[i];
	}
	KUNIT_EXPECT_EQ(test, 0, memcmp(copy, area, AREA_SIZE));

	if (!IS_ENABLED(CONFIG_ARM64))
		return;		/* does not look at what is there */
	make_sites(area, recs);
	memset((void *)recs[4].ip - sizeof(site_insn), 0, sizeof(site_insn));
	memcpy(copy, area, AREA_SIZE);
	KUNIT_EXPECT_EQ(test, -EINVAL, init_sites(recs + 3, 2, &done));
	KUNIT_EXPECT_EQ(test, 1, done);
	KUNIT_EXPECT_PTR_EQ(test, &ftrace_nop_ops, ftrace_rec_read_literal(&recs[3]));
	first = recs[4].ip - SITE_IP - (unsigned long)area;
	KUNIT_EXPECT_EQ(test, 0, memcmp(copy + first, area + first, AREA_SIZE - first));
}

/* riscv's callsites have to reach the trampolines, as those in text can */
static void distant_test(struct kunit *test)
{
	void *buf = kunit_kmalloc(test, 24, GFP_KERNEL);
	unsigned long addr;

	KUNIT_ASSERT_NOT_NULL(test, buf);
	addr = make_site(buf, 24, 0);
	KUNIT_EXPECT_EQ(test, IS_ENABLED(CONFIG_RISCV) ? 0 : addr + SITE_IP,
			ftrace_call_adjust(addr));
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

	ftrace_ops_sets_max_bytes = FTRACE_OPS_SETS_MAX_BYTES;

	/* An assertion may have left them registered */
	for (int i = 0; ctx && i < NR_OPS; i++) {
		if (ctx->ops[i].ops.flags & FTRACE_OPS_FL_ENABLED)
			unregister_ftrace_function(&ctx->ops[i].ops);
		ftrace_free_filter(&ctx->ops[i].ops);
	}

	if (IS_ENABLED(CONFIG_MODULES) && ctx && ctx->module)
		module_memfree(ctx->module);
	vfree(ctx ? ctx->pages : NULL);
}

static struct kunit_case call_ops_cases[] = {
	KUNIT_CASE(select_test),
	KUNIT_CASE_PARAM(alone_test, flags_gen_params),
	KUNIT_CASE(several_test),
	KUNIT_CASE(set_test),
	KUNIT_CASE(set_limit_test),
	KUNIT_CASE(set_count_test),
	KUNIT_CASE(batch_test),
	KUNIT_CASE(filter_test),
	KUNIT_CASE(filter_one_by_one_test),
	KUNIT_CASE(pid_test),
	KUNIT_CASE(retire_test),
	KUNIT_CASE(literal_test),
	KUNIT_CASE_PARAM(write_test, area_gen_params),
	KUNIT_CASE_PARAM(write_misaligned_test, area_gen_params),
	KUNIT_CASE(site_test),
	KUNIT_CASE(no_site_test),
	KUNIT_CASE(init_test),
	KUNIT_CASE(distant_test),
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
