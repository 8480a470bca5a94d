// SPDX-License-Identifier: GPL-2.0
/* Programs for functions that do not return */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char LICENSE[] SEC("license") = "GPL";

int parent;
long ends;

struct task_struct {
	struct task_struct *real_parent;
	int tgid;
} __attribute__((preserve_access_index));

SEC("fentry/do_exit")
int BPF_PROG(on_end)
{
	if (bpf_get_current_task_btf()->real_parent->tgid == parent)
		__sync_fetch_and_add(&ends, 1);
	return 0;
}

/* The client puts one function after the other here. */
SEC("fexit/do_exit")
int BPF_PROG(on_return)
{
	return 0;
}

SEC("fmod_ret/__arm64_sys_exit_group")
int BPF_PROG(on_modify)
{
	return 0;
}
