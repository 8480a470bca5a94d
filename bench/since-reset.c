// SPDX-License-Identifier: GPL-2.0
/*
 * since-reset: print the ns from the machine's reset to the start of the kernel log's clock
 *
 * All lines until then have the time 0, and most of what ftrace does at boot is done by
 * then. The CPU's counter has run all the time.
 */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __aarch64__
static unsigned long long counter(void)
{
	unsigned long count, hz;

	asm volatile("isb\n\tmrs %0, cntvct_el0\n\tmrs %1, cntfrq_el0" : "=r"(count), "=r"(hz));
	return count * (1000000000ULL / hz);
}
#else
#define HZ_OF_VIRT	10000000	/* of QEMU's machine */

static unsigned long long counter(void)
{
	unsigned long count;

	asm volatile("rdtime %0" : "=r"(count));
	return count * (1000000000ULL / HZ_OF_VIRT);
}
#endif

int main(void)
{
	int fd = open("/dev/kmsg", O_RDWR | O_NONBLOCK);
	static const char line[] = "since-reset\n";
	unsigned long long now = 0, us = 0;
	char record[512];
	ssize_t n;

	if (fd < 0 || lseek(fd, 0, SEEK_END) < 0) {
		perror("since-reset: /dev/kmsg");
		return 1;
	}
	for (int i = 0; i < 2; i++) {	/* the first time takes faults */
		now = counter();
		if (write(fd, line, sizeof(line) - 1) < 0) {
			perror("since-reset: /dev/kmsg");
			return 1;
		}
	}
	while ((n = read(fd, record, sizeof(record) - 1)) > 0) {
		record[n] = 0;
		if (!strstr(record, line) || sscanf(record, "%*u,%*u,%llu,", &us) != 1)
			us = 0;
	}
	if (!us) {
		fprintf(stderr, "since-reset: the line is not in the log\n");
		return 1;
	}
	printf("%llu\n", now - us * 1000);
	return 0;
}
