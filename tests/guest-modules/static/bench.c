// SPDX-License-Identifier: GPL-2.0
/*
 * What a call takes, of empty functions: bench/guest-static.sh loads the module for it.
 * With QEMU's -icount a nanosecond is an instruction. Each row is the whole call, less
 * an empty loop, and with tracing off the same function serves all of them.
 */

#define pr_fmt(fmt)	"bench: row " fmt

#include <linux/compiler.h>
#include <linux/irqflags.h>
#include <linux/ktime.h>
#include <linux/printk.h>
#include <trace/events/sched.h>
#include "static.h"

/* Without copies that know its arguments */
static noinline __noclone notrace void empty(long a, long b)
{
	asm volatile("" : : "r" (a), "r" (b));
}

static noinline notrace void probe_one(void *data, long a) { barrier(); }
static noinline notrace void probe_two(void *data, long a, long b) { barrier(); }
static noinline notrace void probe_four(void *data, long a, long b, long c, long d) { barrier(); }
static noinline notrace void probe_twelve(void *data, PROTO12) { barrier(); }
static noinline notrace void probe_sched(void *data, struct root_domain *rd, bool over) { barrier(); }
static long nothing(long a, long b) { return a + b; }

static void (*pointer)(long a, long b) = empty;
DEFINE_STATIC_CALL(near, empty);
DEFINE_STATIC_CALL(far, empty);
DEFINE_STATIC_CALL_NULL(null, empty);
DEFINE_STATIC_CALL_RET0(ret0, nothing);

/* A trampoline of the kernel: that of a tracepoint that is off, on a small machine */
#define KERNEL	tp_func_sched_overutilized_tp
#if defined(CONFIG_HAVE_STATIC_CALL) && !defined(CONFIG_STATIC_CALL_KERNEL_ONLY)
void kernel_call(long a, long b) __asm__(STATIC_CALL_TRAMP_STR(KERNEL));
#else
#define kernel_call ((void (*)(long, long))STATIC_CALL_KEY(KERNEL).func)
#endif

static long empty_ns;

/* A function of its own for each, in which the compiler has registers enough */
#define ROW(row, code)							\
static noinline notrace void row(const char *name, unsigned int calls)	\
{									\
	unsigned long flags;						\
	unsigned int n;							\
	long ns;							\
									\
	local_irq_save(flags);						\
	ns = ktime_get_ns();						\
	for (n = 0; n < calls; n++) {					\
		code;							\
		barrier();						\
	}								\
	ns = ktime_get_ns() - ns;					\
	local_irq_restore(flags);					\
	if (!empty_ns)							\
		empty_ns = ns;						\
	else								\
		pr_info("name=%s calls=%u ns=%ld per_call=%ld\n", name,	\
			calls, ns - empty_ns, (ns - empty_ns + calls / 2) / calls); \
}
ROW(loop, )
ROW(direct, empty(1, 2))
ROW(through_pointer, READ_ONCE(pointer)(1, 2))
ROW(static_near, static_call(near)(1, 2))
ROW(static_far, static_call(far)(1, 2))
ROW(cond_null, static_call_cond(null)(1, 2))
ROW(static_ret0, (void)static_call(ret0)(1, 2))
ROW(static_module, kernel_call(1, 2))
ROW(tracepoint, trace_sched_overutilized_tp(NULL, true))
ROW(tracepoint_one, trace_callops_one(1))
ROW(tracepoint_two, trace_callops_two(1, 2))
ROW(tracepoint_four, trace_callops_four(1, 2, 3, 4))
ROW(tracepoint_twelve, trace_callops_twelve(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12))

#if IS_ENABLED(CONFIG_STATIC_CALL_PEER)
#include <linux/static_call_peer.h>

/*
 * Caller, trampoline and target in the kernel (k) or in this module (m). Each caller is a
 * function, which finds the trampoline or the key anew. The kernel has its own ones.
 */
DEFINE_STATIC_CALL(eight, static_call_peer_empty);
#define CALLER(name, call)						\
static noinline notrace void name(void)					\
{									\
	call;								\
	barrier();							\
}
CALLER(m_direct, empty(1, 2))
CALLER(mk_static, static_call(static_call_peer_empty)(1, 2))
CALLER(mm_static, static_call(eight)(1, 2))
ROW(row_kk_direct, static_call_peer_empty_direct())
ROW(row_mm_direct, m_direct())
ROW(row_kk, static_call_peer_empty_static())
ROW(row_km, static_call_peer_empty_pointer(static_call(eight)))
ROW(row_mk, mk_static())
ROW(row_mm, mm_static())

static void bench_eight(unsigned int calls)
{
	row_kk_direct("control_kk", calls);
	row_mm_direct("control_mm", calls);
	static_call_update(static_call_peer_empty, static_call_peer_empty);
	static_call_update(eight, static_call_peer_empty);
	row_kk("kkk", calls);
	row_km("kmk", calls);
	row_mk("mkk", calls);
	row_mm("mmk", calls);
	static_call_update(static_call_peer_empty, empty);
	static_call_update(eight, empty);
	row_kk("kkm", calls);
	row_km("kmm", calls);
	row_mk("mkm", calls);
	row_mm("mmm", calls);
	static_call_update(static_call_peer_empty, static_call_peer_empty);
}
#else
static void bench_eight(unsigned int calls) { }
#endif

/* An update and its reverse, per update; it may sleep */
#define UPDATES(name, there, back) do {					\
	unsigned int n;							\
	u64 ns = ktime_get_ns();					\
									\
	for (n = 0; n < calls / 200; n++) {				\
		there;							\
		back;							\
	}								\
	ns = ktime_get_ns() - ns;					\
	pr_info("name=%s calls=%u ns=%llu per_call=%llu\n", name, calls / 100, \
		ns, ns / (calls / 100));				\
} while (0)

#define KERNEL_UPDATE(func)						\
	__static_call_update(&STATIC_CALL_KEY(KERNEL), STATIC_CALL_TRAMP_ADDR(KERNEL), func)

/* The first and the second probe; what has to wait for a grace period has done so before */
static int tracepoint_updates(unsigned int calls)
{
	static const char * const names[] = { "update-0-1", "update-1-2" };
	static int tags[2];
	long ns[2] = {}, clock = 0;
	unsigned int n;
	int i;

	for (n = 0; n < calls; n++) {
		clock -= ktime_get_ns();
		clock += ktime_get_ns();
		for (i = 0; i < 2; i++) {
			ns[i] -= ktime_get_ns();
			if (register_trace_callops_one(probe_one, &tags[i]))
				return -EIO;
			ns[i] += ktime_get_ns();
		}
		while (i--)
			unregister_trace_callops_one(probe_one, &tags[i]);
		tracepoint_synchronize_unregister();
	}
	for (i = 0; i < 2; i++)
		pr_info("name=%s calls=%u ns=%ld per_call=%ld\n", names[i], calls,
			ns[i] - clock, (ns[i] - clock) / calls);
	return 0;
}

int bench(unsigned int calls, unsigned long core)
{
	static int tags[10];
	int i;

	loop("", calls);
	direct("direct", calls);
	through_pointer("pointer", calls);
	static_near("static-first", calls);
	static_call_update(near, empty);
	static_near("static-near", calls);
	static_call_update(far, peer_empty);
	static_far("static-far", calls);
	cond_null("cond-null", calls);
	static_ret0("ret0", calls);

	bench_eight(calls);

	KERNEL_UPDATE(empty);
	static_module("static-module", calls);
	KERNEL_UPDATE(__traceiter_sched_overutilized_tp);

	tracepoint("tp-off", calls);
	for (i = 0; i < ARRAY_SIZE(tags); i++) {
		if (register_trace_sched_overutilized_tp(probe_sched, &tags[i]))
			return -EIO;
		if (i == 0)
			tracepoint("tp-1", calls);
		if (i == 1)
			tracepoint("tp-2", calls);
	}
	tracepoint("tp-10", calls);
	for (i = 0; i < ARRAY_SIZE(tags); i++)
		unregister_trace_sched_overutilized_tp(probe_sched, &tags[i]);
	if (core) {
		if (register_trace_sched_overutilized_tp((void *)core, NULL))
			return -EIO;
		tracepoint("tp-1-core", calls);
		unregister_trace_sched_overutilized_tp((void *)core, NULL);
	}
	if (register_trace_callops_one(probe_one, NULL) ||
	    register_trace_callops_two(probe_two, NULL) ||
	    register_trace_callops_four(probe_four, NULL) ||
	    register_trace_callops_twelve(probe_twelve, NULL))
		return -EIO;
	tracepoint_one("tp-1-args1", calls);
	tracepoint_four("tp-1-args4", calls);
	tracepoint_twelve("tp-1-args12", calls);
	tracepoint_two("tp-1-module", calls);
	unregister_trace_callops_one(probe_one, NULL);
	unregister_trace_callops_two(probe_two, NULL);
	unregister_trace_callops_four(probe_four, NULL);
	unregister_trace_callops_twelve(probe_twelve, NULL);
	tracepoint_synchronize_unregister();
	UPDATES("update-near", static_call_update(near, NULL), static_call_update(near, empty));
	UPDATES("update-far", static_call_update(far, empty), static_call_update(far, peer_empty));
	UPDATES("update-module", KERNEL_UPDATE(empty), KERNEL_UPDATE(__traceiter_sched_overutilized_tp));
	return tracepoint_updates(calls / 100);
}
