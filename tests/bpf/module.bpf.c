// SPDX-License-Identifier: GPL-2.0
/* A program at the entry of a function of a module, which has to be loaded */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char LICENSE[] SEC("license") = "GPL";

long calls;

SEC("fentry/target_one")
int BPF_PROG(on_target)
{
	__sync_fetch_and_add(&calls, 1);
	bpf_printk("target_one is called");
	return 0;
}
