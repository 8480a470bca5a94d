// SPDX-License-Identifier: GPL-2.0
/*
 * A module of 1,000 functions. Nobody calls them, until something is written to the
 * parameter "call". With spoil=N the callsite of the Nth looks like none, and it cannot be
 * called: ftrace has seen it as it should be, and will not find it so again.
 */

#include <linux/compiler.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

/* With bodies that no compiler can take for one another */
#define F1(n)		static __used noinline void many_##n(void) { asm volatile("/* " #n " */"); }
#define F10(n)		F1(n##0) F1(n##1) F1(n##2) F1(n##3) F1(n##4) \
			F1(n##5) F1(n##6) F1(n##7) F1(n##8) F1(n##9)
#define F100(n)		F10(n##0) F10(n##1) F10(n##2) F10(n##3) F10(n##4) \
			F10(n##5) F10(n##6) F10(n##7) F10(n##8) F10(n##9)

F100(0) F100(1) F100(2) F100(3) F100(4) F100(5) F100(6) F100(7) F100(8) F100(9)

#define P1(n)		many_##n,
#define P10(n)		P1(n##0) P1(n##1) P1(n##2) P1(n##3) P1(n##4) \
			P1(n##5) P1(n##6) P1(n##7) P1(n##8) P1(n##9)
#define P100(n)		P10(n##0) P10(n##1) P10(n##2) P10(n##3) P10(n##4) \
			P10(n##5) P10(n##6) P10(n##7) P10(n##8) P10(n##9)

static void (*const many[])(void) = {
	P100(0) P100(1) P100(2) P100(3) P100(4) P100(5) P100(6) P100(7) P100(8) P100(9)
};

static unsigned int spoil = ARRAY_SIZE(many);
module_param(spoil, uint, 0444);
MODULE_PARM_DESC(spoil, "The function to spoil, from 0; none if it is not told");

/* All that a function begins with, through a mapping that can be written */
static int many_spoil(void *func)
{
	enum { BYTES = 12 };
	unsigned long at = offset_in_page(func);
	struct page *pages[] = {
		vmalloc_to_page(func), vmalloc_to_page(func + BYTES),
	};
	void *text = vmap(pages, ARRAY_SIZE(pages), VM_MAP, PAGE_KERNEL);

	if (!text)
		return -ENOMEM;
	memset(text + at, 0, BYTES);
	vunmap(text);
	return 0;
}

/* All but that one */
static int many_call(const char *val, const struct kernel_param *kp)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(many); i++) {
		if (i != spoil)
			many[i]();
	}
	return 0;
}

static const struct kernel_param_ops many_ops = { .set = many_call };
module_param_cb(call, &many_ops, NULL, 0200);

static int __init many_init(void)
{
	return spoil < ARRAY_SIZE(many) ? many_spoil(many[spoil]) : 0;
}
module_init(many_init);

static void __exit many_exit(void)
{
}
module_exit(many_exit);

MODULE_DESCRIPTION("A module of 1,000 functions");
MODULE_LICENSE("GPL");
