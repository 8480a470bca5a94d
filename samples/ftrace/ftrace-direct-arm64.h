/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A trampoline for a direct call on arm64
 *
 * The traced function has got as far as
 *
 *	MOV	X9, LR		// to whom it returns
 *	BL	<trampoline>	// X30: where it goes on
 *
 * so X0 to X8 hold what it was called with. The trampoline makes two frame
 * records, one for the function and one for itself, so that a backtrace shows
 * both the function and its caller, and leaves as a RET would do from a function
 * that was called there.
 *
 *	sp +  96	x8
 *	sp +  40	x1 to x7
 *	sp +  32	x0
 *	sp +  16	frame record of the function:	its caller's x29, and x9
 *	sp +   0	frame record of the trampoline:	sp + 16, and x30
 *
 * It may be reached by BR, which wants a BTI where that is checked.
 */

/* @args: instructions that prepare the arguments of @func, each with a "\n" */
#define DIRECT_TRAMP(tramp, func, args)					\
asm (									\
"	.pushsection	.text, \"ax\", @progbits\n"			\
"	.type		" #tramp ", @function\n"			\
"	.globl		" #tramp "\n"					\
#tramp ":\n"								\
"	hint	#34\n"			/* BTI C */			\
"	sub	sp, sp, #112\n"						\
"	stp	x29, x9, [sp, #16]\n"					\
"	add	x29, sp, #16\n"						\
"	stp	x29, x30, [sp]\n"					\
"	mov	x29, sp\n"						\
"	stp	x0, x1, [sp, #32]\n"					\
"	stp	x2, x3, [sp, #48]\n"					\
"	stp	x4, x5, [sp, #64]\n"					\
"	stp	x6, x7, [sp, #80]\n"					\
"	str	x8, [sp, #96]\n"					\
	args								\
"	bl	" #func "\n"						\
"	ldp	x0, x1, [sp, #32]\n"					\
"	ldp	x2, x3, [sp, #48]\n"					\
"	ldp	x4, x5, [sp, #64]\n"					\
"	ldp	x6, x7, [sp, #80]\n"					\
"	ldr	x8, [sp, #96]\n"					\
"	ldr	x9, [sp, #8]\n"						\
"	ldp	x29, x30, [sp, #16]\n"					\
"	add	sp, sp, #112\n"						\
"	ret	x9\n"							\
"	.size		" #tramp ", .-" #tramp "\n"			\
"	.popsection\n"							\
)
