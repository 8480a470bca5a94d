// SPDX-License-Identifier: GPL-2.0
/* A program with a function that another program may replace (freplace) */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "GPL";

__noinline int answer(int x)
{
	asm volatile("" : "+r"(x));
	return x + 1;
}

SEC("tc")
int ask(struct __sk_buff *skb)
{
	return answer(40);
}
