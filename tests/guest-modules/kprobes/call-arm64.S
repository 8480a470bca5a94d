/* SPDX-License-Identifier: GPL-2.0 */
#include "../redirect/call-arm64.S"
