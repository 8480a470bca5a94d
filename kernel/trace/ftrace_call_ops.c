// SPDX-License-Identifier: GPL-2.0
/*
 * Per-callsite ftrace_ops: which ops serves a callsite, and for how long.
 *
 * Beside every patch site lies a literal, an aligned pointer to a ftrace_ops.
 * A callsite that is enabled branches to the one trampoline of the
 * architecture, which loads the literal of that callsite and calls
 * ops->callsite_func. This file decides what the literal says; the
 * architecture only writes it, by arch_ftrace_write_literal().
 *
 * The idea is due to Mark Rutland ("ftrace: Add DYNAMIC_FTRACE_WITH_CALL_OPS",
 * Linux 6.3).
 *
 * What a CPU may see while a literal changes
 * ------------------------------------------
 *
 * A literal is changed by one aligned store of a pointer, under ftrace_lock, and
 * after all that was written to the ops. A CPU in the trampoline reads the old
 * pointer or the new one, never a part of each, and finds the ops complete
 * behind it. It reads it once, unless ftrace_direct_caller finds no direct call
 * in the ops: it takes nothing from that, and goes on to the other trampoline,
 * which reads anew. The store and the patching of the branch are two
 * separate steps, so any of the old and new pointers may meet any of the old
 * and new instructions. With CALL for the BL of arm64 or the JALR of riscv:
 *
 *   NOP -> CALL	The literal is set first. A CPU that still runs the NOP
 *			does not look at it. A CPU that runs the CALL finds the
 *			new ops, or, as fetching an instruction is not ordered
 *			with loading data, a function that does nothing.
 *   CALL -> NOP	The literal is set to ftrace_nop_ops first. A CPU that
 *			still runs the CALL calls the old ops, or a function
 *			that does nothing.
 *   CALL -> CALL	Between one ops and several, or between the trampolines
 *			for few and for all registers. A CPU calls the old ops
 *			or the new one, by either trampoline. Both trampolines
 *			pass a pt_regs that can be written to; an ops that asks
 *			for all registers may be called with only some of them
 *			filled in while it is being registered or unregistered,
 *			as on arm64 without literals.
 *
 * In each case a call is given to the tracers of before or to those of after
 * the change. ftrace_list_ops asks each registered ops whether it traces the
 * function, so it is right at any moment, and is what we fall back to.
 *
 * Why nobody calls through an ops that was freed
 * ----------------------------------------------
 *
 * A CPU can use an ops from the moment it loads the literal until the
 * callback returns. Unlike the list function, the trampoline does not disable
 * preemption around that, so the task can be preempted with the pointer in a
 * register. ftrace_shutdown() therefore does, in this order:
 *
 *   1. change the literal of each callsite that names the ops. From here on
 *	nobody who enters the trampoline finds it;
 *   2. synchronize_rcu_tasks_rude(): each CPU has been through the scheduler.
 *	Those who loaded the literal before 1 and were not preempted are out,
 *	wherever they were, including where RCU is not watching. On riscv each
 *	CPU also runs the patched instruction by now, as 1 ends with a remote
 *	fence. On arm64 it does so from its next context synchronization event
 *	on, such as an interrupt. Until then a stale branch to the trampoline
 *	finds the new literal there; only one straight to a direct call needs
 *	the event;
 *   3. with CONFIG_PREEMPTION, synchronize_rcu_tasks(): each task that was
 *	preempted on its way has since left the trampoline, as callbacks do
 *	not sleep.
 *
 * Steps 2 and 3 are taken for each ops outside of the kernel's own data
 * (FTRACE_OPS_FL_DYNAMIC): allocated ones and those in modules. The others
 * are never freed. They are the same steps that free an ops or a trampoline
 * without literals.
 *
 * A function that leaves the filter of an ops does not take these steps. The ops
 * stays, and may be called for that function once more at any later time. Who
 * frees something that belongs to one function takes them, see
 * unregister_ftrace_function_probe_func().
 *
 * While the sysctl ftrace_enabled is 0 no literal names an ops of a tracer: step 1
 * was taken for all of them, and modules are left disabled, see
 * ftrace_module_enable(). ftrace_kill() clears it as well, and leaves literals alone:
 * then see ftrace_bug_disarm_ops().
 *
 * The function of an ops can change while it is registered, between
 * ops->saved_func and the pid filter. Both take the same ops and each can be
 * called at any time, so a CPU may use either.
 */

#include <linux/kprobes.h>

#include "ftrace_callsite.h"
#include "trace.h"

/* Ask each registered ops whether it traces the function */
const struct ftrace_ops ftrace_list_ops = {
	.func		= ftrace_ops_list_func,
	.callsite_func	= ftrace_ops_list_func,
	.flags		= FTRACE_OPS_FL_STUB,
};

static void ftrace_ops_nop_func(unsigned long ip, unsigned long parent_ip,
				struct ftrace_ops *op,
				struct ftrace_regs *fregs)
{
}

NOKPROBE_SYMBOL(ftrace_ops_nop_func);

/* Nobody traces the function, but a CPU may still be on its way here */
const struct ftrace_ops ftrace_nop_ops = {
	.func		= ftrace_ops_nop_func,
	.callsite_func	= ftrace_ops_nop_func,
	.flags		= FTRACE_OPS_FL_STUB,
};

/**
 * ftrace_rec_select_ops - choose the ops that serves a callsite
 * @rec: the record of the callsite, its flags already updated
 * @list: the registered ops, ftrace_ops_list but for tests
 *
 *	ENABLED	count	literal
 *	no	any	ftrace_nop_ops
 *	yes	one	the one ops in @list that traces @rec
 *	yes	more	ftrace_list_ops
 *
 * An ops that is being added is in @list already, one that is being removed no
 * longer is, and one that changes its filter has its new one. A lone ops that
 * wants the recursion or the RCU check is served directly as well, see
 * ftrace_update_callsite_func(). With CONFIG_FTRACE_OPS_SETS a set of ops takes the
 * place of ftrace_list_ops, see ftrace_ops_set_select().
 *
 * Context: ftrace_lock is held (but for tests on a private @list).
 * Return: the ops, never NULL.
 */
const struct ftrace_ops *ftrace_rec_select_ops(const struct dyn_ftrace *rec,
					       struct ftrace_ops *list)
{
	struct ftrace_ops *op;

	if (!(rec->flags & FTRACE_FL_ENABLED))
		return &ftrace_nop_ops;

	if (ftrace_rec_count(rec) > 1)
		return &ftrace_list_ops;

	for (op = list; op != &ftrace_list_end;
	     op = rcu_dereference_raw_check(op->next)) {
		/* @rec only stands for "there are registers" */
		if (ftrace_ops_test(op, rec->ip, (void *)rec))
			return op;
	}

	/* The count says that there is one. Let the list function find it. */
	WARN_ONCE(1, "ftrace: no ops traces %pS, flags %lx\n",
		  (void *)rec->ip, rec->flags);
	return &ftrace_list_ops;
}

/**
 * ftrace_rec_read_literal - the ops that serves a callsite now
 * @rec: the record of the callsite
 *
 * Reads the literal itself, not what it should be.
 *
 * Context: the ops that is returned stays valid while ftrace_lock is held.
 * Return: the ops that the literal names.
 */
const struct ftrace_ops *ftrace_rec_read_literal(const struct dyn_ftrace *rec)
{
	return READ_ONCE(*(const struct ftrace_ops **)ftrace_literal_addr(rec->ip));
}

static int rec_write_ops(const struct dyn_ftrace *rec,
			 const struct ftrace_ops *ops)
{
	int ret;

	/* The ops is complete before a CPU finds it, by an address dependency */
	smp_wmb();
	ret = arch_ftrace_write_literal(rec, ops);
	/* The literal is there before the branch that makes a CPU load it */
	smp_wmb();

	return ret;
}

/**
 * ftrace_rec_init_literal - write the first literal of a callsite, for a disabled one
 * @rec: the record of the callsite
 *
 * Context: ftrace_lock is held, and what the architecture needs to patch text. May
 * be called with interrupts disabled.
 * Return: 0, or the error of arch_ftrace_write_literal().
 */
int ftrace_rec_init_literal(const struct dyn_ftrace *rec)
{
	lockdep_assert_held(&ftrace_lock);

	return rec_write_ops(rec, &ftrace_nop_ops);
}

/**
 * ftrace_rec_choose_ops - choose what the literal of a callsite has to name
 * @rec: the record of the callsite, its flags already updated
 * @named: what the literal names
 *
 * The one place where the choice is made. Each callsite that is being enabled or
 * disabled is given to it, and each whose ops came or went: FTRACE_FL_CALL_OPS says so.
 * There is no update while ftrace_enabled is 0, but then the callsite is disabled, and
 * its literal is chosen when it is enabled again.
 *
 * Context: ftrace_lock is held. May sleep.
 * Return: the ops, never NULL.
 */
const struct ftrace_ops *ftrace_rec_choose_ops(struct dyn_ftrace *rec,
					       const struct ftrace_ops *named)
{
	const struct ftrace_ops *ops = &ftrace_nop_ops;

	lockdep_assert_held(&ftrace_lock);

	if (rec->flags & FTRACE_FL_ENABLED) {
		ops = ftrace_ops_set_select(rec, named);
		if (ops == &ftrace_list_ops)
			rec->flags &= ~FTRACE_FL_CALL_OPS_EN;
		else
			rec->flags |= FTRACE_FL_CALL_OPS_EN;
	}

	return ops;
}

/**
 * ftrace_rec_write_literal - write the literal of a callsite
 * @rec: the record of the callsite
 * @named: what the literal names
 * @ops: what it has to name
 *
 * Context: ftrace_lock is held, and what the architecture needs to patch text,
 * see ftrace_arch_code_modify_prepare().
 * Return: 0, or the error of arch_ftrace_write_literal().
 */
int ftrace_rec_write_literal(const struct dyn_ftrace *rec,
			     const struct ftrace_ops *named,
			     const struct ftrace_ops *ops)
{
	int ret;

	if (ops == named)
		return 0;

	ret = rec_write_ops(rec, ops);
	if (!ret)
		ftrace_ops_set_moved(named, ops, 1);

	return ret;
}

/**
 * ftrace_rec_update_literal - make the literal of a callsite say what it should
 * @rec: the record of the callsite, its flags already updated
 *
 * Context: as for ftrace_rec_write_literal(). May sleep.
 * Return: 0, or the error of arch_ftrace_write_literal().
 */
int ftrace_rec_update_literal(struct dyn_ftrace *rec)
{
	const struct ftrace_ops *named = ftrace_rec_read_literal(rec);

	return ftrace_rec_write_literal(rec, named, ftrace_rec_choose_ops(rec, named));
}

/* One function for each way to protect an ops, see ftrace_call_assisted() */
static void recursion_assist_func(unsigned long ip, unsigned long parent_ip,
				  struct ftrace_ops *op,
				  struct ftrace_regs *fregs)
{
	ftrace_call_assisted(ip, parent_ip, op, fregs, false);
}

NOKPROBE_SYMBOL(recursion_assist_func);

static void rcu_assist_func(unsigned long ip, unsigned long parent_ip,
			    struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	ftrace_call_assisted(ip, parent_ip, op, fregs, true);
}

NOKPROBE_SYMBOL(rcu_assist_func);

/**
 * ftrace_update_callsite_func - set what the callsites of an ops call
 * @ops: the ops, whose func has just been set
 *
 * Most often that is ops->func. Where the ops wants to be protected from
 * recursion, or to be called only where RCU is watching, it is a function that
 * does this for one ops, so that such an ops does not need the list function
 * either, and costs the same however many others there are.
 *
 * Context: ftrace_lock is held. Callsites may be calling @ops.
 */
void ftrace_update_callsite_func(struct ftrace_ops *ops)
{
	ftrace_func_t func = ops->func;

	if (ops->flags & FTRACE_OPS_FL_RCU)
		func = rcu_assist_func;
	else if (ops->flags & FTRACE_OPS_FL_RECURSION)
		func = recursion_assist_func;

	WRITE_ONCE(ops->callsite_func, func);
}

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
/* The direct call that an ops makes from the callsite at @ip, or 0 */
static unsigned long ops_direct_call(const struct ftrace_ops *ops,
				     unsigned long ip)
{
	if (!(ops->flags & FTRACE_OPS_FL_DIRECT))
		return 0;

	return ops->direct_call ?: ftrace_find_rec_direct(ip);
}

/**
 * ftrace_bug_disarm_direct - after ftrace gave up, let a callsite make no direct call
 * @rec: the record of the callsite, whose flags may say what was not written
 * @addr: the direct call
 *
 * Context: ftrace_lock is held, and what the architecture needs to patch text.
 */
void ftrace_bug_disarm_direct(struct dyn_ftrace *rec, unsigned long addr)
{
	/* Any other error: that is not where the callsite branches to */
	if (ftrace_make_nop(NULL, rec, addr) == -EPERM)
		pr_err("ftrace: %pS still calls %pS\n",
		       (void *)rec->ip, (void *)addr);
}
#else
static unsigned long ops_direct_call(const struct ftrace_ops *ops,
				     unsigned long ip)
{
	return 0;
}
#endif

/**
 * ftrace_bug_disarm_ops - after ftrace gave up, let no callsite call an ops
 * @ops: the ops, not in ftrace_ops_list any more
 *
 * After ftrace_bug() each callsite stays as it is, updated or not. Any of them may
 * still name @ops, or branch straight to its direct call, and the owner of @ops is
 * free to free both. Send the callsites to ftrace_nop_ops, or, if they name a set with
 * @ops, to ftrace_list_ops, where it no longer is.
 *
 * What cannot be written now either stays as it is. There is nothing left to do
 * about that but to say so.
 *
 * Context: ftrace_lock is held. May sleep.
 */
void ftrace_bug_disarm_ops(struct ftrace_ops *ops)
{
	struct ftrace_rec_iter *iter;

	ftrace_arch_code_modify_prepare();

	for_ftrace_rec_iter(iter) {
		struct dyn_ftrace *rec = ftrace_rec_iter_record(iter);
		const struct ftrace_ops *named, *to = &ftrace_nop_ops;
		unsigned long direct;

		cond_resched();

		/* A module that is being loaded, or that was unloaded since ftrace gave up */
		if (rec->flags & FTRACE_FL_DISABLED)
			continue;

		named = ftrace_rec_read_literal(rec);

		/* The literal and the branch may not be of one time */
		direct = ops_direct_call(ops, rec->ip);
		if (direct && ftrace_ops_test(ops, rec->ip, (void *)rec))
			ftrace_bug_disarm_direct(rec, direct);

		if (named != ops) {
			if (!ftrace_ops_set_has(named, ops))
				continue;
			to = &ftrace_list_ops;
			rec->flags &= ~FTRACE_FL_CALL_OPS_EN;
		}

		if (ftrace_rec_write_literal(rec, named, to))
			pr_err("ftrace: %pS still calls the ops %pS\n",
			       (void *)rec->ip, ops);
	}

	ftrace_arch_code_modify_post_process();
}

/**
 * ftrace_site_reserved - may nobody but ftrace change what is at this address?
 * @addr: an address in text
 *
 * A literal looks like the end of the function before it, but is data: a
 * breakpoint there would never be hit, and would break the pointer. Where
 * ftrace patches more than one instruction, those behind the first are its own,
 * too. The first, the callsite, is for others to ask ftrace_location() about.
 *
 * Return: true if @addr lies within a literal, or within a callsite and behind
 * its first byte.
 */
bool ftrace_site_reserved(unsigned long addr)
{
	unsigned long ip, literal;

	ip = ftrace_location_range(addr, addr + FTRACE_LITERAL_REACH);
	if (!ip)
		return false;

	if (addr >= ip)
		return addr > ip && addr < ip + MCOUNT_INSN_SIZE;

	literal = ftrace_literal_addr(ip);
	return addr >= literal && addr - literal < sizeof(struct ftrace_ops *);
}

#ifdef CONFIG_FTRACE_CALL_OPS_SELFTEST
/*
 * All that is expected is worked out from the registered ops and their filters. The
 * record counts for nothing here: its flags are what led to the code.
 */
static bool rec_selftest(struct dyn_ftrace *rec)
{
	const struct ftrace_ops *named = ftrace_rec_read_literal(rec);
	const struct ftrace_ops *ops = &ftrace_nop_ops;
	unsigned long addr = FTRACE_ADDR, direct = 0;
	struct ftrace_ops *op;
	bool names_right;
	int count = 0;

	for (op = registered_ops(ftrace_ops_list); op != &ftrace_list_end;
	     op = registered_ops(op->next)) {
		if (!ftrace_ops_test(op, rec->ip, (void *)rec))
			continue;

		count++;
		ops = op;
		if (op->flags & FTRACE_OPS_FL_SAVE_REGS)
			addr = FTRACE_REGS_ADDR;
		direct = ops_direct_call(op, rec->ip) ?: direct;
	}

	if (count == 1 && direct)
		addr = direct;
	if (!ftrace_enabled || !count) {
		ops = &ftrace_nop_ops;
		addr = 0;
	}

	names_right = named == ops;
	if (addr && count > 1)
		names_right = ftrace_ops_set_serves(named, rec);

	if (names_right && arch_ftrace_rec_calls(rec, addr) &&
	    ftrace_rec_count(rec) == count)
		return true;

	WARN(1, "ftrace: call_ops selftest: %pS names %ps, wanted is %ps; %s %ps; flags %lx, %d ops trace it\n",
	     (void *)rec->ip, named, count > 1 ? NULL : ops,
	     arch_ftrace_rec_calls(rec, addr) ? "calls" : "does not call",
	     (void *)addr, rec->flags, count);
	return false;
}

/* A callsite as it was, or as it was to be: it calls nobody who may be freed. */
static bool bug_rec_selftest(struct dyn_ftrace *rec)
{
	const struct ftrace_ops *named = ftrace_rec_read_literal(rec);
	bool calls_right, names_right;
	struct ftrace_ops *op;

	names_right = named == &ftrace_nop_ops || named == &ftrace_list_ops ||
		      ftrace_ops_set_registered(named);
	calls_right = arch_ftrace_rec_calls(rec, 0) ||
		      arch_ftrace_rec_calls(rec, FTRACE_ADDR) ||
		      arch_ftrace_rec_calls(rec, FTRACE_REGS_ADDR);

	for (op = registered_ops(ftrace_ops_list); op != &ftrace_list_end;
	     op = registered_ops(op->next)) {
		unsigned long direct = ops_direct_call(op, rec->ip);

		names_right |= named == op;
		calls_right |= direct && ftrace_ops_test(op, rec->ip, (void *)rec) &&
			       arch_ftrace_rec_calls(rec, direct);
	}

	if (names_right && calls_right)
		return true;

	WARN(1, "ftrace: call_ops selftest: %pS, after ftrace gave up, %s %ps\n",
	     (void *)rec->ip, calls_right ? "names" : "does not call what it may, and names",
	     named);
	return false;
}

/**
 * ftrace_bug_selftest - after ftrace gave up, warn about callsites that name or call
 *			 anyone who is not registered
 *
 * Context: ftrace_lock is held, and ftrace_bug_disarm_ops() is done. May sleep.
 */
void ftrace_bug_selftest(void)
{
	struct ftrace_rec_iter *iter;
	int left = 10;		/* warnings */

	lockdep_assert_held(&ftrace_lock);

	for_ftrace_rec_iter(iter) {
		struct dyn_ftrace *rec = ftrace_rec_iter_record(iter);

		if (!(rec->flags & FTRACE_FL_DISABLED) && !bug_rec_selftest(rec) && !--left)
			return;
		cond_resched();
	}
}

/**
 * ftrace_call_ops_selftest - warn about the first callsite that is not what the registered
 *			      ops ask for, and about sets that count theirs wrong
 *
 * Context: ftrace_lock is held, and no update is under way. May sleep.
 */
void ftrace_call_ops_selftest(void)
{
	struct ftrace_rec_iter *iter;
	bool counted, right = true;

	lockdep_assert_held(&ftrace_lock);

	if (ftrace_is_dead())
		return;

	for_ftrace_rec_iter(iter) {
		struct dyn_ftrace *rec = ftrace_rec_iter_record(iter);

		/* Not traced, or a module that is being loaded */
		if (rec->flags & FTRACE_FL_DISABLED)
			continue;

		right = rec_selftest(rec);
		if (!right)
			break;

		cond_resched();
	}

	/* The next check begins to count anew */
	counted = ftrace_ops_sets_counted();
	WARN(right && !counted,
	     "ftrace: call_ops selftest: a set is not named by as many callsites as it counts\n");
}
#endif /* CONFIG_FTRACE_CALL_OPS_SELFTEST */
