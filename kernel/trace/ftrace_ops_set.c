// SPDX-License-Identifier: GPL-2.0
/*
 * Sets of ftrace_ops: what serves a callsite that several ops trace.
 *
 * A set is itself a ftrace_ops, which the literals of its callsites name. It has an
 * array of the ops that trace them, in the order of ftrace_ops_list, and its
 * callsite_func calls each of these in turn. So a call pays for the ops of its own
 * callsite, and not for any other. There is one set for each distinct combination,
 * however many callsites have that.
 *
 * A set never changes. When an ops comes or goes, the callsite gets another set, by
 * one store to its literal. All that ftrace_call_ops.c says of an old and a new ops
 * in a literal holds for an old and a new set, as the trampolines do not tell the two
 * apart:
 *
 *   NOP -> CALL	A CPU finds the set, or ftrace_nop_ops.
 *   CALL -> NOP	A CPU finds the set, or ftrace_nop_ops.
 *   CALL -> CALL	Between one ops and a set, or one set and another. A CPU
 *			calls the ops of before or those of after. An ops that is in
 *			both is called once, by either, with its own place in the
 *			order. By way of the old trampoline an ops that asks for all
 *			registers may get only some, as described there.
 *
 * A CPU finds the array, and the ops in it, by address dependencies from the literal.
 * Each was complete before the literal was written.
 *
 * Which set
 * ---------
 *
 * To ask all registered ops, for each record that an update changes, would cost as
 * much as there are records times ops. Few ops come, go or change their filter between
 * two updates, and ftrace_ops_sets_changing() notes these. What a literal names says
 * which ops traced its function before. So what it has to name now depends on nothing
 * but
 *
 *   - what it names, and
 *   - which of the ops that were noted trace the function now,
 *
 * and is looked up in a memo with these two. Only when it is not there, the list is
 * searched. A memo is good for one update: in the next one, other ops are noted, and
 * the address of a set that was freed may be that of another.
 *
 * ftrace_nop_ops and ftrace_list_ops do not say who traced the function. If the record
 * counts as many ops as there are noted ones that trace the function, it is these,
 * whatever the literal says. Otherwise the result of the last search is tried first: it
 * is right if it has as many ops as the record counts, and each of them traces the
 * function. If it is not, the list is searched.
 *
 * A set has to have as many ops as the record counts. If not, the list is searched as
 * well, and if that does not help, ftrace_list_ops serves the callsite, which is right
 * at any moment.
 *
 * Lifetime
 * --------
 *
 * nr_sites is the number of literals that name a set. It changes after a literal was
 * written, or when init memory that it lies in is freed. At the end of an update, a set
 * without literals is taken out of the hash, so that nothing finds it any more, and
 * freed after the two grace periods that ftrace_call_ops.c describes: CPUs and tasks
 * may be on their way to it, or in its loop, preempted in any of its callbacks.
 *
 * The ops in a set are not freed while somebody is in its loop: ftrace_shutdown()
 * changes each literal that names a set with the ops, and then waits in the same way.
 * Nobody else looks into the array of a set that no literal names.
 *
 * After ftrace_bug() literals are not what the records say. Sets are not freed then.
 *
 * Memory
 * ------
 *
 * Sets, those that wait to be freed included, may take ftrace_ops_sets_max_bytes. So an
 * update that gives most callsites another set needs both generations in there. If that
 * is not enough, or memory cannot be allocated, ftrace_list_ops serves the callsite. Each
 * later update of the code tries again, see ftrace_rec_lacks_set(). Nothing does in between.
 */

#include <linux/error-injection.h>
#include <linux/hash.h>
#include <linux/hashtable.h>
#include <linux/kprobes.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "ftrace_callsite.h"
#include "trace.h"

unsigned long ftrace_ops_sets_max_bytes = FTRACE_OPS_SETS_MAX_BYTES;

struct ftrace_ops_set {
	struct ftrace_ops	ops;		/* literals point here */
	struct hlist_node	node;		/* in the hash, by key */
	struct list_head	idle;		/* in idle_sets, or empty */
	struct rcu_head		rcu;
	unsigned long		key;
	unsigned long		nr_sites;	/* literals that name it */
	unsigned long		nr_seen;	/* by the check of all callsites */
	unsigned int		nr_ops;
	struct ftrace_ops	*op[];		/* in list order, then NULL */
};

static DEFINE_HASHTABLE(sets, 8);

/* Those that may have no literal, until the end of the update */
static LIST_HEAD(idle_sets);

/* What all of them take */
static atomic_long_t sets_bytes;

/* An update could not make a set that it needed, and callsites have lacked one since */
static bool sets_short;

unsigned long ftrace_nr_lacking_sets;

/* The ops that have come, gone or changed their filter since the last update */
#define MAX_CHANGED	8

static struct {
	struct ftrace_ops	*ops[MAX_CHANGED];
	bool			listed[MAX_CHANGED];
	bool			all[MAX_CHANGED];	/* it traces all functions */
	unsigned int		nr;
	bool			more;		/* than MAX_CHANGED */
	bool			ready;		/* listed[] and all[] are up to date */
	bool			failed;		/* to make a set */
} changed;

#define MEMO_BITS	8

static struct memo {
	unsigned int		update;		/* it is good for this one */
	unsigned int		members;	/* a bit for each of changed.ops */
	const struct ftrace_ops	*from;
	const struct ftrace_ops	*to;
} memos[1 << MEMO_BITS];

static unsigned int this_update = 1;

/* What the last search of this update found, or NULL */
static const struct ftrace_ops *found;

/*
 * The loops. Ops that ask for no assistance are called as their own callsites would
 * call them. Both read the function of an ops anew at each call, so a pid filter comes
 * and goes without another set. An ops that is unregistered gets its own func back
 * before its callsites change, while callsite_func keeps the pid filter. If it asks for
 * assistance, func is called, without the filter: no ops of the kernel does both.
 */
static void set_func(unsigned long ip, unsigned long parent_ip,
		     struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct ftrace_ops **p = container_of(ops, struct ftrace_ops_set, ops)->op;
	struct ftrace_ops *op = *p;

	do {
		op->callsite_func(ip, parent_ip, op, fregs);
	} while ((op = *++p));
}

NOKPROBE_SYMBOL(set_func);

/* Some ask for the recursion or the RCU check. A backtrace has one frame of ours. */
static void set_assist_func(unsigned long ip, unsigned long parent_ip,
			    struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct ftrace_ops **p = container_of(ops, struct ftrace_ops_set, ops)->op;
	struct ftrace_ops *op = *p;

	do {
		if (op->flags & FTRACE_OPS_FL_RCU)
			ftrace_call_assisted(ip, parent_ip, op, fregs, true);
		else if (op->flags & FTRACE_OPS_FL_RECURSION)
			ftrace_call_assisted(ip, parent_ip, op, fregs, false);
		else
			op->callsite_func(ip, parent_ip, op, fregs);
	} while ((op = *++p));
}

NOKPROBE_SYMBOL(set_assist_func);

#ifdef CONFIG_PREEMPTION
/*
 * perf has an ops for each CPU, and each counts the calls on its own one. If the task
 * migrated between two of them, none might count this call, or both.
 */
static void __flatten
set_per_cpu_func(unsigned long ip, unsigned long parent_ip,
		 struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	preempt_disable_notrace();
	set_assist_func(ip, parent_ip, ops, fregs);
	preempt_enable_notrace();
}

NOKPROBE_SYMBOL(set_per_cpu_func);
#else
#define set_per_cpu_func set_assist_func
#endif

/* The ops after @op in the list of those that are registered, and the first one */
static struct ftrace_ops *next_ops(const struct ftrace_ops *op)
{
	struct ftrace_ops *next = registered_ops(op ? op->next : ftrace_ops_list);

	return next == &ftrace_list_end ? NULL : next;
}

/* Does @op trace @rec? @rec only stands for "there are registers". */
static bool traces(struct ftrace_ops *op, const struct dyn_ftrace *rec)
{
	return ftrace_ops_test(op, rec->ip, (void *)rec);
}

static struct ftrace_ops_set *to_set(const struct ftrace_ops *ops)
{
	if (ops->callsite_func != set_func && ops->callsite_func != set_assist_func &&
	    ops->callsite_func != set_per_cpu_func)
		return NULL;

	return container_of(ops, struct ftrace_ops_set, ops);
}

static unsigned int nr_ops(const struct ftrace_ops *ops)
{
	struct ftrace_ops_set *set = to_set(ops);

	return set ? set->nr_ops : 1;
}

static noinline struct ftrace_ops_set *alloc_set(unsigned int nr)
{
	struct ftrace_ops_set *set;
	size_t size = struct_size(set, op, nr + 1);

	if (atomic_long_read(&sets_bytes) + size > ftrace_ops_sets_max_bytes)
		return NULL;

	set = kzalloc(size, GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN);
	if (set)
		atomic_long_add(ksize(set), &sets_bytes);

	return set;
}

ALLOW_ERROR_INJECTION(alloc_set, NULL);

static void free_set(struct rcu_head *rcu)
{
	struct ftrace_ops_set *set = container_of(rcu, struct ftrace_ops_set, rcu);

	atomic_long_sub(ksize(set), &sets_bytes);
	kfree(set);
}

/* CPUs are out of its loop. Tasks may have been preempted there. */
static void free_set_after_tasks(struct rcu_head *rcu)
{
	if (IS_ENABLED(CONFIG_PREEMPTION))
		call_rcu_tasks(rcu, free_set);
	else
		free_set(rcu);
}

/* Are the ops of @set those that trace @rec, in their order? */
static bool set_serves(const struct ftrace_ops_set *set, const struct dyn_ftrace *rec)
{
	struct ftrace_ops *op;
	unsigned int nr = 0;

	for (op = next_ops(NULL); op; op = next_ops(op)) {
		if (traces(op, rec) && set->op[nr++] != op)
			return false;
	}

	return nr == set->nr_ops;
}

/* Are the ops that @ops stands for those that trace @rec? */
static bool found_serves(const struct ftrace_ops *ops, const struct dyn_ftrace *rec)
{
	struct ftrace_ops_set *set = to_set(ops);

	if (nr_ops(ops) != ftrace_rec_count(rec))
		return false;
	if (!set)
		return traces((struct ftrace_ops *)ops, rec);

	for (unsigned int i = 0; i < set->nr_ops; i++) {
		if (!traces(set->op[i], rec))
			return false;
	}

	return true;
}

/* What serves @rec, worked out from all registered ops */
static const struct ftrace_ops *search_all(const struct dyn_ftrace *rec)
{
	struct ftrace_ops *op, *last = NULL;
	struct ftrace_ops_set *set;
	unsigned long key = 0;
	unsigned int nr = 0;

	for (op = next_ops(NULL); op; op = next_ops(op)) {
		if (traces(op, rec)) {
			key ^= hash_ptr(op, BITS_PER_LONG);
			last = op;
			nr++;
		}
	}

	if (WARN_ONCE(nr != ftrace_rec_count(rec),
		      "ftrace: %u ops trace %pS, flags %lx\n",
		      nr, (void *)rec->ip, rec->flags))
		return &ftrace_list_ops;
	if (nr == 1)
		return last;

	hash_for_each_possible(sets, set, node, key) {
		if (set->key == key && set->nr_ops == nr && set_serves(set, rec))
			return &set->ops;
	}

	set = changed.failed ? NULL : alloc_set(nr);
	if (!set) {
		changed.failed = true;
		return &ftrace_list_ops;
	}

	set->key = key;
	set->ops.flags = FTRACE_OPS_FL_STUB;
	set->ops.callsite_func = set_func;
	for (op = next_ops(NULL); op; op = next_ops(op)) {
		if (!traces(op, rec))
			continue;
		set->op[set->nr_ops++] = op;
		if (IS_ENABLED(CONFIG_PREEMPTION) && op->flags & FTRACE_OPS_FL_PER_CPU)
			set->ops.callsite_func = set_per_cpu_func;
		else if (op->flags & (FTRACE_OPS_FL_RCU | FTRACE_OPS_FL_RECURSION) &&
			 set->ops.callsite_func == set_func)
			set->ops.callsite_func = set_assist_func;
	}
	set->ops.func = set->ops.callsite_func;
	hash_add(sets, &set->node, key);
	list_add(&set->idle, &idle_sets);

	return &set->ops;
}

/* The same, but what the last search found is tried first */
static const struct ftrace_ops *search(const struct dyn_ftrace *rec)
{
	const struct ftrace_ops *ops;

	if (found && found_serves(found, rec))
		return found;

	ops = search_all(rec);
	if (ops != &ftrace_list_ops)
		found = ops;

	return ops;
}

/**
 * ftrace_ops_sets_changing - note an ops before its records change
 * @ops: the ops, which comes, goes, or changes its filter
 *
 * Context: ftrace_lock is held.
 */
void ftrace_ops_sets_changing(struct ftrace_ops *ops)
{
	lockdep_assert_held(&ftrace_lock);

	changed.ready = false;
	for (unsigned int i = 0; i < changed.nr; i++) {
		if (changed.ops[i] == ops)
			return;
	}

	if (changed.nr == MAX_CHANGED)
		changed.more = true;
	else
		changed.ops[changed.nr++] = ops;
}

/* An ops that was noted may have been freed since, if it is not in the list */
static void find_listed(void)
{
	struct ftrace_ops_hash *hash;
	struct ftrace_ops *op;

	memset(changed.listed, 0, sizeof(changed.listed));
	for (op = next_ops(NULL); op; op = next_ops(op)) {
		for (unsigned int i = 0; i < changed.nr; i++) {
			if (changed.ops[i] != op)
				continue;
			changed.listed[i] = true;
			hash = op->func_hash;
			changed.all[i] = ftrace_hash_empty(registered_ops(hash->filter_hash)) &&
					 ftrace_hash_empty(registered_ops(hash->notrace_hash));
		}
	}
	changed.ready = true;
}

/**
 * ftrace_ops_set_select - choose what serves a callsite that is enabled
 * @rec: the record of the callsite, its flags already updated
 * @from: what its literal names
 *
 * Context: ftrace_lock is held. May sleep.
 * Return: the only ops, a set, or ftrace_list_ops if there is no memory for one.
 */
const struct ftrace_ops *ftrace_ops_set_select(const struct dyn_ftrace *rec,
					       const struct ftrace_ops *from)
{
	unsigned int members = 0, nr = 0;
	struct memo *memo;

	lockdep_assert_held(&ftrace_lock);

	if (!changed.ready)
		find_listed();

	for (unsigned int i = 0; i < changed.nr; i++) {
		if (changed.listed[i] && (changed.all[i] || traces(changed.ops[i], rec))) {
			members |= 1U << i;
			nr++;
		}
	}

	/* No others trace it, so what did before does not matter */
	if (nr == ftrace_rec_count(rec))
		from = NULL;

	/*
	 * Most callsites would ask for the set that could not be made just now. One that
	 * is back to a single ops needs none.
	 */
	if (changed.failed && from == &ftrace_list_ops && ftrace_rec_count(rec) > 1)
		return from;
	if (changed.more || from == &ftrace_nop_ops || from == &ftrace_list_ops)
		return search(rec);

	memo = &memos[hash_long((unsigned long)from ^ members, MEMO_BITS)];
	if (memo->update == this_update && memo->from == from &&
	    memo->members == members && (memo->to == &ftrace_list_ops ||
					 nr_ops(memo->to) == ftrace_rec_count(rec)))
		return memo->to;

	*memo = (struct memo){ this_update, members, from, search(rec) };

	return memo->to;
}

/**
 * ftrace_ops_set_moved - literals were written, or go away
 * @from: what they named
 * @to: what they name now, or NULL
 * @nr: how many
 *
 * Context: ftrace_lock is held.
 */
void ftrace_ops_set_moved(const struct ftrace_ops *from, const struct ftrace_ops *to,
			  unsigned int nr)
{
	struct ftrace_ops_set *set;

	if (from == &ftrace_list_ops)
		ftrace_nr_lacking_sets -= nr;
	if (to == &ftrace_list_ops)
		ftrace_nr_lacking_sets += nr;

	if (to) {
		set = to_set(to);
		if (set)
			set->nr_sites += nr;
	}

	set = to_set(from);
	if (!set)
		return;
	set->nr_sites -= nr;
	if (!set->nr_sites && list_empty(&set->idle))
		list_add(&set->idle, &idle_sets);
}

/**
 * ftrace_ops_set_drop - the memory of an enabled callsite is freed
 * @rec: the record; its literal can still be read
 *
 * ftrace_ops_sets_end() has to follow.
 *
 * Context: ftrace_lock is held.
 */
void ftrace_ops_set_drop(const struct dyn_ftrace *rec)
{
	if (rec->flags & FTRACE_FL_ENABLED && !ftrace_is_dead())
		ftrace_ops_set_moved(ftrace_rec_read_literal(rec), NULL, 1);
}

/**
 * ftrace_ops_sets_end - the end of an update
 *
 * Context: ftrace_lock is held.
 */
void ftrace_ops_sets_end(void)
{
	struct ftrace_ops_set *set, *next;

	lockdep_assert_held(&ftrace_lock);

	sets_short = changed.failed || (sets_short && ftrace_nr_lacking_sets);
	changed.nr = 0;
	changed.more = false;
	changed.ready = false;
	changed.failed = false;
	found = NULL;
	/* After 2^32 updates an old one would look like new */
	if (!++this_update) {
		memset(memos, 0, sizeof(memos));
		this_update = 1;
	}

	if (ftrace_is_dead())
		return;

	list_for_each_entry_safe(set, next, &idle_sets, idle) {
		list_del_init(&set->idle);
		if (set->nr_sites)
			continue;
		hash_del(&set->node);
		call_rcu_tasks_rude(&set->rcu, free_set_after_tasks);
	}
}

/*
 * For those who cannot trust @named: the check of all callsites and, after ftrace_bug(),
 * when it may be of a module that is gone.
 */
static struct ftrace_ops_set *find_set(const struct ftrace_ops *named)
{
	struct ftrace_ops_set *set;
	int bucket;

	hash_for_each(sets, bucket, set, node) {
		if (&set->ops == named)
			return set;
	}

	return NULL;
}

/**
 * ftrace_ops_set_has - is an ops in a set?
 * @named: what a literal names, a set or not
 * @ops: the ops
 *
 * Context: ftrace_lock is held.
 * Return: true if so.
 */
bool ftrace_ops_set_has(const struct ftrace_ops *named, const struct ftrace_ops *ops)
{
	struct ftrace_ops_set *set = find_set(named);

	for (unsigned int i = 0; set && i < set->nr_ops; i++) {
		if (set->op[i] == ops)
			return true;
	}

	return false;
}

/**
 * ftrace_ops_set_serves - is this what has to serve a callsite with several ops?
 * @named: what its literal names
 * @rec: its record
 *
 * For the check of all callsites: asks all registered ops, and counts.
 *
 * Context: ftrace_lock is held.
 * Return: true if so.
 */
bool ftrace_ops_set_serves(const struct ftrace_ops *named,
			   const struct dyn_ftrace *rec)
{
	struct ftrace_ops_set *set = find_set(named);

	if (set) {
		set->nr_seen++;
		return set_serves(set, rec);
	}

	return named == &ftrace_list_ops && sets_short;
}

/**
 * ftrace_ops_sets_counted - is each set named by as many literals as it counts?
 *
 * Context: ftrace_lock is held, and ftrace_ops_set_serves() was called for each
 * callsite that several ops trace.
 * Return: true if so.
 */
bool ftrace_ops_sets_counted(void)
{
	struct ftrace_ops_set *set;
	bool right = true;
	int bucket;

	hash_for_each(sets, bucket, set, node) {
		right &= set->nr_seen == set->nr_sites;
		set->nr_seen = 0;
	}

	return right;
}

/**
 * ftrace_ops_set_registered - is this a set of registered ops?
 * @named: what a literal names
 *
 * Context: ftrace_lock is held.
 * Return: true if so, false if it is no set, or has an ops that is not registered.
 */
bool ftrace_ops_set_registered(const struct ftrace_ops *named)
{
	struct ftrace_ops_set *set = find_set(named);
	struct ftrace_ops *op;

	for (unsigned int i = 0; set && i < set->nr_ops; i++) {
		op = registered_ops(ftrace_ops_list);
		while (op != set->op[i] && op != &ftrace_list_end)
			op = registered_ops(op->next);
		if (op != set->op[i])
			return false;
	}

	return set;
}

/**
 * ftrace_ops_set_show - print the ops of a set
 * @m: where to
 * @ops: what a literal names, a set or not
 *
 * Context: ftrace_lock is held.
 */
void ftrace_ops_set_show(struct seq_file *m, const struct ftrace_ops *ops)
{
	struct ftrace_ops_set *set = to_set(ops);

	for (unsigned int i = 0; set && i < set->nr_ops; i++)
		seq_printf(m, "%s%pS (%pS)", i ? ", " : "\tset: ",
			   set->op[i], set->op[i]->func);
}
