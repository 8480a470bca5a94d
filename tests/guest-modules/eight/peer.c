// SPDX-License-Identifier: GPL-2.0
/*
 * A target in another module, which has a TOC of its own on ppc64
 */

#include <linux/module.h>

#if IS_ENABLED(CONFIG_STATIC_CALL_PEER)
#include <linux/static_call_peer.h>
#include "eight.h"

static long count;

long eight_far(STATIC_CALL_PEER_PROTO)
{
	return 3000 + STATIC_CALL_PEER_SUM + READ_ONCE(count);
}
EXPORT_SYMBOL_GPL(eight_far);

DEFINE_STATIC_CALL(eight_far, eight_far);
EXPORT_STATIC_CALL_GPL(eight_far);
#endif

MODULE_DESCRIPTION("The other module's part in the eight cases of static calls");
MODULE_LICENSE("GPL");
