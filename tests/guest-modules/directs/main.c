// SPDX-License-Identifier: GPL-2.0
/*
 * Direct calls that are looked up while others come and go
 *
 * While the module is loaded, each of NR_FIXED functions has a direct call, and a
 * tracer beside it, so that each call looks up where to go in the hash of all direct
 * calls. Threads call them without end. Another thread has an ops register a direct
 * call of 120 other functions, and unregister it, and one of them alone, whose
 * trampoline it shares with the fixed ones. Who walks a bucket of the hash meets
 * entries that are being added, removed and freed.
 *
 * Unloading the module stops that and prints a line for each check: no direct call
 * of the fixed functions may be lost.
 */

#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include "../checks.h"
#include "ftrace-direct-arm64.h"

#define NR_CALLERS	2
#define NR_FIXED	8

/*
 * 128 functions, whose names end in three digits of base 8. The hash has room for 64:
 * it grows when the moving ones come for the first time, while the fixed ones are called.
 */
#define EIGHT(F, n)	F(n##0) F(n##1) F(n##2) F(n##3) F(n##4) F(n##5) F(n##6) F(n##7)
#define EIGHTS(F, n)	EIGHT(F, n##0) EIGHT(F, n##1) EIGHT(F, n##2) EIGHT(F, n##3) \
			EIGHT(F, n##4) EIGHT(F, n##5) EIGHT(F, n##6) EIGHT(F, n##7)
#define ALL(F)	EIGHTS(F, 0) EIGHTS(F, 1)

#define FUNCTION(n)	DEFINE_TRACEE(directs_##n)
ALL(FUNCTION)

#define NAME(n)	directs_##n,
static void (*const functions[])(void) = { ALL(NAME) };
#define SHARING	((unsigned long)functions[NR_FIXED])

static atomic_long_t seen;
void directs_seen(void);
void directs_seen(void) { atomic_long_inc(&seen); }
void directs_moved(void);
void directs_moved(void) { }
void directs_tramp(void);
void directs_tramp_moving(void);
DIRECT_TRAMP(directs_tramp, directs_seen, "");
DIRECT_TRAMP(directs_tramp_moving, directs_moved, "");
#define TRAMP		((unsigned long)directs_tramp)
#define TRAMP_MOVING	((unsigned long)directs_tramp_moving)

static struct ftrace_ops tracer = { .func = trace_nothing };
static struct ftrace_ops moving;
static struct task_struct *callers[NR_CALLERS], *mover;
static unsigned long calls[NR_CALLERS], rounds, errors;
static unsigned int nr_fixed;

static int call_thread(void *data)
{
	unsigned long *count = data;

	while (!kthread_should_stop()) {
		for (int i = 0; i < 50 * NR_FIXED; i++)
			functions[i % NR_FIXED]();
		*count += 50 * NR_FIXED;
		usleep_range(50, 100);
	}
	return 0;
}

static int move_thread(void *data)
{
	while (!kthread_should_stop()) {
		if (register_ftrace_direct_multi(&moving, TRAMP_MOVING) ||
		    unregister_ftrace_direct_multi(&moving, TRAMP_MOVING) ||
		    register_ftrace_direct(SHARING, TRAMP) ||
		    unregister_ftrace_direct(SHARING, TRAMP))
			errors++;
		rounds++;
		msleep(1);
	}
	return 0;
}

static void directs_stop(void)
{
	if (!IS_ERR_OR_NULL(mover))
		kthread_stop(mover);
	for (int i = 0; i < NR_CALLERS; i++)
		if (!IS_ERR_OR_NULL(callers[i]))
			kthread_stop(callers[i]);
	while (nr_fixed)
		if (unregister_ftrace_direct((unsigned long)functions[--nr_fixed], TRAMP))
			errors++;
	unregister_ftrace_function(&tracer);
	ftrace_free_filter(&tracer);
	ftrace_free_filter(&moving);
}

static int __init directs_init(void)
{
	int ret = 0;

	for (int i = 0; !ret && i < ARRAY_SIZE(functions); i++)
		ret = ftrace_set_filter_ip(i < NR_FIXED ? &tracer : &moving,
					   (unsigned long)functions[i], 0, 0);
	if (!ret)
		ret = register_ftrace_function(&tracer);
	for (; !ret && nr_fixed < NR_FIXED; nr_fixed += !ret)
		ret = register_ftrace_direct((unsigned long)functions[nr_fixed], TRAMP);
	for (int i = 0; !ret && i < NR_CALLERS; i++) {
		callers[i] = kthread_run(call_thread, &calls[i], "directs/%d", i);
		ret = PTR_ERR_OR_ZERO(callers[i]);
	}
	if (!ret) {
		mover = kthread_run(move_thread, NULL, "directs");
		ret = PTR_ERR_OR_ZERO(mover);
	}
	if (ret)
		directs_stop();
	return ret;
}
module_init(directs_init);

static void __exit directs_exit(void)
{
	unsigned long made = 0, got;

	directs_stop();
	for (int i = 0; i < NR_CALLERS; i++)
		made += calls[i];
	got = atomic_long_read(&seen);
	check(made && got == made, "each call made its direct call (%lu)", got);
	check(rounds > 1, "others came and went (%lu)", rounds);
	check(!errors, "nothing failed (%lu)", errors);
}
module_exit(directs_exit);

MODULE_DESCRIPTION("Look up direct calls while others come and go");
MODULE_LICENSE("GPL");
