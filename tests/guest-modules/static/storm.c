// SPDX-License-Identifier: GPL-2.0
/*
 * Static calls and tracepoints that are called on all CPUs while they change
 *
 * A target may be called from when it is asked for until it is no longer and those
 * who were on the way to it have had their time. A probe may be called with its own
 * data only. Anything else is wrong.
 */

#define pr_fmt(fmt)	KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>
#include <trace/events/power.h>
#include "static.h"

#define TARGETS	6

enum call { OWN, PEER, OWN_EVENT, CORE_EVENT, CALLS };
static const char * const names[] = {
	"static call", "of another module", "event", "of the kernel"
};
static atomic_t wrong[CALLS];

static DEFINE_PER_CPU(enum call, current_call);
static bool valid[TARGETS];
static atomic_t called[TARGETS];

static int target(int n, int x)
{
	if (!READ_ONCE(valid[n]))
		atomic_inc(&wrong[this_cpu_read(current_call)]);
	atomic_inc(&called[n]);
	return x + n;
}

static int own_0(int x) { return target(0, x); }
static int own_1(int x) { return target(1, x); }

DEFINE_STATIC_CALL(storm_own, own_0);

/* Each is in range of one of the trampolines, and out of range of the other one */
static int (*const targets[])(int) = { own_0, peer_2, own_1, peer_3, (void *)__static_call_return0 };
static const int number[] = { 0, 2, 1, 3, 4 };

static int tag[3];
static atomic_t probed[3];

static void saw(int n, void *data, long sum, enum call event)
{
	if (data != &tag[n] || sum != 3)
		atomic_inc(&wrong[event]);
	atomic_inc(&probed[n]);
}

#define PROBES(n)							\
static void two_##n(void *data, long a, long b)				\
{									\
	saw(n, data, a + b, OWN_EVENT);					\
}									\
static void suspend_##n(void *data, const char *action, int val, bool start) \
{									\
	saw(n, data, val, CORE_EVENT);					\
}
PROBES(0)
PROBES(1)
PROBES(2)

static void make(enum call call)
{
	int x = 1000;

	switch (call) {
	case OWN:
	case PEER:
		rcu_read_lock();
		this_cpu_write(current_call, call);
		x = call == OWN ? static_call(storm_own)(1000) : static_call(callops_peer)(1000);
		/* What returns 0 does not come by target() */
		if (!x && !READ_ONCE(valid[4]))
			atomic_inc(&wrong[call]);
		rcu_read_unlock();
		break;
	case OWN_EVENT:
		trace_callops_two(1, 2);
		break;
	default:
		trace_suspend_resume("callops", 3, true);
	}
	if (x && (x < 1000 || x >= 1000 + TARGETS))
		atomic_inc(&wrong[call]);
}

static int reader(void *unused)
{
	int call, i;

	while (!kthread_should_stop()) {
		for (i = 0; i < 100; i++)
			for (call = 0; call < CALLS; call++)
				make(call);
		cond_resched();
	}
	return 0;
}

#define BOTH(change, n, ...) do {					\
	change##_callops_two(two_##n, &tag[n], ##__VA_ARGS__);		\
	change##_suspend_resume(suspend_##n, &tag[n], ##__VA_ARGS__);	\
} while (0)

static void hold(void *unused)
{
	udelay(500);
}

static int tp_rounds;

/* Each is one of 0 -> 1, 1 -> 2, 2 -> 3, 3 -> 2, 2 -> 1, 1 -> 0, and the first changes */
static int tracepoints(void *unused)
{
	int i, prio = 0;

	while (!kthread_should_stop()) {
		prio ^= 20;	/* in front of the first, or behind it */
		BOTH(register_trace, 0);
		BOTH(register_trace_prio, 1, prio);
		/* Whoever has the data of the first is to have it still when the second is alone */
		for (i = 0; i < 8; i++) {
			smp_call_function(hold, NULL, false);
			BOTH(unregister_trace, 0);
			BOTH(register_trace_prio, 0, 30);
		}
		BOTH(unregister_trace, 0);
		BOTH(register_trace, 2);
		BOTH(register_trace_prio, 0, 30);
		BOTH(unregister_trace, 1);
		BOTH(unregister_trace, 2);
		BOTH(unregister_trace, 0);
		WRITE_ONCE(tp_rounds, tp_rounds + 1);
		cond_resched();
	}
	return 0;
}

/* Both trampolines go to @next, and nobody is to be at @last then. */
static void change(int next, int last)
{
	WRITE_ONCE(valid[number[next]], true);
	static_call_update(storm_own, targets[next]);
	static_call_update(callops_peer, targets[next]);
	if (next == last)
		return;
	synchronize_rcu();
	WRITE_ONCE(valid[number[last]], false);
}

/* Of both, however slow the machine is; with fewer nothing was tested */
#define MIN_ROUNDS	3

int storm(unsigned int seconds)
{
	unsigned long end = jiffies + seconds * HZ;
	struct task_struct *tasks[NR_CPUS + 1];
	int cpu, i, n = 0, last = 0, rounds = 0, bad = 0;
	bool all;

	peer_target = target;
	WRITE_ONCE(valid[number[0]], true);
	static_call_update(storm_own, targets[0]);
	static_call_update(callops_peer, targets[0]);

	tasks[n] = kthread_run(tracepoints, NULL, "callops_tp");
	all = !IS_ERR(tasks[n]);
	n += all;
	for_each_online_cpu(cpu) {
		tasks[n] = kthread_create_on_cpu(reader, NULL, cpu, "callops_static/%u");
		if (IS_ERR(tasks[n]))
			all = false;
		else
			wake_up_process(tasks[n++]);
	}
	while (all && (time_before(jiffies, end) || rounds < MIN_ROUNDS ||
		       READ_ONCE(tp_rounds) < MIN_ROUNDS)) {
		for (i = 1; i <= ARRAY_SIZE(targets); i++) {
			int next = i % ARRAY_SIZE(targets);

			change(next, last);
			last = next;
		}
		/* The literal of before, without and with what was in between */
		change(1, last);
		change(3, 1);
		change(0, 3);
		last = 0;
		rounds++;
	}
	while (n)
		kthread_stop(tasks[--n]);
	tracepoint_synchronize_unregister();
	static_call_update(callops_peer, peer_add);

	pr_info("storm: %d rounds, %d of tracepoints; calls of 4 targets %d %d %d %d, of 3 probes %d %d %d\n",
		rounds, tp_rounds, atomic_read(&called[0]), atomic_read(&called[1]),
		atomic_read(&called[2]), atomic_read(&called[3]),
		atomic_read(&probed[0]), atomic_read(&probed[1]), atomic_read(&probed[2]));
	if (!all)
		pr_info("storm: a thread was not created\n");
	bad += !all;
	for (i = 0; i < CALLS; i++) {
		pr_info("storm: %s: %d wrong calls\n", names[i], atomic_read(&wrong[i]));
		bad += atomic_read(&wrong[i]);
	}
	for (i = 0; i < 4; i++)
		bad += !atomic_read(&called[i]);
	for (i = 0; i < 3; i++)
		bad += !atomic_read(&probed[i]);
	return bad;
}
