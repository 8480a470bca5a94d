/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_STATIC_CALL_PEER_H
#define _LINUX_STATIC_CALL_PEER_H

/*
 * The kernel's part in static calls between the kernel and a module, for tests in modules:
 * callers, trampolines and targets. See kernel/static_call_peer.c and, for a test,
 * kernel/static_call_peer_test.c
 */

#include <linux/static_call.h>

/* More arguments than registers */
#define STATIC_CALL_PEER_PROTO	long a, long b, long c, long d, long e, long f, long g, \
				long h, long i, long j, long k, long l
#define STATIC_CALL_PEER_SUM	(a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + \
				 9 * i + 10 * j + 11 * k + 12 * l)
/* 1 to 12 less @x are what each caller passes */
#define STATIC_CALL_PEER_ARGS(x) 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 - (x)
#define STATIC_CALL_PEER_IS(x)	(650 - 12 * (x))

/* Where code has a register that calls between the kernel and modules change */
static __always_inline unsigned long static_call_peer_toc(void)
{
	unsigned long toc = 0;

#ifdef CONFIG_PPC64
	asm volatile("mr %0,2" : "=r" (toc) : : "memory");
#endif
	return toc;
}

typedef long static_call_peer_t(STATIC_CALL_PEER_PROTO);
long static_call_peer_target(STATIC_CALL_PEER_PROTO);
long static_call_peer_other(STATIC_CALL_PEER_PROTO);
DECLARE_STATIC_CALL(static_call_peer, static_call_peer_target);

/* The same in a module, static_call_peer_far.ko */
long static_call_peer_far(STATIC_CALL_PEER_PROTO);
DECLARE_STATIC_CALL(static_call_peer_far, static_call_peer_far);
extern unsigned int static_call_peer_seconds;

/* These return what the target did, or -1 if the register was not restored */
long static_call_peer_call(long x);
long static_call_peer_pointer(static_call_peer_t *func, long x);

/* To measure: of two arguments, and nothing is checked */
typedef void static_call_peer_empty_t(long a, long b);
void static_call_peer_empty(long a, long b);
DECLARE_STATIC_CALL(static_call_peer_empty, static_call_peer_empty);
void static_call_peer_empty_direct(void);
void static_call_peer_empty_static(void);
void static_call_peer_empty_pointer(static_call_peer_empty_t *func);

#endif
