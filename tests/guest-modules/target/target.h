/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CALLOPS_TARGET_H
#define CALLOPS_TARGET_H

void target_size(void);

#endif
