// SPDX-License-Identifier: GPL-2.0
/*
 * Programs at the entry and exit of functions, as tracing tools attach them.
 * Each counts what one process does, and says what it saw; see client.c.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "watched.h"

char LICENSE[] SEC("license") = "GPL";

struct file;
struct inode;
struct dentry;

/* Which writes to watch, set by the client; and what was seen */
unsigned long size;
long entries, sleepable, exits, both, modified;
__u64 entry_ip, exit_ip, entry_cookie, exit_cookie;
long last_count, last_ret;

SEC("fentry/vfs_write")
int BPF_PROG(on_entry, struct file *file, const char *buf, unsigned long count)
{
	if (!watched() || count != size)
		return 0;
	__sync_fetch_and_add(&entries, 1);
	last_count = count;
	entry_ip = bpf_get_func_ip(ctx);
	entry_cookie = bpf_get_attach_cookie(ctx);
	return 0;
}

SEC("fexit/vfs_write")
int BPF_PROG(on_exit, struct file *file, const char *buf, unsigned long count,
	     long long *pos, long ret)
{
	if (!watched() || count != size)
		return 0;
	__sync_fetch_and_add(&exits, 1);
	last_ret = ret;
	exit_ip = bpf_get_func_ip(ctx);
	exit_cookie = bpf_get_attach_cookie(ctx);
	return 0;
}

/* System calls may sleep, and so may these. */
SEC("fentry.s/__arm64_sys_getpgid")
int BPF_PROG(on_sleepable_entry)
{
	if (watched())
		__sync_fetch_and_add(&sleepable, 1);
	return 0;
}

SEC("fexit.s/__arm64_sys_getpgid")
int BPF_PROG(on_sleepable_exit)
{
	if (watched())
		__sync_fetch_and_add(&both, 1);
	return 0;
}

/* The function is not called if this returns other than 0. */
SEC("fmod_ret/security_inode_mkdir")
int BPF_PROG(on_modify, struct inode *dir, struct dentry *dentry, unsigned short mode, int ret)
{
	if (!watched())
		return 0;
	__sync_fetch_and_add(&modified, 1);
	return -13;
}
