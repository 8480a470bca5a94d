/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CALLOPS_KPROBES_H
#define CALLOPS_KPROBES_H

int kprobes_storm(unsigned int ms, unsigned int rounds);

#endif
