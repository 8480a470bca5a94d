// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's part in static calls between the kernel and a module
 */

#include <linux/export.h>
#include <linux/static_call_peer.h>

noinline long static_call_peer_target(STATIC_CALL_PEER_PROTO)
{
	return STATIC_CALL_PEER_SUM;
}
EXPORT_SYMBOL_GPL(static_call_peer_target);

noinline long static_call_peer_other(STATIC_CALL_PEER_PROTO)
{
	return 1000 + STATIC_CALL_PEER_SUM;
}
EXPORT_SYMBOL_GPL(static_call_peer_other);

DEFINE_STATIC_CALL(static_call_peer, static_call_peer_target);
EXPORT_STATIC_CALL_GPL(static_call_peer);

noinline long static_call_peer_call(long x)
{
	unsigned long toc = static_call_peer_toc();
	long ret = static_call(static_call_peer)(STATIC_CALL_PEER_ARGS(x));

	return static_call_peer_toc() == toc ? ret : -1;
}
EXPORT_SYMBOL_GPL(static_call_peer_call);

noinline long static_call_peer_pointer(static_call_peer_t *func, long x)
{
	unsigned long toc = static_call_peer_toc();
	long ret = func(STATIC_CALL_PEER_ARGS(x));

	return static_call_peer_toc() == toc ? ret : -1;
}
EXPORT_SYMBOL_GPL(static_call_peer_pointer);

/* The barrier behind each call keeps it from being a jump */
noinline notrace void static_call_peer_empty(long a, long b)
{
	barrier();
}
EXPORT_SYMBOL_GPL(static_call_peer_empty);

DEFINE_STATIC_CALL(static_call_peer_empty, static_call_peer_empty);
EXPORT_STATIC_CALL_GPL(static_call_peer_empty);

noinline notrace void static_call_peer_empty_direct(void)
{
	static_call_peer_empty(1, 2);
	barrier();
}
EXPORT_SYMBOL_GPL(static_call_peer_empty_direct);

noinline notrace void static_call_peer_empty_static(void)
{
	static_call(static_call_peer_empty)(1, 2);
	barrier();
}
EXPORT_SYMBOL_GPL(static_call_peer_empty_static);

noinline notrace void static_call_peer_empty_pointer(static_call_peer_empty_t *func)
{
	func(1, 2);
	barrier();
}
EXPORT_SYMBOL_GPL(static_call_peer_empty_pointer);
