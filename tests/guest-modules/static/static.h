/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CALLOPS_STATIC_H
#define CALLOPS_STATIC_H

#include <linux/static_call.h>
#include <linux/tracepoint.h>

/* peer.c */
int peer_add(int x);
int peer_double(int x);
int peer_call(int x);
int peer_2(int x);
int peer_3(int x);
void peer_empty(long a, long b);
extern int (*peer_target)(int n, int x);
DECLARE_STATIC_CALL(callops_peer, peer_add);

/* main.c */
DECLARE_TRACE(callops_one, TP_PROTO(long a), TP_ARGS(a));
DECLARE_TRACE(callops_two, TP_PROTO(long a, long b), TP_ARGS(a, b));
DECLARE_TRACE(callops_four, TP_PROTO(long a, long b, long c, long d), TP_ARGS(a, b, c, d));
#define ARGS12	TP_ARGS(a, b, c, d, e, f, g, h, i, j, k, l)
#define PROTO12	TP_PROTO(long a, long b, long c, long d, long e, long f, long g, long h, \
			 long i, long j, long k, long l)
DECLARE_TRACE(callops_twelve, PROTO12, ARGS12);

/* storm.c: returns how much went wrong, and says what */
int storm(unsigned int seconds);

/* bench.c */
int bench(unsigned int calls, unsigned long core);

#endif
