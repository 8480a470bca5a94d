// SPDX-License-Identifier: GPL-2.0
/*
 * Probes on many functions: what it costs to attach and to detach them, for
 * bench/run-probes. The parameters of the loaded module do it:
 *
 *	functions	written to: more addresses, in hex, with blanks between them; what is
 *			read is their number
 *	attach		"kprobe N" or "fprobe N": probe the first N of them, by as many
 *			kprobes or one fprobe; "none": and no more. What is read is the number
 *			that was probed, and how long that took, in ns.
 */

#include <linux/fprobe.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "fprobe.h"

#define MAX_FUNCTIONS	65536

static unsigned long functions[MAX_FUNCTIONS];
static unsigned int nr_functions;

static int functions_set(const char *val, const struct kernel_param *param)
{
	char *text = kstrdup(val, GFP_KERNEL), *rest = text, *word;
	int ret = text ? 0 : -ENOMEM;

	while (!ret && (word = strsep(&rest, " \n"))) {
		if (!*word)
			continue;
		ret = nr_functions < MAX_FUNCTIONS ?
		      kstrtoul(word, 16, &functions[nr_functions++]) : -E2BIG;
	}
	kfree(text);
	return ret;
}

static int functions_get(char *buf, const struct kernel_param *param)
{
	return sysfs_emit(buf, "%u\n", nr_functions);
}

static const struct kernel_param_ops functions_ops = {
	.set = functions_set,
	.get = functions_get,
};
module_param_cb(functions, &functions_ops, NULL, 0600);

static int attach_kprobe(struct kprobe *p, struct pt_regs *regs)
{
	return 0;
}

static void attach_fprobe(struct fprobe *fp, unsigned long ip, struct pt_regs *regs,
			  void *data)
{
}

/* Of all kprobes those that are registered: some functions refuse them. */
static struct kprobe *kprobes, **registered;
static struct fprobe fprobe;
static unsigned int nr_probed;
static u64 took;

static void detach(void)
{
	if (fprobe.entry_handler)
		WARN_ON(unregister_fprobe(&fprobe));
	fprobe.entry_handler = NULL;
	if (registered)
		unregister_kprobes(registered, nr_probed);
	kvfree(registered);
	kvfree(kprobes);
	registered = NULL;
	kprobes = NULL;
	nr_probed = 0;
}

static int attach_kprobes(unsigned int nr)
{
	unsigned int i;

	kprobes = kvcalloc(nr, sizeof(*kprobes), GFP_KERNEL);
	registered = kvcalloc(nr, sizeof(*registered), GFP_KERNEL);
	if (!kprobes || !registered)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		kprobes[i].pre_handler = attach_kprobe;
		kprobes[i].addr = (kprobe_opcode_t *)functions[i];
		if (!register_kprobe(&kprobes[i]))
			registered[nr_probed++] = &kprobes[i];
	}
	return 0;
}

static int attach_set(const char *val, const struct kernel_param *param)
{
	u64 start = ktime_get_ns();
	unsigned int nr = 0;
	int ret;

	if (!strncmp(val, "none", 4)) {
		if (!nr_probed)
			return -ENOENT;
		detach();
		took = ktime_get_ns() - start;
		return 0;
	}
	if (sscanf(val + strcspn(val, " "), "%u", &nr) != 1 || !nr || nr > nr_functions)
		return -EINVAL;
	if (nr_probed)
		return -EBUSY;
	if (!strncmp(val, "kprobe ", 7)) {
		ret = attach_kprobes(nr);
	} else if (!strncmp(val, "fprobe ", 7)) {
		fprobe.entry_handler = attach_fprobe;
		ret = register_fprobe_ips(&fprobe, functions, nr);
		if (ret)
			fprobe.entry_handler = NULL;
		else
			nr_probed = nr;
	} else {
		ret = -EINVAL;
	}
	if (ret)
		detach();
	took = ktime_get_ns() - start;
	return ret;
}

static int attach_get(char *buf, const struct kernel_param *param)
{
	return sysfs_emit(buf, "%u %llu\n", nr_probed, took);
}

static const struct kernel_param_ops attach_ops = {
	.set = attach_set,
	.get = attach_get,
};
module_param_cb(attach, &attach_ops, NULL, 0600);

void fprobe_attach_exit(void)
{
	detach();
}
