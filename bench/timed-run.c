// SPDX-License-Identifier: GPL-2.0
/*
 * timed-run CALLS COMMAND...: run COMMAND with "count=CALLS" as its last argument, then
 * with twice that count; print the difference in CPU time, in us
 *
 * If the clock counts one nanosecond per instruction, the result divided by CALLS is the
 * cost of one call in thousands of instructions. The difference leaves out what it costs
 * to start and end the command.
 */

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static long long run(char **argv, int last, long calls)
{
	struct rusage usage;
	char count[32];
	int status;
	pid_t pid;

	snprintf(count, sizeof(count), "count=%ld", calls);
	argv[last] = count;
	pid = fork();
	if (!pid) {
		execv(argv[0], argv);
		perror(argv[0]);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || status) {
		fprintf(stderr, "timed-run: %s failed\n", argv[0]);
		exit(1);
	}
	return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000LL +
		usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
}

int main(int argc, char **argv)
{
	long calls = argc > 2 ? strtol(argv[1], NULL, 10) : 0;
	char *args[16] = { NULL };
	int i;

	if (calls <= 0 || argc > 16) {
		fprintf(stderr, "usage: timed-run CALLS COMMAND...\n");
		return 2;
	}
	for (i = 2; i < argc; i++)
		args[i - 2] = argv[i];

	run(args, argc - 2, 10);	/* load it into the page cache */
	printf("us=%lld\n", -(run(args, argc - 2, calls) - run(args, argc - 2, 2 * calls)));
	return 0;
}
