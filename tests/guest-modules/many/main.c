// SPDX-License-Identifier: GPL-2.0
/* A module of 1,000 functions. Nobody calls them. */

#include <linux/compiler.h>
#include <linux/module.h>

/* With bodies that no compiler can take for one another */
#define F1(n)		static __used noinline void many_##n(void) { asm volatile("/* " #n " */"); }
#define F10(n)		F1(n##0) F1(n##1) F1(n##2) F1(n##3) F1(n##4) \
			F1(n##5) F1(n##6) F1(n##7) F1(n##8) F1(n##9)
#define F100(n)		F10(n##0) F10(n##1) F10(n##2) F10(n##3) F10(n##4) \
			F10(n##5) F10(n##6) F10(n##7) F10(n##8) F10(n##9)

F100(0) F100(1) F100(2) F100(3) F100(4) F100(5) F100(6) F100(7) F100(8) F100(9)

static int __init many_init(void)
{
	return 0;
}
module_init(many_init);

static void __exit many_exit(void)
{
}
module_exit(many_exit);

MODULE_DESCRIPTION("A module of 1,000 functions");
MODULE_LICENSE("GPL");
