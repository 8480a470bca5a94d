// SPDX-License-Identifier: GPL-2.0
/* Programs for functions with all kinds of arguments, see guest-modules/args */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char LICENSE[] SEC("license") = "GPL";

/* As many as 12 arguments of two words have */
#define MAX_WORDS 24

/* What was seen, at an entry and at a return: all words, their number, the function */
struct {
	__u64 word[MAX_WORDS];
	__u64 words, ip, calls, ret;
} at_entry, at_exit;

int modify_ret;		/* what fmod_ret returns */
long pid, typed;	/* what the typed programs saw of the task, and how often all else was right */

struct task_struct {
	int pid;
} __attribute__((preserve_access_index));

struct pair {
	__u64 a, b;
};

/* As in guest-modules/args/args.h */
#define V(n)	(0x80f0e0d0c0b0a090ULL + (n) * 0x0101010101010101ULL)

static __always_inline void look(void *ctx, typeof(at_entry) *seen)
{
	int i;

#pragma unroll
	for (i = 0; i < MAX_WORDS; i++)
		if (bpf_get_func_arg(ctx, i, &seen->word[i]))
			seen->word[i] = 0;
	seen->words = bpf_get_func_arg_cnt(ctx);
	seen->ip = bpf_get_func_ip(ctx);
	seen->calls++;
}

/* The client names the function. */
SEC("fentry")
int on_entry(void *ctx)
{
	look(ctx, &at_entry);
	return 0;
}

SEC("fexit")
int on_exit(void *ctx)
{
	look(ctx, &at_exit);
	bpf_get_func_ret(ctx, &at_exit.ret);
	return 0;
}

SEC("fmod_ret")
int on_modify(void *ctx)
{
	look(ctx, &at_entry);
	return modify_ret;
}

/* The verifier knows the types of these. */
SEC("fentry/args_task")
int BPF_PROG(on_task, __u64 a, __u64 b, __u64 c, __u64 d, __u64 e, __u64 f, __u64 g, __u64 h, int i,
	     struct task_struct *task)
{
	pid = task->pid;
	typed += a == V(1) && h == V(8) && i == (int)V(9);
	return 0;
}

SEC("fexit/args_eleven")
int BPF_PROG(on_eleven, __u8 a, __u16 b, int c, __u64 d, long e, signed char f, short g, __u32 h,
	     __u8 i, short j, __u64 k, int ret)
{
	typed += a == (__u8)V(1) && b == (__u16)V(2) && c == (int)V(3) && d == V(4) &&
		 e == (long)V(5) && f == (signed char)V(6) && g == (short)V(7) &&
		 h == (__u32)V(8) && i == (__u8)V(9) && j == (short)V(10) && k == V(11) &&
		 ret == 1001;
	return 0;
}

SEC("fexit/args_spill")
int BPF_PROG2(on_spill, __u64, a, __u64, b, __u64, c, __u64, d, __u64, e, __u64, f, __u64, g,
	      struct pair, h, int, i, int, ret)
{
	typed += a == V(1) && g == V(7) && h.a == V(8) && h.b == V(9) && i == (int)V(10) &&
		 ret == 1006;
	return 0;
}
