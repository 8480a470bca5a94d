// SPDX-License-Identifier: GPL-2.0
/*
 * What BPF tracing tools and security modules do, by way of libbpf.
 *
 * Usage: client trace|user|module|modify|deny|replace
 *        client stress ROUNDS THREADS KB	(by how much memory may grow)
 *
 * Prints "ok - ..." and "not ok - ..." lines; the exit status is 0 if all is well,
 * 1 if not, and 2 if a program could not even be attached, which is then the only
 * thing it says.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "answer.skel.h"
#include "deny.skel.h"
#include "module.skel.h"
#include "replace.skel.h"
#include "trace.skel.h"
#include "watch.skel.h"

#define USAGE "usage: client trace|user|module|modify|deny|replace|stress ROUNDS THREADS KB"

static int bad;

static void check(bool ok, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	printf("%sok - ", ok ? "" : "not ");
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	fflush(stdout);
	bad |= !ok;
}

static void same(const char *what, long long expected, long long got)
{
	check(expected == got, "%s", what);
	if (expected != got)
		printf("# expected %lld, got %lld\n", expected, got);
}

static void die(const char *what, int err)
{
	printf("%s: error %d\n", what, err);
	exit(2);
}

static struct bpf_link *attach(const struct bpf_program *prog, __u64 cookie)
{
	LIBBPF_OPTS(bpf_trace_opts, opts, .cookie = cookie);
	struct bpf_link *link = bpf_program__attach_trace_opts(prog, &opts);

	if (!link)
		die(bpf_program__name(prog), -errno);
	return link;
}

static __u64 address(const char *name)
{
	char line[256], symbol[128];
	unsigned long long addr, found = 0;
	FILE *f = fopen("/proc/kallsyms", "r");

	while (f && !found && fgets(line, sizeof(line), f))
		if (sscanf(line, "%llx %*c %127s", &addr, symbol) == 2 && !strcmp(symbol, name))
			found = addr;
	if (f)
		fclose(f);
	return found;
}

static struct trace_bpf *trace_open(void)
{
	struct trace_bpf *t = trace_bpf__open();

	if (!t)
		die("trace.bpf.o", -errno);
	t->bss->pid = getpid();
	t->bss->size = 5;	/* not what printf() writes */
	return t;
}

static void trace_load(struct trace_bpf *t)
{
	int err = trace_bpf__load(t);

	if (err)
		die("trace.bpf.o does not load", err);
}

static void write_n(int n)
{
	int fd = open("/dev/null", O_WRONLY);

	while (n--)
		if (write(fd, "hello", 5) != 5)
			abort();
	close(fd);
}

static void getpgid_n(int n)
{
	while (n--)
		syscall(__NR_getpgid, 0);
}

static void do_trace(void)
{
	struct trace_bpf *t = trace_open();
	struct bpf_link *entry, *exit;
	__u64 ip = address("vfs_write");

	trace_load(t);
	fflush(stdout);
	entry = attach(t->progs.on_entry, 4711);
	write_n(100);
	same("fentry sees each call", 100, t->bss->entries);
	same("and an argument", 5, t->bss->last_count);
	same("bpf_get_func_ip() is the function", ip, t->bss->entry_ip);
	same("bpf_get_attach_cookie() is what was given", 4711, t->bss->entry_cookie);

	t->bss->entries = 0;
	exit = attach(t->progs.on_exit, 4712);
	write_n(50);
	same("beside fexit fentry sees each call", 50, t->bss->entries);
	same("fexit does, too", 50, t->bss->exits);
	same("and the return value", 5, t->bss->last_ret);
	same("bpf_get_func_ip() is the function there", ip, t->bss->exit_ip);
	same("bpf_get_attach_cookie() is what was given there", 4712, t->bss->exit_cookie);

	bpf_link__destroy(entry);
	t->bss->entries = t->bss->exits = 0;
	write_n(30);
	same("detached, fentry sees nothing", 0, t->bss->entries);
	same("fexit alone sees each call", 30, t->bss->exits);
	bpf_link__destroy(exit);
	write_n(30);
	same("detached, neither does", 30, t->bss->exits);

	entry = attach(t->progs.on_sleepable_entry, 0);
	exit = attach(t->progs.on_sleepable_exit, 0);
	getpgid_n(20);
	same("a sleepable fentry sees each call", 20, t->bss->sleepable);
	same("a sleepable fexit, too", 20, t->bss->both);
	bpf_link__destroy(entry);
	bpf_link__destroy(exit);
	trace_bpf__destroy(t);
}

/* In kernel structures there are pointers to user space. */
static void do_user(void)
{
	/* The kernel looks at it when the task exits, too. */
	static struct robust_list_head head = { .list = { &head.list }, .futex_offset = 4711 };
	struct trace_bpf *t = trace_open();
	struct bpf_link *link;

	trace_load(t);
	if (syscall(__NR_set_robust_list, &head, sizeof(head)))
		die("set_robust_list", -errno);
	link = attach(t->progs.on_user_pointer, 0);
	getpgid_n(1);
	bpf_link__destroy(link);
	same("bpf_probe_read_user() reads where a pointer to user space points to", 4711, t->bss->read);
	same("to follow it reads 0", 0, t->data->followed);
	trace_bpf__destroy(t);
}

static void do_module(void)
{
	struct module_bpf *m = module_bpf__open_and_load();
	struct bpf_link *link;
	int fd;

	if (!m)
		die("module.bpf.o", -errno);
	link = attach(m->progs.on_target, 0);
	fd = open("/sys/module/callops_target/parameters/one", O_WRONLY);
	if (write(fd, "25", 2) != 2)
		die("callops_target", -errno);
	same("fentry sees each call of a module's function", 25, m->bss->calls);
	bpf_link__destroy(link);
	lseek(fd, 0, SEEK_SET);
	if (write(fd, "5", 1) != 1)
		die("callops_target", -errno);
	same("and none when it is detached", 25, m->bss->calls);
	close(fd);
	module_bpf__destroy(m);
}

static void do_modify(void)
{
	struct trace_bpf *t = trace_open();
	struct bpf_link *link;

	trace_load(t);
	link = attach(t->progs.on_modify, 0);
	check(mkdir("/tmp/modify", 0700) == -1 && errno == EACCES,
	      "fmod_ret's value is returned");
	same("and the function is not called", 1, t->bss->modified);
	check(access("/tmp/modify", F_OK) == -1, "so nothing was made");
	bpf_link__destroy(link);
	check(mkdir("/tmp/modify", 0700) == 0, "detached, it goes through");
	rmdir("/tmp/modify");
	trace_bpf__destroy(t);
}

static void do_deny(void)
{
	struct deny_bpf *d = deny_bpf__open();
	struct bpf_link *link;
	struct statfs fs;
	int fd;

	if (!d || statfs("/proc", &fs))
		die("deny.bpf.o", -errno);
	d->bss->pid = getpid();
	d->bss->magic = fs.f_type;
	if (deny_bpf__load(d))
		die("deny.bpf.o does not load", -errno);
	fd = open("/proc/uptime", O_RDONLY);
	check(fd >= 0, "a file can be opened");
	close(fd);
	link = bpf_program__attach_lsm(d->progs.on_open);
	if (!link)
		die("on_open", -errno);
	check(open("/proc/uptime", O_RDONLY) == -1 && errno == EPERM,
	      "an LSM program denies it, and is obeyed");
	fd = open("/dev/null", O_RDONLY);
	check(fd >= 0, "what it does not deny can be opened");
	close(fd);
	check(d->bss->denied == 1 && d->bss->allowed == 1, "it was called for both");
	bpf_link__destroy(link);
	fd = open("/proc/uptime", O_RDONLY);
	check(fd >= 0, "detached, it denies no more");
	close(fd);
	deny_bpf__destroy(d);
}

static int answer(const struct bpf_program *ask)
{
	char packet[64] = "";
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = packet, .data_size_in = sizeof(packet));

	return bpf_prog_test_run_opts(bpf_program__fd(ask), &opts) ?: (int)opts.retval;
}

static void do_replace(void)
{
	struct answer_bpf *a = answer_bpf__open_and_load();
	struct replace_bpf *r = replace_bpf__open();
	struct watch_bpf *w = watch_bpf__open();
	struct bpf_link *replace, *watch;

	if (!a || !r || !w)
		die("answer.bpf.o", -errno);
	same("a program's function is called", 41, answer(a->progs.ask));

	bpf_program__set_attach_target(r->progs.new_answer, bpf_program__fd(a->progs.ask), "answer");
	if (replace_bpf__load(r))
		die("replace.bpf.o does not load", -errno);
	replace = bpf_program__attach_freplace(r->progs.new_answer, 0, NULL);
	if (!replace)
		die("new_answer", -errno);
	same("freplace takes its place", 42, answer(a->progs.ask));

	bpf_program__set_attach_target(w->progs.on_answer, bpf_program__fd(r->progs.new_answer),
				       "new_answer");
	if (watch_bpf__load(w))
		die("watch.bpf.o does not load", -errno);
	watch = attach(w->progs.on_answer, 0);
	same("and does so with fexit on top", 42, answer(a->progs.ask));
	check(w->bss->calls == 1 && w->bss->last_arg == 40 && w->bss->last_ret == 42,
	      "which sees argument and return value");
	bpf_link__destroy(watch);
	bpf_link__destroy(replace);
	same("and gives it back", 41, answer(a->progs.ask));
	same("fexit has seen no more", 1, w->bss->calls);
	watch_bpf__destroy(w);
	replace_bpf__destroy(r);
	answer_bpf__destroy(a);
}

/*
 * Threads write without pause, and count. One fentry program is there all the time
 * and has to see each call; others come to the same function, which makes the
 * kernel write a new trampoline each time, and go. In between all of them are
 * gone, so that the callsite is enabled and disabled, too.
 */
static atomic_bool stop, idle;
static atomic_long writes;
static atomic_int waiting;

static void *writer(void *arg)
{
	int fd = open("/dev/null", O_WRONLY);

	while (!stop) {
		if (idle) {
			waiting++;
			while (idle)
				usleep(1000);
			waiting--;
		}
		if (write(fd, "hello", 5) != 5)
			abort();
		writes++;
	}
	close(fd);
	return arg;
}

static void quiet(int threads, bool on)
{
	idle = on;
	while (waiting != (on ? threads : 0))
		usleep(1000);
}

/* kB of the lines of /proc/meminfo that trampolines and what belongs to them are in */
static long memory(void)
{
	char line[128], name[64];
	long kb, sum = 0;
	FILE *f = fopen("/proc/meminfo", "r");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%63[^:]: %ld", name, &kb) == 2 &&
		    (!strcmp(name, "Slab") || !strcmp(name, "VmallocUsed") ||
		     !strcmp(name, "Percpu")))
			sum += kb;
	if (f)
		fclose(f);
	return sum;
}

/*
 * How often the program was not run, because it was running on that CPU already: in
 * a task that was preempted in it (CONFIG_PREEMPT), as BPF allows no program to be
 * entered twice on one CPU. On any architecture; the kernel counts them.
 */
static long misses(const struct bpf_program *prog)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);

	if (bpf_prog_get_info_by_fd(bpf_program__fd(prog), &info, &len))
		die("bpf_prog_get_info_by_fd", -errno);
	return info.recursion_misses;
}

static void do_stress(int rounds, int threads, long kb)
{
	struct trace_bpf *t = trace_open();
	struct bpf_link *entry = NULL;
	pthread_t thread[64];
	long before = 0, after, lost = 0, seen = 0, first, missed;
	int i;

	if (rounds < 10 || threads < 1 || threads > 64)
		die(USAGE, -EINVAL);
	trace_load(t);
	for (i = 0; i < threads; i++)
		pthread_create(&thread[i], NULL, writer, NULL);
	for (i = 0; i < rounds; i++) {
		if (i == rounds / 10)
			before = memory();
		/* Every tenth round starts with a callsite that nobody uses */
		if (i % 10 == 0) {
			quiet(threads, true);
			if (entry) {
				lost += writes - t->bss->entries;
				seen += writes;
				bpf_link__destroy(entry);
			}
			first = writes;
			quiet(threads, false);
			while (writes == first)
				usleep(100);
			quiet(threads, true);
			entry = attach(t->progs.on_entry, 0);
			writes = t->bss->entries = 0;
			quiet(threads, false);
		}
		bpf_link__destroy(attach(t->progs.on_exit, 0));
	}
	quiet(threads, true);
	lost += writes - t->bss->entries;
	seen += writes;
	quiet(threads, false);
	missed = misses(t->progs.on_entry);
	bpf_link__destroy(entry);
	/* Once more, alone and under load: attach to a callsite that is in use */
	for (i = 0; i < rounds; i++)
		bpf_link__destroy(attach(t->progs.on_entry, 0));
	sleep(2);
	after = memory();
	stop = true;
	for (i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	printf("# %ld calls by %d threads, %d times attached and detached\n", seen, threads,
	       2 * rounds);
	printf("# %ld calls came while the program was preempted on that CPU\n", missed);
	printf("# %ld kB of memory before, %ld after\n", before, after);
	check(seen > 1000, "the function ran all the time");
	same("no call was lost", missed, lost);
	check(after <= before + kb, "memory is back to where it was");
	trace_bpf__destroy(t);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!getenv("VERBOSE"))
		libbpf_set_print(NULL);
	if (!strcmp(what, "trace"))
		do_trace();
	else if (!strcmp(what, "user"))
		do_user();
	else if (!strcmp(what, "module"))
		do_module();
	else if (!strcmp(what, "modify"))
		do_modify();
	else if (!strcmp(what, "deny"))
		do_deny();
	else if (!strcmp(what, "replace"))
		do_replace();
	else if (!strcmp(what, "stress") && argc == 5)
		do_stress(atoi(argv[2]), atoi(argv[3]), atol(argv[4]));
	else
		die(USAGE, -EINVAL);
	return bad;
}
