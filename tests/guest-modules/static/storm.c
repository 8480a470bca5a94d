// SPDX-License-Identifier: GPL-2.0
/*
 * Static calls and tracepoints that are called on all CPUs while they change
 *
 * A target may be called from when it is asked for until it is no longer and those
 * who were on the way to it have had their time: a call before or behind that counts
 * as stale. A probe may be called with its own data only.
 */

#define pr_fmt(fmt)	KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/rcupdate.h>
#include <trace/events/power.h>
#include "static.h"

#define TARGETS	6

static bool valid[TARGETS];
static atomic_t called[TARGETS], stale, results, unpaired[2];

static int target(int n, int x)
{
	if (!READ_ONCE(valid[n]))
		atomic_inc(&stale);
	atomic_inc(&called[n]);
	return x + n;
}

static int own_0(int x) { return target(0, x); }
static int own_1(int x) { return target(1, x); }

DEFINE_STATIC_CALL(storm_own, own_0);

/* Each is in range of one of the trampolines, and out of range of the other one */
static int (*const targets[])(int) = { own_0, peer_2, own_1, peer_3, (void *)__static_call_return0 };
static const int number[] = { 0, 2, 1, 3, 4 };

static int reader(void *unused)
{
	while (!kthread_should_stop()) {
		int i, a, b;

		for (i = 0; i < 100; i++) {
			rcu_read_lock();
			a = static_call(storm_own)(1000);
			b = static_call(callops_peer)(1000);
			rcu_read_unlock();
			if ((a && (a < 1000 || a >= 1000 + TARGETS)) ||
			    (b && (b < 1000 || b >= 1000 + TARGETS)))
				atomic_inc(&results);
			trace_callops_two(1, 2);
			trace_suspend_resume("callops", 3, true);
		}
		cond_resched();
	}
	return 0;
}

static int tag[3];
static atomic_t probed[3];

static void saw(int n, void *data, long sum, int event)
{
	if (data != &tag[n] || sum != 3)
		atomic_inc(&unpaired[event]);
	atomic_inc(&probed[n]);
}

#define PROBES(n)							\
static void two_##n(void *data, long a, long b)				\
{									\
	saw(n, data, a + b, 0);						\
}									\
static void suspend_##n(void *data, const char *action, int val, bool start) \
{									\
	saw(n, data, val, 1);						\
}
PROBES(0)
PROBES(1)
PROBES(2)

/* Each is one of 0 -> 1, 1 -> 2, 2 -> 3, 3 -> 2, 2 -> 1, 1 -> 0, and the first changes */
static int tracepoints(void *unused)
{
	int prio = 0;

	while (!kthread_should_stop()) {
		prio ^= 20;	/* in front of the first, or behind it */
		register_trace_callops_two(two_0, &tag[0]);
		register_trace_suspend_resume(suspend_0, &tag[0]);
		register_trace_prio_callops_two(two_1, &tag[1], prio);
		register_trace_prio_suspend_resume(suspend_1, &tag[1], prio);
		unregister_trace_callops_two(two_0, &tag[0]);
		unregister_trace_suspend_resume(suspend_0, &tag[0]);
		register_trace_callops_two(two_2, &tag[2]);
		register_trace_suspend_resume(suspend_2, &tag[2]);
		register_trace_prio_callops_two(two_0, &tag[0], 30);
		unregister_trace_callops_two(two_1, &tag[1]);
		unregister_trace_suspend_resume(suspend_1, &tag[1]);
		unregister_trace_suspend_resume(suspend_2, &tag[2]);
		unregister_trace_callops_two(two_2, &tag[2]);
		unregister_trace_callops_two(two_0, &tag[0]);
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

int storm(unsigned int seconds)
{
	unsigned long end = jiffies + seconds * HZ;
	struct task_struct *tasks[NR_CPUS + 1];
	int cpu, i, n = 0, last = 0, rounds = 0, wrong;

	peer_target = target;
	WRITE_ONCE(valid[number[0]], true);
	static_call_update(storm_own, targets[0]);
	static_call_update(callops_peer, targets[0]);

	tasks[n] = kthread_run(tracepoints, NULL, "callops_tp");
	n += !IS_ERR(tasks[n]);
	for_each_online_cpu(cpu) {
		tasks[n] = kthread_create_on_cpu(reader, NULL, cpu, "callops_static/%u");
		if (IS_ERR(tasks[n]))
			continue;
		wake_up_process(tasks[n++]);
	}
	while (time_before(jiffies, end) || rounds < 3) {
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

	pr_info("storm: %d rounds; calls of 4 targets %d %d %d %d, of 3 probes %d %d %d\n",
		rounds, atomic_read(&called[0]), atomic_read(&called[1]),
		atomic_read(&called[2]), atomic_read(&called[3]),
		atomic_read(&probed[0]), atomic_read(&probed[1]), atomic_read(&probed[2]));
	pr_info("storm: %d stale calls, %d wrong results; data of another probe: %d, the kernel's event: %d\n",
		atomic_read(&stale), atomic_read(&results),
		atomic_read(&unpaired[0]), atomic_read(&unpaired[1]));
	wrong = atomic_read(&stale) + atomic_read(&results) +
		atomic_read(&unpaired[0]) + atomic_read(&unpaired[1]);
	for (i = 0; i < 4; i++)
		wrong += !atomic_read(&called[i]);
	for (i = 0; i < 3; i++)
		wrong += !atomic_read(&probed[i]);
	return wrong;
}
