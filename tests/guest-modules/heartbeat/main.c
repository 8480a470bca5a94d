// SPDX-License-Identifier: GPL-2.0
/*
 * How long is a CPU held, so that it cannot take an interrupt?
 *
 * On each CPU a timer expires every millisecond, in hard interrupt context. The
 * parameter late_us is the latest that any of them was, in microseconds, since
 * something was last written to it.
 */

#include <linux/cpu.h>
#include <linux/hrtimer.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/smp.h>

#define PERIOD_NS	(1 * NSEC_PER_MSEC)

static DEFINE_PER_CPU(struct hrtimer, beat);
static DEFINE_PER_CPU(s64, late);

static enum hrtimer_restart beat_expired(struct hrtimer *timer)
{
	s64 ns = ktime_to_ns(ktime_sub(ktime_get(), hrtimer_get_expires(timer)));

	if (ns > __this_cpu_read(late))
		__this_cpu_write(late, ns);
	hrtimer_forward_now(timer, ns_to_ktime(PERIOD_NS));
	return HRTIMER_RESTART;
}

static void beat_start(void *unused)
{
	struct hrtimer *timer = this_cpu_ptr(&beat);

	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	timer->function = beat_expired;
	hrtimer_start(timer, ns_to_ktime(PERIOD_NS), HRTIMER_MODE_REL_PINNED_HARD);
}

static int late_us_set(const char *val, const struct kernel_param *kp)
{
	int cpu;

	for_each_online_cpu(cpu)
		per_cpu(late, cpu) = 0;
	return 0;
}

static int late_us_get(char *buffer, const struct kernel_param *kp)
{
	s64 latest = 0;
	int cpu;

	for_each_online_cpu(cpu)
		latest = max(latest, per_cpu(late, cpu));
	return sprintf(buffer, "%lld\n", div_s64(latest, NSEC_PER_USEC));
}

static const struct kernel_param_ops late_us_ops = {
	.set = late_us_set,
	.get = late_us_get,
};
module_param_cb(late_us, &late_us_ops, NULL, 0644);
MODULE_PARM_DESC(late_us, "The latest that a timer was, in us; write to it to reset");

static int __init heartbeat_init(void)
{
	on_each_cpu(beat_start, NULL, 1);
	return 0;
}
module_init(heartbeat_init);

static void __exit heartbeat_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		if (per_cpu(beat, cpu).function)
			hrtimer_cancel(&per_cpu(beat, cpu));
	}
}
module_exit(heartbeat_exit);

MODULE_DESCRIPTION("Measure how long a CPU takes no interrupt");
MODULE_LICENSE("GPL");
