/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Programs on functions that anybody calls look at one process, which the client sets.
 */
#include <linux/bpf.h>
#include <stdbool.h>
#include <bpf/bpf_helpers.h>

int pid;

static bool watched(void)
{
	return bpf_get_current_pid_tgid() >> 32 == pid;
}
