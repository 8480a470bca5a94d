// SPDX-License-Identifier: GPL-2.0
/*
 * timed-write FILE TEXT: write TEXT to FILE, print the CPU time it took, in ns
 *
 * Only write(2) is measured, and not what it waits for. Under an instruction-
 * counting clock that makes one nanosecond per instruction, it prints
 * instructions.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static long long now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

int main(int argc, char **argv)
{
	long long start, end;
	ssize_t len;
	int fd;

	if (argc != 3) {
		fprintf(stderr, "usage: timed-write FILE TEXT\n");
		return 2;
	}

	fd = open(argv[1], O_WRONLY);
	if (fd < 0) {
		fprintf(stderr, "timed-write: %s: %s\n", argv[1], strerror(errno));
		return 1;
	}

	/* The clock's first use may take a fault. */
	now();

	start = now();
	len = write(fd, argv[2], strlen(argv[2]));
	end = now();

	if (len != (ssize_t)strlen(argv[2])) {
		fprintf(stderr, "timed-write: %s: %s\n", argv[1],
			len < 0 ? strerror(errno) : "short write");
		return 1;
	}

	printf("%lld\n", end - start);
	return 0;
}
