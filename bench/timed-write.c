// SPDX-License-Identifier: GPL-2.0
/*
 * timed-write FILE TEXT: write TEXT to FILE, print the CPU time it took, in ns
 *
 * This counts write(2) itself, not the time it waits, and the work of stop_machine() for
 * it in the migration/N threads. If the clock counts one nanosecond per instruction, the
 * result is a number of instructions.
 */

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MAX_CLOCKS	64

static clockid_t clocks[MAX_CLOCKS] = { CLOCK_PROCESS_CPUTIME_ID };
static int nr_clocks = 1;

static void find_stoppers(void)
{
	glob_t files;

	if (glob("/proc/[0-9]*/comm", 0, NULL, &files))
		return;

	for (size_t i = 0; i < files.gl_pathc && nr_clocks < MAX_CLOCKS; i++) {
		FILE *f = fopen(files.gl_pathv[i], "r");
		char comm[32] = "";

		if (!f)
			continue;
		if (fgets(comm, sizeof(comm), f) &&
		    !strncmp(comm, "migration/", 10) &&
		    !clock_getcpuclockid(atoi(files.gl_pathv[i] + 6),
					 &clocks[nr_clocks]))
			nr_clocks++;
		fclose(f);
	}
	globfree(&files);
}

static long long now(void)
{
	long long sum = 0;

	for (int i = 0; i < nr_clocks; i++) {
		struct timespec ts;

		if (clock_gettime(clocks[i], &ts)) {
			perror("timed-write: clock_gettime");
			exit(1);
		}
		sum += ts.tv_sec * 1000000000LL + ts.tv_nsec;
	}
	return sum;
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

	find_stoppers();

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
