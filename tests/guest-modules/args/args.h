/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CALLOPS_ARGS_H
#define CALLOPS_ARGS_H

#include <linux/types.h>

struct task_struct;

/* What is in word N of the arguments, as a program counts them: all bytes differ */
static inline u64 V(unsigned int n)
{
	return 0x80f0e0d0c0b0a090ULL + n * 0x0101010101010101ULL;
}

static inline __uint128_t V128(unsigned int n)
{
	return (__uint128_t)V(n + 1) << 64 | V(n);
}

/* What a function returns, by its number */
#define RET(nr)	(1000 + (nr))

struct four {
	u32 a;
};

struct eight {
	u32 a, b;
};

struct twelve {
	u64 a;
	u32 b;
} __packed;

struct pair {
	u64 a, b;
};

/* Aligned as a whole, which does not count for where it is passed. */
struct open {
	u64 a;
} __aligned(16);

/* Aligned by its member, which counts, and which BTF does not show. */
struct hidden {
	u64 a __aligned(16);
	u64 b;
};

extern unsigned int args_calls, args_wrong;

int args_nine(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f, u64 g, u64 h, int i);
int args_eleven(u8 a, u16 b, int c, u64 d, long e, s8 f, short g, u32 h, u8 i, s16 j, u64 k);
int args_twelve(u64 a, int b, u64 c, int d, u64 e, int f, u64 g, int h, u64 i, int j, u64 k, int l);
int args_task(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f, u64 g, u64 h, int i,
	      struct task_struct *task);
int args_structs(struct four a, struct eight b, struct twelve c, int d);
int args_pair(int a, struct pair b, int c);
int args_spill(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f, u64 g, struct pair h, int i);
int args_below(struct pair a, struct pair b, struct pair c, struct pair d, u8 e, struct pair f,
	       struct eight g, struct twelve h, int i);
int args_wide(int a, __uint128_t b, int c, __uint128_t d, int e);
int args_wide_below(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f, u64 g, u64 h, int i,
		    __uint128_t j, int k);
int args_wide_spill(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f, u64 g, __uint128_t h);
int args_pairs(struct pair a, struct pair b, struct pair c, struct pair d, struct pair e,
	       struct pair f, struct pair g, struct pair h, struct pair i, struct pair j,
	       struct pair k, struct pair l);
int args_open(int a, struct open b, int c);
int args_open_even(struct open a, int b);
int args_hidden(int a, struct hidden b, u64 c, u64 d, u64 e, u64 f, u64 g, int h);
__uint128_t args_returns(int a);
int args_hidden_few(int a, struct hidden b, int c);

#endif
