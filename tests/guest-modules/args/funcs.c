// SPDX-License-Identifier: GPL-2.0
/*
 * In a file of its own, so that no compiler can pass the arguments in a way of its
 * own. Each function looks at what it gets, and at nothing else.
 */

#include <linux/error-injection.h>
#include <linux/kernel.h>
#include <linux/sched.h>

#include "args.h"

unsigned int args_calls, args_wrong;

#define CHECK(x, n)	(args_wrong += (x) != (typeof(x))V(n))
#define CHECK2(x, n)	(CHECK((x).a, n), CHECK((x).b, (n) + 1))
#define CHECK128(x, n)	(args_wrong += (x) != V128(n))
#define CHECK8(a, b, c, d, e, f, g, h) \
	(CHECK(a, 1), CHECK(b, 2), CHECK(c, 3), CHECK(d, 4), \
	 CHECK(e, 5), CHECK(f, 6), CHECK(g, 7), CHECK(h, 8))

static int done(int nr)
{
	args_calls++;
	return RET(nr);
}

int args_nine(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f, u64 g, u64 h, int i)
{
	CHECK8(a, b, c, d, e, f, g, h);
	CHECK(i, 9);
	return done(0);
}
ALLOW_ERROR_INJECTION(args_nine, ERRNO);

int args_eleven(u8 a, u16 b, int c, u64 d, long e, s8 f, short g, u32 h, u8 i, s16 j, u64 k)
{
	CHECK8(a, b, c, d, e, f, g, h);
	CHECK(i, 9);
	CHECK(j, 10);
	CHECK(k, 11);
	return done(1);
}

int args_twelve(u64 a, int b, u64 c, int d, u64 e, int f, u64 g, int h, u64 i, int j, u64 k, int l)
{
	CHECK8(a, b, c, d, e, f, g, h);
	CHECK(i, 9);
	CHECK(j, 10);
	CHECK(k, 11);
	CHECK(l, 12);
	return done(2);
}
ALLOW_ERROR_INJECTION(args_twelve, ERRNO);

int args_task(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f, u64 g, u64 h, int i,
	      struct task_struct *task)
{
	CHECK8(a, b, c, d, e, f, g, h);
	CHECK(i, 9);
	args_wrong += task != current;
	return done(3);
}

int args_structs(struct four a, struct eight b, struct twelve c, int d)
{
	CHECK(a.a, 1);
	CHECK(b.a, 2);
	args_wrong += b.b != V(2) >> 32;
	CHECK2(c, 3);
	CHECK(d, 5);
	return done(4);
}

int args_pair(int a, struct pair b, int c)
{
	CHECK(a, 1);
	CHECK2(b, 2);
	CHECK(c, 4);
	return done(5);
}

int args_spill(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f, u64 g, struct pair h, int i)
{
	CHECK8(a, b, c, d, e, f, g, h.a);
	CHECK(h.b, 9);
	CHECK(i, 10);
	return done(6);
}

int args_below(struct pair a, struct pair b, struct pair c, struct pair d, u8 e, struct pair f,
	       struct eight g, struct twelve h, int i)
{
	CHECK8(a.a, a.b, b.a, b.b, c.a, c.b, d.a, d.b);
	CHECK(e, 9);
	CHECK2(f, 10);
	CHECK(g.a, 12);
	args_wrong += g.b != V(12) >> 32;
	CHECK2(h, 13);
	CHECK(i, 15);
	return done(7);
}
ALLOW_ERROR_INJECTION(args_below, ERRNO);

int args_wide(int a, __uint128_t b, int c, __uint128_t d, int e)
{
	CHECK(a, 1);
	CHECK128(b, 2);
	CHECK(c, 4);
	CHECK128(d, 5);
	CHECK(e, 7);
	return done(8);
}
ALLOW_ERROR_INJECTION(args_wide, ERRNO);

int args_wide_below(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f, u64 g, u64 h, int i,
		    __uint128_t j, int k)
{
	CHECK8(a, b, c, d, e, f, g, h);
	CHECK(i, 9);
	CHECK128(j, 10);
	CHECK(k, 12);
	return done(9);
}

int args_wide_spill(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f, u64 g, __uint128_t h)
{
	CHECK8(a, b, c, d, e, f, g, (u64)h);
	CHECK128(h, 8);
	return done(10);
}

int args_pairs(struct pair a, struct pair b, struct pair c, struct pair d, struct pair e,
	       struct pair f, struct pair g, struct pair h, struct pair i, struct pair j,
	       struct pair k, struct pair l)
{
	CHECK8(a.a, a.b, b.a, b.b, c.a, c.b, d.a, d.b);
	CHECK2(e, 9);
	CHECK2(f, 11);
	CHECK2(g, 13);
	CHECK2(h, 15);
	CHECK2(i, 17);
	CHECK2(j, 19);
	CHECK2(k, 21);
	CHECK2(l, 23);
	return done(11);
}

int args_open(int a, struct open b, int c)
{
	CHECK(a, 1);
	CHECK(b.a, 2);
	CHECK(c, 4);
	return done(12);
}

int args_open_even(struct open a, int b)
{
	CHECK(a.a, 1);
	CHECK(b, 3);
	return done(13);
}

int args_hidden(int a, struct hidden b, u64 c, u64 d, u64 e, u64 f, u64 g, int h)
{
	CHECK8(a, b.a, b.b, c, d, e, f, g);
	CHECK(h, 9);
	return done(14);
}

__uint128_t args_returns(int a)
{
	CHECK(a, 1);
	args_calls++;
	return V128(2);
}

int args_hidden_few(int a, struct hidden b, int c)
{
	CHECK(a, 1);
	CHECK2(b, 2);
	CHECK(c, 4);
	return done(16);
}
