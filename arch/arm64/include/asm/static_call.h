/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ASM_STATIC_CALL_H
#define _ASM_STATIC_CALL_H

/*
 * The trampoline of a static call is code that is patched, and a literal, which
 * serves targets that a branch does not reach:
 *
 *	T+00:	BTI C			// with ARM64_BTI_KERNEL only
 *	slot:	B <target>		// or NOP, or B ret0
 *		LDR X16, literal
 *		BR X16
 *	ret0:	MOV X0, #0
 *		RET
 *	T+24:	literal			// two words, 8-byte aligned
 *
 * It is jumped to and jumps on, so it leaves LR, the stack and all arguments as
 * they are, and there is nothing for PAC or a shadow call stack to sign or keep.
 * X16 is free: the linker's veneers and a module's PLT use it, too, to get here,
 * and BTI C takes their BR X16. So do the targets, of which the address is taken.
 *
 * It lies in .text, next to the iterator of a tracepoint, which may be in a module;
 * so no PLT entry is reserved for the branch. Until the first update, a target that
 * is too far away is the linker's or the module loader's matter.
 *
 * kCFI checks at indirect calls. The call of a trampoline is none, and its branches
 * are not checked, but come from memory that is read-only. It has a type of its own,
 * in front, for those who take its address and call that.
 */
#ifdef CONFIG_ARM64_BTI_KERNEL
#define ARM64_SCT_SLOT		4
#define __ARM64_SCT_BTI		"	hint	#34\n"	/* bti c */
#define __ARM64_SCT_FILL	""
#else
#define ARM64_SCT_SLOT		0
#define __ARM64_SCT_BTI		""
#define __ARM64_SCT_FILL	"	.inst	0\n"
#endif
#define ARM64_SCT_RET0		(ARM64_SCT_SLOT + 12)
#define ARM64_SCT_LITERAL	24

#ifdef CONFIG_CFI_CLANG
/* The compiler gives a type to each function whose address is taken */
#define __ARM64_SCT_TYPE(name)	__ADDRESSABLE(STATIC_CALL_TRAMP(name))
#define __ARM64_SCT_ALIGN(name)						\
	"	.balign	8\n"						\
	"	.long	0, __kcfi_typeid_" STATIC_CALL_TRAMP_STR(name) "\n"
#else
#define __ARM64_SCT_TYPE(name)
#define __ARM64_SCT_ALIGN(name)	"	.balign	32\n"
#endif

#define __ARM64_SCT(name, slot)						\
	__ARM64_SCT_TYPE(name)						\
	asm("	.pushsection .text, \"ax\"\n"				\
	    __ARM64_SCT_ALIGN(name)					\
	    "	.globl	" STATIC_CALL_TRAMP_STR(name) "\n"		\
	    STATIC_CALL_TRAMP_STR(name) ":\n"				\
	    __ARM64_SCT_BTI						\
	    "	b	" slot "\n"					\
	    "	ldr	x16, 2f\n"					\
	    "	br	x16\n"						\
	    "1:	mov	x0, #0\n"					\
	    "	ret\n"							\
	    __ARM64_SCT_FILL						\
	    "2:	.quad	0\n"						\
	    "	.type	" STATIC_CALL_TRAMP_STR(name) ", %function\n"	\
	    "	.size	" STATIC_CALL_TRAMP_STR(name) ", . - "		\
			  STATIC_CALL_TRAMP_STR(name) "\n"		\
	    "	.popsection\n")

#define ARCH_DEFINE_STATIC_CALL_TRAMP(name, func)	__ARM64_SCT(name, #func)
#define ARCH_DEFINE_STATIC_CALL_NULL_TRAMP(name)	__ARM64_SCT(name, "1f")
#define ARCH_DEFINE_STATIC_CALL_RET0_TRAMP(name)	__ARM64_SCT(name, "1f")

#endif /* _ASM_STATIC_CALL_H */
