// SPDX-License-Identifier: GPL-2.0
/* A program that takes the place of a function of another program */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "GPL";

SEC("freplace/answer")
int new_answer(int x)
{
	return x + 2;
}
