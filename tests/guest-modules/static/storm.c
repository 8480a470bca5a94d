// SPDX-License-Identifier: GPL-2.0
/*
 * Static calls and tracepoints that are called on all CPUs while they change
 *
 * A target may be called from when it is asked for until it is no longer and those
 * who were on the way to it have had their time: a call before or behind that is
 * stale. A probe may be called with its own data only.
 *
 * QEMU, with a thread for each CPU, drops its translation of an instruction before
 * the store to it is made. A CPU that translates it again in between keeps the old one
 * until the next store there. So whoever is at the wrong function synchronizes its
 * instructions and calls again, while the trampoline in memory leads to another one.
 * Hardware then runs what is in memory; if it is still the wrong function, that is the
 * emulator's. If the second call is right, an update may have dropped what was stale:
 * of these there may be few. A call that was wrong as memory has it is the kernel's,
 * unless the next update began meanwhile. So is, whatever was stale, a call of a probe
 * with another's data by an iterator, which has both from one array, and one where
 * memory leads to the probe: it must not, until all who have the data are done.
 */

#define pr_fmt(fmt)	KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sizes.h>
#include <linux/smp.h>
#include <trace/events/power.h>
#include "static.h"

#define TARGETS	6
#define AGAIN	1000

enum call { OWN, PEER, OWN_EVENT, CORE_EVENT, CALLS };
static const char * const names[] = {
	"static call", "of another module", "event", "of the kernel"
};

/* What was wrong: by the kernel, by the emulator, or the next update was too early */
static atomic_t wrong[CALLS], emulated[CALLS], unknown[CALLS];

/* Not exact, as there are two who update */
static unsigned int updates;

/* The last call: what had begun before, where memory led to; if wrong, to where, and then */
struct last {
	unsigned int updates;
	void *before, *went, *after;
	enum call call;
};
static DEFINE_PER_CPU(struct last, last);

static bool valid[TARGETS];
static atomic_t called[TARGETS];

static void *leads_to(enum call call);
static bool make(enum call call);

static void suspect(enum call call, void *func)
{
	this_cpu_write(last.after, leads_to(call));
	this_cpu_write(last.went, func);
}

static void *function(int n);

static int target(int n, int x)
{
	if (!READ_ONCE(valid[n]))
		suspect(this_cpu_read(last.call), function(n));
	atomic_inc(&called[n]);
	return x + n;
}

static int own_0(int x) { return target(0, x); }
static int own_1(int x) { return target(1, x); }

DEFINE_STATIC_CALL(storm_own, own_0);

/* Each is in range of one of the trampolines, and out of range of the other one */
static int (*const targets[])(int) = { own_0, peer_2, own_1, peer_3, (void *)__static_call_return0 };
static const int number[] = { 0, 2, 1, 3, 4 };

static void *function(int n)
{
	int i;

	for (i = 0; number[i] != n; i++)
		;
	return targets[i];
}

static int tag[3];
static atomic_t probed[3];

static void saw(int n, void *data, long sum, enum call event, void *func, void *ip)
{
	if (data != &tag[n] || sum != 3) {
		/* A trampoline leaves the return address; an iterator's is in main.c or the kernel */
		if ((unsigned long)(ip - (void *)make) < SZ_4K && leads_to(event) != func)
			suspect(event, func);
		else
			atomic_inc(&wrong[event]);
	}
	atomic_inc(&probed[n]);
}

#define PROBES(n)							\
static void two_##n(void *data, long a, long b)				\
{									\
	saw(n, data, a + b, OWN_EVENT, two_##n, __builtin_return_address(0)); \
}									\
static void suspend_##n(void *data, const char *action, int val, bool start) \
{									\
	saw(n, data, val, CORE_EVENT, suspend_##n, __builtin_return_address(0)); \
}
PROBES(0)
PROBES(1)
PROBES(2)

/* Where a trampoline leads to, by what is in memory */
#ifndef CONFIG_HAVE_STATIC_CALL
#define LEADS_TO(name) ((void *)static_call_query(name))
#else
#define LEADS_TO(name) in_memory(STATIC_CALL_TRAMP_ADDR(name))
static void *in_memory(void *tramp)
{
#ifdef CONFIG_ARM64
	void *slot = tramp + ARM64_SCT_SLOT;
	u32 insn = READ_ONCE(*(u32 *)slot);

	if (insn == 0xd503201f)
		return READ_ONCE(*(void **)(tramp + ARM64_SCT_LITERAL));
	return slot + sign_extend64((insn & GENMASK(25, 0)) << 2, 27);
#else
	u32 insn = READ_ONCE(*(u32 *)tramp);

	if (insn == 0x397)
		return READ_ONCE(*(void **)(tramp + RISCV_SCT_LITERAL));
	return tramp + sign_extend64((insn & GENMASK(19, 12)) | (insn & BIT(20)) >> 9 |
				     (insn & GENMASK(30, 21)) >> 20 | (insn & BIT(31)) >> 11, 20);
#endif
}
#endif

static void *leads_to(enum call call)
{
	switch (call) {
	case OWN: return LEADS_TO(storm_own);
	case PEER: return LEADS_TO(callops_peer);
	case OWN_EVENT: return LEADS_TO(tp_func_callops_two);
	default: return LEADS_TO(tp_func_suspend_resume);
	}
}

/* False if it went wrong */
static noinline __noclone bool make(enum call call)
{
	int x = 1000;

	this_cpu_write(last.went, NULL);
	this_cpu_write(last.call, call);
	this_cpu_write(last.updates, READ_ONCE(updates));
	this_cpu_write(last.before, leads_to(call));
	switch (call) {
	case OWN:
	case PEER:
		rcu_read_lock();
		x = call == OWN ? static_call(storm_own)(1000) : static_call(callops_peer)(1000);
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
	return !this_cpu_read(last.went);
}

/* It went wrong: whose is it? */
static atomic_t *culprit(enum call call)
{
	struct last was = *this_cpu_ptr(&last);
	int i = 0;

	if (was.after != was.went) {
		for (; i < AGAIN && leads_to(call) == was.after; i++) {
#ifdef CONFIG_ARM64
			isb();
#else
			asm volatile("fence.i" : : : "memory");
#endif
			if (make(call))
				break;
		}
		return i ? &emulated[call] : &unknown[call];
	}
	if (READ_ONCE(updates) != was.updates || was.before != was.after)
		return &unknown[call];
	return &wrong[call];
}

static int reader(void *unused)
{
	int call, i;

	while (!kthread_should_stop()) {
		for (i = 0; i < 100; i++)
			for (call = 0; call < CALLS; call++)
				if (!make(call))
					atomic_inc(culprit(call));
		cond_resched();
	}
	return 0;
}

#define BOTH(change, n, ...) do {					\
	WRITE_ONCE(updates, updates + 1);				\
	change##_callops_two(two_##n, &tag[n], ##__VA_ARGS__);		\
	change##_suspend_resume(suspend_##n, &tag[n], ##__VA_ARGS__);	\
} while (0)

static void hold(void *unused)
{
	udelay(500);
}

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
		cond_resched();
	}
	return 0;
}

/* Both trampolines go to @next, and nobody is to be at @last then. */
static void change(int next, int last)
{
	WRITE_ONCE(updates, updates + 1);
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
	int cpu, i, n = 0, last = 0, rounds = 0, bad = 0, doubtful = 0;

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
	for (i = 0; i < CALLS; i++) {
		pr_info("storm: %s: %d wrong calls, %d by stale code of the emulator, %d unknown\n",
			names[i], atomic_read(&wrong[i]), atomic_read(&emulated[i]),
			atomic_read(&unknown[i]));
		bad += atomic_read(&wrong[i]);
		doubtful += atomic_read(&unknown[i]);
	}
	/* The emulator's, in front of an update: up to five in a minute were seen */
	bad += doubtful > 5 + seconds / 10;
	for (i = 0; i < 4; i++)
		bad += !atomic_read(&called[i]);
	for (i = 0; i < 3; i++)
		bad += !atomic_read(&probed[i]);
	return bad;
}
