// SPDX-License-Identifier: GPL-2.0
/* A program whose functions the kernel calls: by a pointer, which kCFI looks at */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "GPL";

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4);
	__type(key, int);
	__type(value, long);
} array SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4);
	__type(key, int);
	__type(value, long);
} hash SEC(".maps");

struct timed {
	struct bpf_timer timer;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, int);
	__type(value, struct timed);
} timers SEC(".maps");

long loops, elements, timeouts;

static int count_loop(unsigned int i, void *ctx)
{
	loops++;
	return 0;
}

struct bpf_map;

static long count_element(struct bpf_map *map, int *key, long *value, void *ctx)
{
	elements++;
	return 0;
}

static int count_timeout(void *map, int *key, struct timed *value)
{
	timeouts++;
	return 0;
}

SEC("tc")
int loop(struct __sk_buff *skb)
{
	int key = 0;
	long value = 1;
	struct timed *timed = bpf_map_lookup_elem(&timers, &key);

	bpf_loop(10, count_loop, NULL, 0);
	bpf_for_each_map_elem(&array, count_element, NULL, 0);
	bpf_map_update_elem(&hash, &key, &value, BPF_ANY);
	bpf_for_each_map_elem(&hash, count_element, NULL, 0);
	if (timed && !bpf_timer_init(&timed->timer, &timers, 1 /* CLOCK_MONOTONIC */) &&
	    !bpf_timer_set_callback(&timed->timer, count_timeout))
		bpf_timer_start(&timed->timer, 0, 0);
	return 0;
}
