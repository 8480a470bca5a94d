// SPDX-License-Identifier: GPL-2.0
/*
 * A fixed load on the scheduler, as hackbench makes it: GROUPS groups, in each of which
 * 5 tasks send MESSAGES messages of 100 bytes to each of 5 others, through pipes. They
 * are SCHED_FIFO, so that none preempts another one: the events are the same each time.
 * Prints how many nanoseconds it took; with -icount that is instructions.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TASKS	5
#define SIZE	100

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void group(int messages)
{
	static char data[SIZE];
	int fds[TASKS][2], i, j, n;

	for (i = 0; i < TASKS; i++)
		if (pipe(fds[i]))
			die("pipe");
	for (i = 0; i < 2 * TASKS; i++) {
		switch (fork()) {
		case -1:
			die("fork");
		case 0:
			break;
		default:
			continue;
		}
		if (i < TASKS) {
			for (n = 0; n < messages; n++)
				for (j = 0; j < TASKS; j++)
					if (write(fds[j][1], data, SIZE) != SIZE)
						die("write");
		} else {
			for (n = TASKS * messages * SIZE; n > 0; n -= j) {
				j = read(fds[i - TASKS][0], data, SIZE);
				if (j <= 0)
					die("read");
			}
		}
		_exit(0);
	}
	for (i = 0; i < TASKS; i++) {
		close(fds[i][0]);
		close(fds[i][1]);
	}
}

int main(int argc, char *argv[])
{
	int groups, messages, status, bad = 0;
	struct sched_param first = { .sched_priority = 1 };
	struct timespec t0, t1;

	if (argc != 3)
		return 64;
	groups = atoi(argv[1]);
	messages = atoi(argv[2]);
	if (sched_setscheduler(0, SCHED_FIFO, &first))
		die("sched_setscheduler");
	clock_gettime(CLOCK_MONOTONIC, &t0);
	while (groups--)
		group(messages);
	while (wait(&status) > 0)
		bad |= status;
	clock_gettime(CLOCK_MONOTONIC, &t1);
	printf("%lld\n", (t1.tv_sec - t0.tv_sec) * 1000000000LL + t1.tv_nsec - t0.tv_nsec);
	return bad != 0;
}
