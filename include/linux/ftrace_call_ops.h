/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Per-callsite ftrace_ops: what the core, the architecture and kprobes share.
 * See Documentation/trace/ftrace-call-ops.rst.
 */
#ifndef _LINUX_FTRACE_CALL_OPS_H
#define _LINUX_FTRACE_CALL_OPS_H

#include <linux/ftrace.h>

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS

/* What a literal names when it does not name the ops of a tracer */
extern const struct ftrace_ops ftrace_list_ops;
extern const struct ftrace_ops ftrace_nop_ops;

/*
 * From the architecture, in asm/ftrace.h:
 *
 *   static inline unsigned long ftrace_literal_addr(unsigned long ip);
 *	the address of the literal that belongs to the callsite at @ip
 *
 *   FTRACE_LITERAL_REACH
 *	the greatest distance, in bytes, from a literal up to its callsite
 *
 * and in its ftrace.c:
 */
int arch_ftrace_write_literal(const struct dyn_ftrace *rec,
			      const struct ftrace_ops *ops);

/*
 * and with CONFIG_FTRACE_CALL_OPS_SELFTEST: does the callsite branch to where
 * ftrace_make_call() would make it branch for @addr, or is it a NOP, if that is 0?
 */
bool arch_ftrace_rec_calls(struct dyn_ftrace *rec, unsigned long addr);

/* From the core, in kernel/trace/ftrace_call_ops.c */
const struct ftrace_ops *ftrace_rec_select_ops(const struct dyn_ftrace *rec,
					       struct ftrace_ops *list);
const struct ftrace_ops *ftrace_rec_read_literal(const struct dyn_ftrace *rec);
int ftrace_rec_init_literal(const struct dyn_ftrace *rec);
int ftrace_rec_update_literal(struct dyn_ftrace *rec);
const struct ftrace_ops *ftrace_rec_choose_ops(struct dyn_ftrace *rec,
					       const struct ftrace_ops *named);
int ftrace_rec_write_literal(const struct dyn_ftrace *rec,
			     const struct ftrace_ops *named,
			     const struct ftrace_ops *ops);
void ftrace_update_callsite_func(struct ftrace_ops *ops);
void ftrace_bug_disarm_ops(struct ftrace_ops *ops);
void ftrace_bug_disarm_direct(struct dyn_ftrace *rec, unsigned long addr);
bool ftrace_site_reserved(unsigned long addr);

#else /* !CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS */

static inline const struct ftrace_ops *
ftrace_rec_read_literal(const struct dyn_ftrace *rec) { return NULL; }
static inline int ftrace_rec_init_literal(const struct dyn_ftrace *rec) { return 0; }
static inline int ftrace_rec_update_literal(struct dyn_ftrace *rec) { return 0; }
static inline void ftrace_update_callsite_func(struct ftrace_ops *ops) { }
static inline void ftrace_bug_disarm_ops(struct ftrace_ops *ops) { }
static inline void ftrace_bug_disarm_direct(struct dyn_ftrace *rec, unsigned long addr) { }
static inline bool ftrace_site_reserved(unsigned long addr) { return false; }

#endif /* CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS */

struct seq_file;

/* From kernel/trace/ftrace_ops_set.c */
#ifdef CONFIG_FTRACE_OPS_SETS
extern unsigned long ftrace_nr_lacking_sets;

void ftrace_ops_sets_changing(struct ftrace_ops *ops);
void ftrace_ops_sets_end(void);
void ftrace_ops_set_drop(const struct dyn_ftrace *rec);
void ftrace_ops_set_show(struct seq_file *m, const struct ftrace_ops *ops);

/* Does the list serve this callsite, which is traced, as there was no memory for a set? */
static inline bool ftrace_rec_lacks_set(const struct dyn_ftrace *rec)
{
	return ftrace_nr_lacking_sets && !(rec->flags & FTRACE_FL_CALL_OPS_EN);
}
#else
static inline void ftrace_ops_sets_changing(struct ftrace_ops *ops) { }
static inline void ftrace_ops_sets_end(void) { }
static inline void ftrace_ops_set_drop(const struct dyn_ftrace *rec) { }
static inline void ftrace_ops_set_show(struct seq_file *m, const struct ftrace_ops *ops) { }
static inline bool ftrace_rec_lacks_set(const struct dyn_ftrace *rec) { return false; }
#endif

#ifdef CONFIG_FTRACE_CALL_OPS_SELFTEST
void ftrace_call_ops_selftest(void);
void ftrace_bug_selftest(void);
#else
static inline void ftrace_call_ops_selftest(void) { }
static inline void ftrace_bug_selftest(void) { }
#endif

#endif /* _LINUX_FTRACE_CALL_OPS_H */
