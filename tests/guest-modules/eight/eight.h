/* SPDX-License-Identifier: GPL-2.0 */
long eight_far(STATIC_CALL_PEER_PROTO);
DECLARE_STATIC_CALL(eight_far, eight_far);
