// SPDX-License-Identifier: GPL-2.0
/* Functions whose patch sites are no patch sites, see Kbuild. */
#include <linux/module.h>

int callops_refused_add(int a, int b);

noinline int callops_refused_add(int a, int b)
{
	return a + b;
}

static int __init callops_refused_init(void)
{
	int sum = 0;

	for (int i = 0; i < 10; i++)
		sum = callops_refused_add(sum, i);
	pr_info("callops_refused: sum=%d\n", sum);

	return 0;
}
module_init(callops_refused_init);

static void __exit callops_refused_exit(void)
{
	pr_info("callops_refused: gone\n");
}
module_exit(callops_refused_exit);

MODULE_DESCRIPTION("A module whose patch sites are refused");
MODULE_LICENSE("GPL");
