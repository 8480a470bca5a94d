// SPDX-License-Identifier: GPL-2.0
/*
 * Start another kernel in place of this one: kexec IMAGE INITRAMFS COMMAND-LINE
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/reboot.h>
#include <stdio.h>
#include <string.h>
#include <sys/reboot.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int kernel, initrd;

	if (argc != 4)
		return 2;
	kernel = open(argv[1], O_RDONLY);
	initrd = open(argv[2], O_RDONLY);
	if (kernel < 0 || initrd < 0)
		perror("open");
	else if (syscall(SYS_kexec_file_load, kernel, initrd, strlen(argv[3]) + 1, argv[3], 0))
		perror("kexec_file_load");
	else
		reboot(LINUX_REBOOT_CMD_KEXEC);
	return 1;
}
