// SPDX-License-Identifier: GPL-2.0
/*
 * A program at a function's entry that calls a function of its own, which another
 * program may replace (freplace), and which others trace in turn.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char LICENSE[] SEC("license") = "GPL";

int pid;
long calls, sum;

__noinline int answer(int x)
{
	asm volatile("" : "+r"(x));
	return x + 1;
}

SEC("fentry/__arm64_sys_getpgid")
int BPF_PROG(ask)
{
	if (bpf_get_current_pid_tgid() >> 32 != pid)
		return 0;
	calls++;
	sum += answer(40);
	return 0;
}
