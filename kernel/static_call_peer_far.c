// SPDX-License-Identifier: GPL-2.0
/*
 * The other module's part in static calls between the kernel and modules
 */

#include <linux/module.h>
#include <linux/static_call_peer.h>

/* The suite runs before its own module's parameters are set */
unsigned int static_call_peer_seconds = 1;
EXPORT_SYMBOL_GPL(static_call_peer_seconds);
module_param_named(seconds, static_call_peer_seconds, uint, 0444);
MODULE_PARM_DESC(seconds, "How long targets change while all CPUs call, at most 240: KUnit gives up after 300");

/* Something that is found through the TOC of ppc64 */
static long own_data = 3000;

long static_call_peer_far(STATIC_CALL_PEER_PROTO)
{
	return READ_ONCE(own_data) + STATIC_CALL_PEER_SUM;
}
EXPORT_SYMBOL_GPL(static_call_peer_far);

DEFINE_STATIC_CALL(static_call_peer_far, static_call_peer_far);
EXPORT_STATIC_CALL_GPL(static_call_peer_far);

MODULE_DESCRIPTION("Trampoline and target of a test of static calls");
MODULE_LICENSE("GPL");
