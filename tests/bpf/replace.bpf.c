// SPDX-License-Identifier: GPL-2.0
/* A program that takes the place of a function of another program */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char LICENSE[] SEC("license") = "GPL";

long replaced;

SEC("freplace/answer")
int new_answer(int x)
{
	__sync_fetch_and_add(&replaced, 1);
	return x + 2;
}
