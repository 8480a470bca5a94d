// SPDX-License-Identifier: GPL-2.0
/* A program at the exit of another program, one that has replaced a function */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char LICENSE[] SEC("license") = "GPL";

long calls, last_arg, last_ret;

SEC("fexit/new_answer")
int BPF_PROG(on_answer, int x, int ret)
{
	calls++;
	last_arg = x;
	last_ret = ret;
	return 0;
}
