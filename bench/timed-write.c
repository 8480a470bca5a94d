// SPDX-License-Identifier: GPL-2.0
/*
 * timed-write FILE TEXT: write TEXT to FILE, print the CPU time it took, in ns
 * timed-write --load FILE: the same for loading a module
 * timed-write --unload MODULE: ... for unloading it
 *
 * This counts the system call itself, not the time it waits, and the work of
 * stop_machine() for it in the migration/N threads. If the clock counts one nanosecond per
 * instruction, the result is a number of instructions.
 */

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
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

/*
 * Begin when what is pending is done, and behind a timer interrupt, which is the next one only
 * after 10 ms. With everything traced an interrupt takes 90,000 instructions.
 *
 * As a real-time task: if a thread is woken that may preempt this one, and this one does not
 * call cond_resched() for long, as the base does not while it patches a module, the scheduler
 * charges the rest of that time to the other thread.
 */
static void wait_for_turn(void)
{
	struct sched_param param = { .sched_priority = 1 };
	struct timespec first, ts = { .tv_nsec = 100000000 };

	if (sched_setscheduler(0, SCHED_FIFO, &param)) {
		perror("timed-write: sched_setscheduler");
		exit(1);
	}
	nanosleep(&ts, NULL);
	/* This clock moves at a tick only. */
	clock_gettime(CLOCK_MONOTONIC_COARSE, &first);
	do {
		clock_gettime(CLOCK_MONOTONIC_COARSE, &ts);
	} while (ts.tv_nsec == first.tv_nsec);
}

int main(int argc, char **argv)
{
	long long start, end;
	const char *what, *with;
	int fd = -1, load, unload;
	long err;

	if (argc != 3) {
		fprintf(stderr, "usage: timed-write FILE TEXT | --load FILE | --unload MODULE\n");
		return 2;
	}
	load = !strcmp(argv[1], "--load");
	unload = !strcmp(argv[1], "--unload");
	what = argv[load || unload ? 2 : 1];
	with = load || unload ? "" : argv[2];

	if (!unload) {
		fd = open(what, load ? O_RDONLY : O_WRONLY);
		if (fd < 0) {
			fprintf(stderr, "timed-write: %s: %s\n", what, strerror(errno));
			return 1;
		}
	}

	find_stoppers();

	/* The clock's first use may take a fault. */
	now();
	wait_for_turn();

	errno = 0;
	start = now();
	if (load)
		err = syscall(SYS_finit_module, fd, "", 0);
	else if (unload)
		err = syscall(SYS_delete_module, what, O_NONBLOCK);
	else
		err = write(fd, with, strlen(with)) - (long)strlen(with);
	end = now();

	if (err) {
		fprintf(stderr, "timed-write: %s: %s\n", what,
			errno ? strerror(errno) : "short write");
		return 1;
	}

	printf("%lld\n", end - start);
	return 0;
}
