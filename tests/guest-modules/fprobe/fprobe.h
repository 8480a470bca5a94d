/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CALLOPS_FPROBE_H
#define CALLOPS_FPROBE_H

#include <linux/kprobes.h>

/* What main.c probes to check; it ends, and leaves behind, nothing */
unsigned long fprobe_one(unsigned long x);
unsigned long fprobe_two(unsigned long x);
unsigned long fprobe_deep(unsigned long x);	/* calls itself x times */

/* Calls, and probes that come and go, for a number of milliseconds and of rounds */
int fprobe_storm(unsigned int ms, unsigned int rounds);

/* What a call costs, with probes of each kind */
int fprobe_bench(unsigned int calls);

/* What attach.c has attached goes with the module */
void fprobe_attach_exit(void);

#endif
