// SPDX-License-Identifier: GPL-2.0
/*
 * Deny the opening of files on one kind of file system, as systemd does for
 * RestrictFileSystems=.
 */
#include <linux/bpf.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "watched.h"

char LICENSE[] SEC("license") = "GPL";

struct super_block {
	unsigned long s_magic;
} __attribute__((preserve_access_index));

struct inode {
	struct super_block *i_sb;
} __attribute__((preserve_access_index));

struct file {
	struct inode *f_inode;
} __attribute__((preserve_access_index));

unsigned long magic;
long denied, allowed;

SEC("lsm/file_open")
int BPF_PROG(on_open, struct file *file, int ret)
{
	if (ret || !watched())
		return ret;
	if (file->f_inode->i_sb->s_magic == magic) {
		denied++;
		return -1;	/* EPERM */
	}
	allowed++;
	return 0;
}
