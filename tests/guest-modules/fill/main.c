// SPDX-License-Identifier: GPL-2.0
/*
 * A module that is larger than arm64's window for modules, so that the next one
 * lies in a hole before it, or behind it. It takes no room in the file.
 */
#include <linux/module.h>
#include <linux/sizes.h>

static char fill[SZ_128M + SZ_4M];

static int __init fill_init(void)
{
	/* Its address is used, or there would be none of it. */
	pr_info("callops_fill: %zu bytes at %px\n", sizeof(fill), fill);
	return 0;
}
module_init(fill_init);

static void __exit fill_exit(void)
{
	OPTIMIZER_HIDE_VAR(*fill);
}
module_exit(fill_exit);

MODULE_DESCRIPTION("A module that fills the window for modules");
MODULE_LICENSE("GPL");
