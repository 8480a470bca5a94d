// SPDX-License-Identifier: GPL-2.0
/* Programs for functions that others are called like, see guest-modules/twin */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char LICENSE[] SEC("license") = "GPL";

long target, twin, show, kernel_show;

SEC("fentry/callops_target:target_one")
int BPF_PROG(on_target)
{
	__sync_fetch_and_add(&target, 1);
	return 0;
}

SEC("fentry/callops_twin:target_one")
int BPF_PROG(on_twin)
{
	__sync_fetch_and_add(&twin, 1);
	return 0;
}

SEC("fentry/callops_twin:version_proc_show")
int BPF_PROG(on_show)
{
	__sync_fetch_and_add(&show, 1);
	return 0;
}

SEC("fentry/vmlinux:version_proc_show")
int BPF_PROG(on_kernel_show)
{
	__sync_fetch_and_add(&kernel_show, 1);
	return 0;
}
