// SPDX-License-Identifier: GPL-2.0
/*
 * Three programs on one function; called in this order, as the last that is attached comes
 * first: two that sleep until there is a page to read, and one that counts. See client.c.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "watched.h"

char LICENSE[] SEC("license") = "GPL";

/* Where the two pages are, and what was seen */
void *first, *second;
long read_first, read_second, counted;

SEC("fentry.s/__arm64_sys_getpgid")
int BPF_PROG(on_first)
{
	if (watched())
		bpf_copy_from_user(&read_first, sizeof(read_first), first);
	return 0;
}

SEC("fentry.s/__arm64_sys_getpgid")
int BPF_PROG(on_second)
{
	if (watched())
		bpf_copy_from_user(&read_second, sizeof(read_second), second);
	return 0;
}

SEC("fentry/__arm64_sys_getpgid")
int BPF_PROG(on_count)
{
	if (watched())
		__sync_fetch_and_add(&counted, 1);
	return 0;
}
