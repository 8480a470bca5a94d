// SPDX-License-Identifier: GPL-2.0
/*
 * One program on many functions, at their entry and at their return. Each hit counts for
 * the function that bpf_get_func_ip() names; see client.c.
 */
#include <linux/bpf.h>
#include <linux/ptrace.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "watched.h"

char LICENSE[] SEC("license") = "GPL";

#define NR_FUNCS 3

/* On which functions, whose cookies are 100, 101, ...; and what was seen */
__u64 ips[NR_FUNCS];
long entries[NR_FUNCS], returns[NR_FUNCS], last_ret[NR_FUNCS];
long last_count, bad_cookies, others;
__u64 stack[8];

/* Which function, or -1 */
static int which(void *ctx)
{
	__u64 ip = bpf_get_func_ip(ctx), cookie = bpf_get_attach_cookie(ctx);
	int i;

	for (i = 0; i < NR_FUNCS; i++) {
		if (ip != ips[i])
			continue;
		if (cookie != 100 + i)
			__sync_fetch_and_add(&bad_cookies, 1);
		return i;
	}
	__sync_fetch_and_add(&others, 1);
	return -1;
}

SEC("kprobe.multi")
int BPF_KPROBE(on_multi, void *file, const char *buf, unsigned long count)
{
	int i = watched() ? which(ctx) : -1;

	if (i < 0 || i >= NR_FUNCS)
		return 0;
	__sync_fetch_and_add(&entries[i], 1);
	if (!i)
		last_count = count;
	return 0;
}

SEC("kretprobe.multi")
int BPF_KRETPROBE(on_multi_return, long ret)
{
	int i = watched() ? which(ctx) : -1;

	if (i < 0 || i >= NR_FUNCS)
		return 0;
	__sync_fetch_and_add(&returns[i], 1);
	last_ret[i] = ret;
	if (!i)
		bpf_get_stack(ctx, stack, sizeof(stack), 0);
	return 0;
}
