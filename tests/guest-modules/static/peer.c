// SPDX-License-Identifier: GPL-2.0
/*
 * Static calls between modules: a trampoline, its caller and targets for callops_static
 */

#include <linux/module.h>
#include <linux/sizes.h>
#include "static.h"

/*
 * riscv: a module that is loaded behind it is out of range of a branch. It is no larger
 * than that, as the kernel flushes all TLBs for each page that it frees.
 */
static char fill[SZ_1M + SZ_128K] __used;

/* Targets of the storm */
int (*peer_target)(int n, int x);
EXPORT_SYMBOL_GPL(peer_target);
int peer_2(int x) { return READ_ONCE(peer_target)(2, x); }
EXPORT_SYMBOL_GPL(peer_2);
int peer_3(int x) { return READ_ONCE(peer_target)(3, x); }
EXPORT_SYMBOL_GPL(peer_3);

int peer_add(int x)
{
	return x + 100;
}
EXPORT_SYMBOL_GPL(peer_add);

int peer_double(int x)
{
	return 2 * x;
}
EXPORT_SYMBOL_GPL(peer_double);

void notrace peer_empty(long a, long b)
{
}
EXPORT_SYMBOL_GPL(peer_empty);

DEFINE_STATIC_CALL(callops_peer, peer_add);
EXPORT_STATIC_CALL_GPL(callops_peer);

noinline int peer_call(int x)
{
	return static_call(callops_peer)(x);
}
EXPORT_SYMBOL_GPL(peer_call);

static int __init peer_init(void)
{
	return 0;
}
module_init(peer_init);

static void __exit peer_exit(void)
{
}
module_exit(peer_exit);

MODULE_DESCRIPTION("The other module's part in static calls");
MODULE_LICENSE("GPL");
