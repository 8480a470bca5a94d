// SPDX-License-Identifier: GPL-2.0
/*
 * User memory is read by the helper only; a load from there gives 0. The types of a kernel
 * that clang has built say __user, so there the verifier refuses the load.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "watched.h"

char LICENSE[] SEC("license") = "GPL";

/* A kernel type, of an object in user space */
struct robust_list_head {
	long futex_offset;
} __attribute__((preserve_access_index));

struct task_struct {
	struct robust_list_head *robust_list;
} __attribute__((preserve_access_index));

/* What was seen */
long read, followed = -1;

SEC("fentry/__arm64_sys_getpgid")
int BPF_PROG(on_user_pointer)
{
	struct robust_list_head *user = bpf_get_current_task_btf()->robust_list;

	if (!watched())
		return 0;
	bpf_probe_read_user(&read, sizeof(read), &user->futex_offset);
	followed = user->futex_offset;
	return 0;
}
