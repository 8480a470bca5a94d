/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ASM_RISCV_STATIC_CALL_H
#define _ASM_RISCV_STATIC_CALL_H

/*
 * The trampoline of a static call is code that is patched, and a literal, which
 * serves targets that a jump does not reach, as it does for 1 MB only:
 *
 *	T+00:	j <target>		# or auipc t2, 0, or j ret0
 *	T+04:	ld t2, 24(t2)
 *	T+08:	jr t2
 *	T+12:	li a0, 0		# ret0
 *	T+16:	ret
 *	T+24:	literal			# 8-byte aligned
 *
 * with instructions of 4 bytes each, whatever the rest has. T is aligned to 8 bytes,
 * and so the slot to its own size. t2 is free there: nothing is passed in it.
 *
 * It lies in .text, next to the iterator of a tracepoint and, in a file with trace
 * events, to its probe. Whether a jump reaches the first target is not known here, so
 * the literal serves it until the first update.
 */
#define RISCV_SCT_RET0		12
#define RISCV_SCT_LITERAL	24

#define __RISCV_SCT(name, slot, literal)				\
	asm("	.pushsection .text, \"ax\"\n"				\
	    "	.balign	8\n"						\
	    "	.option push\n"						\
	    "	.option norvc\n"					\
	    "	.option norelax\n"					\
	    "	.globl	" STATIC_CALL_TRAMP_STR(name) "\n"		\
	    STATIC_CALL_TRAMP_STR(name) ":\n"				\
	    "	" slot "\n"						\
	    "	ld	t2, 24(t2)\n"					\
	    "	jr	t2\n"						\
	    "1:	li	a0, 0\n"					\
	    "	ret\n"							\
	    "	.4byte	0\n"						\
	    "	.dword	" literal "\n"					\
	    "	.type	" STATIC_CALL_TRAMP_STR(name) ", @function\n"	\
	    "	.size	" STATIC_CALL_TRAMP_STR(name) ", . - "		\
			  STATIC_CALL_TRAMP_STR(name) "\n"		\
	    "	.option pop\n"						\
	    "	.popsection\n")

#define ARCH_DEFINE_STATIC_CALL_TRAMP(name, func)	__RISCV_SCT(name, "auipc t2, 0", #func)
#define ARCH_DEFINE_STATIC_CALL_NULL_TRAMP(name)	__RISCV_SCT(name, "j 1f", "0")
#define ARCH_DEFINE_STATIC_CALL_RET0_TRAMP(name)	__RISCV_SCT(name, "j 1f", "0")

#endif /* _ASM_RISCV_STATIC_CALL_H */
