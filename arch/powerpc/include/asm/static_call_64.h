/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ASM_POWERPC_STATIC_CALL_64_H
#define _ASM_POWERPC_STATIC_CALL_64_H

/*
 * Static calls on ppc64 with ELFv2. Code finds its data through r2, the TOC pointer:
 * the kernel has one TOC, each module another one. Only the kernel's own trampolines
 * are patched, and only the kernel's own code calls them with a plain bl:
 *
 *	caller			trampoline			target
 *	------			----------			------
 *				T+00: addis r2,r12,.TOC.-T@ha
 *				T+04: addi  r2,r2,.TOC.-T@l
 *	bl   T+08	->	slot: b     <target>	->	its local entry, r2 is right
 *	ld   r2,TOC(r13)		...
 *
 *	bl   T+08	->	slot: nop
 *				      ld    r12,<literal>(r2)
 *				      mtctr r12
 *				      bctr		->	its global entry, which
 *	ld   r2,TOC(r13)				<-	sets r2 from r12
 *
 *	bl   T+08	->	slot: b     ret0		(NULL, __static_call_return0)
 *				ret0: li    r3,0
 *	ld   r2,TOC(r13)	      blr
 *
 *	r1	stays: there is no frame, so arguments on the stack are where they were
 *	r2	the kernel's TOC at T+08. A target elsewhere changes it, and does not put it
 *		back: that is the caller's, by the load behind the bl. It was a nop, which
 *		the compiler leaves there for the linker; the boot makes the load of it, see
 *		static_call_64.c. r13 is the PACA, which has the kernel's TOC: so nobody
 *		stores r2, and 24(r1), the place for that, is left alone
 *	r12	the address of T, if that is called through a pointer, and T+00 makes the
 *		kernel's TOC of it; the address of the target, where it is not in the kernel
 *	LR	the caller's: a target returns to it, and no trampoline is on the stack
 *
 * If T is called through a pointer, from a module or the kernel, it is for the caller
 * to save r2 in 24(r1) and to load it again, as with any pointer.
 *
 * The linker would make a stub that saves r2 if T were said to change it, by .localentry
 * T,1, and each call would pay for that. With a local entry of its own T is, to the
 * linker, like a function in C.
 *
 * The literal lies next to the TOC pointer, for one load to reach it, and is read-only.
 *
 * A call from a module would go through a stub of the module loader, which costs more than
 * to load the address of the target from the key and to call that. So it does that: see
 * STATIC_CALL_KERNEL_ONLY. The trampoline of a static call that a module defines serves
 * who has its address only. It knows no TOC, takes its own address from r12, as it is
 * called through a pointer, and loads the target from the key:
 *
 *	T+00:	addis r12,r12,key-T@ha
 *		addi  r12,r12,key-T@l
 *		ld    r12,0(r12)
 *		mtctr r12
 *		cmpdi r12,0
 *		bnectr
 *		li    r3,0		// NULL
 *		blr
 *
 * So a compiler must not see whose address it is, or it may make a direct call of it, with
 * any r12. In modules static_call() gives away the address of the target instead; only
 * STATIC_CALL_TRAMP_ADDR() is that of the trampoline, for static_call_update().
 */
#define PPC64_SCT_SLOT		8
#define PPC64_SCT_LOAD		12
#define PPC64_SCT_RET0		24
#define PPC64_SCT_SIZE		32

#define __PPC64_SCT_END(name)						\
	    "	.type	" STATIC_CALL_TRAMP_STR(name) ", @function\n"	\
	    "	.size	" STATIC_CALL_TRAMP_STR(name) ", . - "		\
			  STATIC_CALL_TRAMP_STR(name) "\n"		\
	    "	.popsection\n"

#ifdef MODULE
#define __PPC64_SCT(name, target)					\
	asm("	.pushsection .text, \"ax\"\n"				\
	    "	.balign	32\n"						\
	    "	.globl	" STATIC_CALL_TRAMP_STR(name) "\n"		\
	    STATIC_CALL_TRAMP_STR(name) ":\n"				\
	    "	addis	12, 12, (" STATIC_CALL_KEY_STR(name) " - "	\
			STATIC_CALL_TRAMP_STR(name) ")@ha\n"		\
	    "	addi	12, 12, (" STATIC_CALL_KEY_STR(name) " - "	\
			STATIC_CALL_TRAMP_STR(name) ")@l\n"		\
	    "	ld	12, 0(12)\n"					\
	    "	mtctr	12\n"						\
	    "	cmpdi	12, 0\n"					\
	    "	bnectr\n"						\
	    "	li	3, 0\n"						\
	    "	blr\n"							\
	    __PPC64_SCT_END(name))
#else
#define __PPC64_SCT(name, target)					\
	asm("	.pushsection .static_call.toc, \"aw\"\n"		\
	    "	.balign	8\n"						\
	    "2:	.quad	0\n"						\
	    "	.popsection\n"						\
	    "	.pushsection .static_call.text, \"ax\"\n"		\
	    "	.balign	32\n"						\
	    "	.globl	" STATIC_CALL_TRAMP_STR(name) "\n"		\
	    STATIC_CALL_TRAMP_STR(name) ":\n"				\
	    "	addis	2, 12, (.TOC. - " STATIC_CALL_TRAMP_STR(name) ")@ha\n" \
	    "	addi	2, 2, (.TOC. - " STATIC_CALL_TRAMP_STR(name) ")@l\n" \
	    "	.localentry	" STATIC_CALL_TRAMP_STR(name) ", . - "	\
			STATIC_CALL_TRAMP_STR(name) "\n"		\
	    "	b	" target "\n"					\
	    "	ld	12, 2b@toc@l(2)\n"				\
	    "	mtctr	12\n"						\
	    "	bctr\n"							\
	    "1:	li	3, 0\n"						\
	    "	blr\n"							\
	    __PPC64_SCT_END(name))
#endif

#define ARCH_DEFINE_STATIC_CALL_TRAMP(name, func)	__PPC64_SCT(name, #func)
#define ARCH_DEFINE_STATIC_CALL_NULL_TRAMP(name)	__PPC64_SCT(name, "1f")
#define ARCH_DEFINE_STATIC_CALL_RET0_TRAMP(name)	__PPC64_SCT(name, "1f")

#endif /* _ASM_POWERPC_STATIC_CALL_64_H */
