// SPDX-License-Identifier: GPL-2.0
/*
 * Replace the caller and the target in kernel/static_call_peer.c by functions that do the
 * same, and count. On ppc64 they have another TOC than what they replace.
 */

#include <linux/module.h>

#if IS_ENABLED(CONFIG_STATIC_CALL_PEER) && IS_ENABLED(CONFIG_LIVEPATCH)
#include <linux/livepatch.h>
#include <linux/static_call_peer.h>

static bool caller, target;
module_param(caller, bool, 0444);
MODULE_PARM_DESC(caller, "Replace the caller of the static call");
module_param(target, bool, 0444);
MODULE_PARM_DESC(target, "Replace its target");

static unsigned long callers, targets;
module_param(callers, ulong, 0444);
MODULE_PARM_DESC(callers, "How often the new caller was called");
module_param(targets, ulong, 0444);
MODULE_PARM_DESC(targets, "How often the new target was called");

static long new_target(STATIC_CALL_PEER_PROTO)
{
	targets++;
	return STATIC_CALL_PEER_SUM;
}

static long new_call(long x)
{
	unsigned long toc = static_call_peer_toc();
	long ret = static_call(static_call_peer)(STATIC_CALL_PEER_ARGS(x));

	callers++;
	return static_call_peer_toc() == toc ? ret : -1;
}

static struct klp_func funcs[3];
static struct klp_object objs[] = { { .funcs = funcs }, { } };
static struct klp_patch patch = { .mod = THIS_MODULE, .objs = objs };

static int __init peer_livepatch_init(void)
{
	int n = 0;

	if (caller)
		funcs[n++] = (struct klp_func){ .old_name = "static_call_peer_call", .new_func = new_call };
	if (target)
		funcs[n++] = (struct klp_func){ .old_name = "static_call_peer_target", .new_func = new_target };
	return klp_enable_patch(&patch);
}
module_init(peer_livepatch_init);

/* It cannot be unloaded before it is disabled */
static void __exit peer_livepatch_exit(void)
{
}
module_exit(peer_livepatch_exit);
MODULE_INFO(livepatch, "Y");
#endif

MODULE_DESCRIPTION("Live patches of a static call's caller and target");
MODULE_LICENSE("GPL");
