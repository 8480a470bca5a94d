// SPDX-License-Identifier: GPL-2.0
/*
 * What BPF tracing tools and security modules do, by way of libbpf.
 *
 * Usage: client trace|sleep|multi|user|module|args|twin|end|modify|deny|replace|loop
 *        client {stress|multi-stress} ROUNDS THREADS KB	(by how much memory may grow)
 *
 * Prints "ok - ..." and "not ok - ..." lines; the exit status is 0 if all is well,
 * 1 if not, and 2 if a program could not even be attached, which is then the only
 * thing it says.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "answer.skel.h"
#include "args.skel.h"
#include "deny.skel.h"
#include "end.skel.h"
#include "loop.skel.h"
#include "module.skel.h"
#include "multi.skel.h"
#include "replace.skel.h"
#include "sleep.skel.h"
#include "trace.skel.h"
#include "twin.skel.h"
#include "user.skel.h"
#include "watch.skel.h"

#ifndef ENOTSUPP
#define ENOTSUPP 524	/* the kernel's own */
#endif

#define USAGE "usage: client trace|sleep|multi|user|module|args|twin|end|modify|deny|replace|loop|{stress|multi-stress} ROUNDS THREADS KB"

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

static long images(void)
{
	char line[256];
	long n = 0;
	FILE *f = fopen("/proc/kallsyms", "r");

	while (f && fgets(line, sizeof(line), f))
		n += strstr(line, " bpf_trampoline_") && strstr(line, "[bpf]");
	if (f)
		fclose(f);
	return n;
}

static long programs(void)
{
	__u32 id = 0;
	long n = 0;

	while (!bpf_prog_get_next_id(id, &id))
		n++;
	return n;
}

/* What is freed after grace periods has a minute for it, on a busy host, too. */
static long settled(long (*count)(void), long expected)
{
	long n = count();

	for (int i = 0; i < 600 && n != expected; i++) {
		usleep(100000);
		n = count();
	}
	return n;
}

static void *getpgid_once(void *arg)
{
	getpgid_n(1);
	return arg;
}

static void wait_for_fault(int faults)
{
	struct uffd_msg msg;

	if (read(faults, &msg, sizeof(msg)) != sizeof(msg) || msg.event != UFFD_EVENT_PAGEFAULT)
		die("userfaultfd has no fault", -errno);
}

/* A page that begins with that value */
static void provide(int faults, void *page, long value)
{
	long *data = aligned_alloc(getpagesize(), getpagesize());
	struct uffdio_copy copy = { .dst = (long)page, .src = (long)data, .len = getpagesize() };

	*data = value;
	if (ioctl(faults, UFFDIO_COPY, &copy))
		die("userfaultfd provides no page", -errno);
	free(data);
}

/*
 * A task sleeps in the first program while the third is detached, then in the second: it is
 * on its way through an image, and to a program, that nothing else uses any more.
 */
static void do_sleep(void)
{
	size_t len = getpagesize();
	char *pages = mmap(NULL, 2 * len, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int faults = syscall(__NR_userfaultfd, O_CLOEXEC);
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register missing = {
		.range = { .start = (long)pages, .len = 2 * len },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	struct bpf_link *first, *second, *count;
	struct sleep_bpf *s;
	pthread_t thread;
	long progs;

	if (pages == MAP_FAILED || faults < 0 || ioctl(faults, UFFDIO_API, &api) ||
	    ioctl(faults, UFFDIO_REGISTER, &missing))
		die("userfaultfd", -errno);
	s = sleep_bpf__open_and_load();
	if (!s)
		die("sleep.bpf.o", -errno);
	s->bss->pid = getpid();
	s->bss->first = pages;
	s->bss->second = pages + len;
	count = attach(s->progs.on_count, 0);
	second = attach(s->progs.on_second, 0);
	first = attach(s->progs.on_first, 0);
	same("what earlier programs left is gone", 1, settled(images, 1));
	progs = programs();

	pthread_create(&thread, NULL, getpgid_once, NULL);
	wait_for_fault(faults);
	bpf_link__destroy(count);
	bpf_program__unload(s->progs.on_count);
	sleep(2);
	provide(faults, s->bss->first, 4711);
	wait_for_fault(faults);
	sleep(2);
	same("while a task sleeps in the second program, the image it is in stays", 2, images());
	same("and so does the third program, which is detached", progs, programs());
	provide(faults, s->bss->second, 4712);
	pthread_join(thread, NULL);
	same("the first program read its page", 4711, s->bss->read_first);
	same("so did the second", 4712, s->bss->read_second);
	same("the task came to the third one", 1, s->bss->counted);
	same("now that image goes", 1, settled(images, 1));
	same("and the program", progs - 1, settled(programs, progs - 1));
	getpgid_n(1);
	same("later calls do not come to it", 1, s->bss->counted);
	bpf_link__destroy(first);
	bpf_link__destroy(second);
	sleep_bpf__destroy(s);
	same("detached, no image is left", 0, settled(images, 0));
	close(faults);
	munmap(pages, 2 * len);
}

/* One program on several functions. The order of the names is not that of addresses. */
static const char *const funcs[] = { "vfs_write", "vfs_read", "ksys_write" };
static const __u64 cookies[] = { 100, 101, 102 };
#define NR_FUNCS ((int)(sizeof(funcs) / sizeof(*funcs)))

static struct bpf_link *attach_multi(const struct bpf_program *prog, const __u64 *ips,
				     bool retprobe)
{
	LIBBPF_OPTS(bpf_kprobe_multi_opts, opts, .syms = ips ? NULL : (const char **)funcs,
		    .addrs = (const unsigned long *)ips, .cookies = cookies, .cnt = NR_FUNCS,
		    .retprobe = retprobe);
	struct bpf_link *link = bpf_program__attach_kprobe_multi_opts(prog, NULL, &opts);

	if (!link)
		die(bpf_program__name(prog), -errno);
	return link;
}

static void read_n(int n)
{
	int fd = open("/dev/zero", O_RDONLY);
	char buf[8];

	while (n--)
		if (read(fd, buf, sizeof(buf)) != sizeof(buf))
			abort();
	close(fd);
}

static struct multi_bpf *multi_load(void)
{
	struct multi_bpf *m = multi_bpf__open_and_load();

	if (!m)
		die("multi.bpf.o", -errno);
	for (int i = 0; i < NR_FUNCS; i++)
		m->bss->ips[i] = address(funcs[i]);
	return m;
}

/* What is printed of it later is not to count. */
static void multi_calls(struct multi_bpf *m)
{
	memset(m->bss->entries, 0, sizeof(m->bss->entries));
	memset(m->bss->returns, 0, sizeof(m->bss->returns));
	m->bss->pid = getpid();
	write_n(100);
	read_n(30);
	m->bss->pid = 0;
}

static void multi_beside_fexit(struct multi_bpf *m)
{
	struct trace_bpf *t = trace_open();
	struct bpf_link *fexit;

	trace_load(t);
	fexit = bpf_program__attach_trace(t->progs.on_exit);
	if (fexit) {
		multi_calls(m);
		same("beside fexit, a direct call, each entry is seen", 100, m->bss->entries[0]);
		same("and each return", 100, m->bss->returns[0]);
		same("and fexit sees each", 100, t->bss->exits);
		bpf_link__destroy(fexit);
	} else if (errno != ENOTSUPP) {
		die("fexit", -errno);
	}
	trace_bpf__destroy(t);
}

static void do_multi(void)
{
	LIBBPF_OPTS(bpf_kprobe_multi_opts, all);
	LIBBPF_OPTS(bpf_link_create_opts, many, .kprobe_multi.syms = (const char **)funcs,
		    .kprobe_multi.cnt = 1U << 21);
	struct multi_bpf *m = multi_load();
	struct bpf_link *entry, *exit;

	entry = attach_multi(m->progs.on_multi, NULL, false);
	multi_calls(m);
	same("kprobe.multi by names sees each call of the first function", 100, m->bss->entries[0]);
	same("of the second", 30, m->bss->entries[1]);
	same("and of the third", 100, m->bss->entries[2]);
	same("and an argument", 5, m->bss->last_count);
	bpf_link__destroy(entry);

	entry = attach_multi(m->progs.on_multi, m->bss->ips, false);
	exit = attach_multi(m->progs.on_multi_return, NULL, true);
	multi_calls(m);
	same("by addresses it sees each, beside kretprobe.multi", 100, m->bss->entries[0]);
	same("which sees each return of the first function", 100, m->bss->returns[0]);
	same("of the second", 30, m->bss->returns[1]);
	same("and of the third", 100, m->bss->returns[2]);
	same("and the value that the first returned", 5, m->bss->last_ret[0]);
	same("and the second", 8, m->bss->last_ret[1]);
	/* vfs_write() was called by ksys_write(), which is not larger than that. */
	check(m->bss->stack[0] - m->bss->ips[2] < 512, "bpf_get_stack() begins with the caller");

	/* riscv has no BPF trampolines in 6.1, and no types in the kernel of the tests. */
	if (!access("/sys/kernel/btf/vmlinux", F_OK))
		multi_beside_fexit(m);
	bpf_link__destroy(entry);
	bpf_link__destroy(exit);
	multi_calls(m);
	same("detached, neither sees any", 0, m->bss->entries[0] + m->bss->returns[0]);
	same("all cookies were right", 0, m->bss->bad_cookies);
	same("no other function was named", 0, m->bss->others);

	all.retprobe = true;
	exit = bpf_program__attach_kprobe_multi_opts(m->progs.on_multi_return, "vfs_*", &all);
	check(exit, "kretprobe.multi takes a pattern");
	multi_calls(m);
	same("and sees each return", 100, m->bss->returns[0]);
	same("bpf_get_attach_cookie() is 0 without cookies", 130, m->bss->bad_cookies);
	bpf_link__destroy(exit);

	same("more functions than there can be are refused", -E2BIG,
	     bpf_link_create(bpf_program__fd(m->progs.on_multi), 0, BPF_TRACE_KPROBE_MULTI, &many));
	multi_bpf__destroy(m);
}

static bool by_clang(void)
{
	char line[512] = "";
	FILE *f = fopen("/proc/version", "r");

	if (!f || !fgets(line, sizeof(line), f))
		die("/proc/version", -errno);
	fclose(f);
	return strstr(line, "clang");
}

/* In kernel structures there are pointers to user space. */
static void do_user(void)
{
	/* The kernel looks at it when the task exits, too. */
	static struct robust_list_head head = { .list = { &head.list }, .futex_offset = 4711 };
	static char log[1 << 16];
	struct user_bpf *u = user_bpf__open();
	struct bpf_link *link;
	struct trace_bpf *t;
	int err;

	if (!u)
		die("user.bpf.o", -errno);
	bpf_program__set_log_buf(u->progs.on_user_pointer, log, sizeof(log));
	err = user_bpf__load(u);
	if (by_clang()) {
		same("to follow a pointer to user space is refused", -EACCES, err);
		/* Not just "user": the log has the program's source, too. */
		check(strstr(log, "access user memory"), "because of the pointer");
		user_bpf__destroy(u);
		if (bad)
			return;
		/* On the base, what does load cannot be attached. */
		t = trace_open();
		trace_load(t);
		bpf_link__destroy(attach(t->progs.on_entry, 0));
		trace_bpf__destroy(t);
		return;
	}
	if (err)
		die("user.bpf.o does not load", err);
	u->bss->pid = getpid();
	if (syscall(__NR_set_robust_list, &head, sizeof(head)))
		die("set_robust_list", -errno);
	link = attach(u->progs.on_user_pointer, 0);
	getpgid_n(1);
	bpf_link__destroy(link);
	same("bpf_probe_read_user() reads where a pointer to user space points to", 4711, u->bss->read);
	same("to follow it reads 0", 0, u->data->followed);
	user_bpf__destroy(u);
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

static void parameter(const char *file, const char *value)
{
	int fd = open(file, O_WRONLY);

	if (fd < 0 || write(fd, value, strlen(value)) < 0)
		die(file, -errno);
	close(fd);
}

static int unload(const char *module)
{
	return syscall(__NR_delete_module, module, O_NONBLOCK) ? -errno : 0;
}

/*
 * The functions of callops_args.ko. Of each word of the arguments, how many bytes are
 * the argument's: a digit for an integer, a letter (d for 4) for what is in a structure,
 * - for a word that nothing is in. What a program sees of it in bytes that are not the
 * argument's is zero for an integer on the stack, and undefined for all others.
 */
static const struct args_func {
	const char *name, *words;
	int stack;		/* the first word on the stack */
	bool modify;		/* may fmod_ret be attached? */
	bool refused, no_exit;	/* is it refused, or fexit? */
	bool hidden;		/* does BTF not tell all? Only the function is right. */
} args_funcs[] = {
	{ "args_nine", "888888884", .stack = 8, .modify = true },
	{ "args_eleven", "12488124128", .stack = 8 },
	{ "args_twelve", "848484848484", .stack = 8, .modify = true },
	{ "args_task", "888888884-", .stack = 8 },
	{ "args_structs", "d88d4", .stack = 8 },
	{ "args_pair", "4884", .stack = 8 },
	{ "args_spill", "8888888884", .stack = 7 },
	{ "args_below", "8888888818888d4", .stack = 8, .modify = true },
	{ "args_wide", "4884884", .stack = 6, .modify = true },
	{ "args_wide_below", "888888884884", .stack = 8 },
	{ "args_wide_spill", "888888888", .stack = 7 },
	{ "args_pairs", "888888888888888888888888", .stack = 8 },
	{ "args_open", "48-4", .stack = 8, .refused = true },
	{ "args_open_even", "8-4", .stack = 8 },
	{ "args_hidden", "488888884", .stack = 8, .hidden = true },
	{ "args_returns", "4", .stack = 8, .no_exit = true },
	{ "args_hidden_few", "4884", .stack = 8, .hidden = true },
};

enum args_kind { ARGS_ENTRY = 1, ARGS_EXIT = 2, ARGS_MODIFY = 4 };

static int args_file(const char *name, int flags)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/sys/module/callops_args/parameters/%s", name);
	fd = open(path, flags);
	if (fd < 0)
		die(path, -errno);
	return fd;
}

static long args_read(const char *name)
{
	char text[32] = "";
	int fd = args_file(name, O_RDONLY);

	if (read(fd, text, sizeof(text) - 1) < 0)
		die(name, -errno);
	close(fd);
	return atol(text);
}

static void args_call(int nr)
{
	char text[16];
	int fd = args_file("call", O_WRONLY), n = snprintf(text, sizeof(text), "%d", nr);

	if (write(fd, text, n) != n)
		die("callops_args", -errno);
	close(fd);
}

static bool args_seen(const struct args_func *f, const __u64 *word, __u64 words)
{
	int i, bytes;
	__u64 is, mask;
	bool right = words == strlen(f->words);

	for (i = 0; f->words[i] && !f->hidden; i++) {
		if (f->words[i] == '-')
			continue;
		bytes = f->words[i] > '9' ? f->words[i] - 'a' + 1 : f->words[i] - '0';
		mask = ~0ULL >> (64 - 8 * bytes);
		is = 0x80f0e0d0c0b0a090ULL + (i + 1) * 0x0101010101010101ULL;
		if (i < f->stack || f->words[i] > '9' ? !((word[i] ^ is) & mask) :
							word[i] == (is & mask))
			continue;
		right = false;
		printf("# word %d of %s: expected %llx of %d bytes, got %llx\n", i, f->name,
		       (unsigned long long)(is & mask), bytes, (unsigned long long)word[i]);
	}
	if (words != strlen(f->words))
		printf("# %s has %llu words\n", f->name, (unsigned long long)words);
	return right;
}

static int args_attach(struct args_bpf *a, const struct args_func *f, int kinds,
		       struct bpf_link **links)
{
	struct bpf_program *progs[] = { a->progs.on_entry, a->progs.on_exit, a->progs.on_modify };
	int i, err;

	bpf_program__set_autoload(a->progs.on_task, false);
	bpf_program__set_autoload(a->progs.on_eleven, false);
	bpf_program__set_autoload(a->progs.on_spill, false);
	for (i = 0; i < 3; i++) {
		bpf_program__set_autoload(progs[i], kinds & 1 << i);
		if (kinds & 1 << i) {
			err = bpf_program__set_attach_target(progs[i], 0, f->name);
			if (err)
				die(f->name, err);
		}
	}
	err = args_bpf__load(a);
	if (err)
		die("args.bpf.o does not load", err);
	for (i = 0; i < 3; i++) {
		if (!(kinds & 1 << i))
			continue;
		links[i] = bpf_program__attach_trace(progs[i]);
		if (!links[i])
			return -errno;
	}
	return 0;
}

static void args_try(int nr, int kinds)
{
	static const char *const names[] = {
		[ARGS_ENTRY] = "fentry",
		[ARGS_ENTRY | ARGS_EXIT] = "fentry and fexit",
		[ARGS_MODIFY | ARGS_EXIT] = "fmod_ret and fexit",
	};
	const struct args_func *f = &args_funcs[nr];
	bool refuse = f->refused || (f->no_exit && kinds & ARGS_EXIT);
	struct args_bpf *a = args_bpf__open();
	int i, err, before, wrong, modified;
	struct bpf_link *links[3] = {};
	const char *sees = f->hidden ? "the program is called" : "the program sees them";
	__u64 ip = address(f->name);

	if (!a)
		die("args.bpf.o", -errno);
	err = args_attach(a, f, kinds, links);
	if (err && !refuse)
		die(f->name, err);
	if (refuse)
		check(err == -ENOTSUPP, "%s of %s is refused", names[kinds], f->name);
	for (modified = 0; !err && modified <= (kinds & ARGS_MODIFY ? 77 : 0); modified += 77) {
		memset(&a->bss->at_entry, 0, sizeof(a->bss->at_entry));
		memset(&a->bss->at_exit, 0, sizeof(a->bss->at_exit));
		a->bss->modify_ret = modified;
		before = args_read("calls");
		wrong = args_read("wrong");
		args_call(nr);
		check(args_read("calls") - before == !modified && args_read("wrong") == wrong &&
		      args_read("returned") == (modified ?: 1000 + nr),
		      "%s of %s: %s", names[kinds], f->name,
		      modified ? "it returns what fmod_ret says" :
				 "the function gets its arguments, its caller the return value");
		if (kinds & (ARGS_ENTRY | ARGS_MODIFY))
			check(a->bss->at_entry.calls == 1 && a->bss->at_entry.ip == ip &&
			      args_seen(f, a->bss->at_entry.word, a->bss->at_entry.words),
			      "%s of %s: %s at its entry", names[kinds], f->name, sees);
		if (kinds & ARGS_EXIT)
			check(a->bss->at_exit.calls == 1 && a->bss->at_exit.ip == ip &&
			      args_seen(f, a->bss->at_exit.word, a->bss->at_exit.words) &&
			      (int)a->bss->at_exit.ret == (modified ?: 1000 + nr),
			      "%s of %s: %s at its exit", names[kinds], f->name, sees);
	}
	for (i = 0; i < 3; i++)
		bpf_link__destroy(links[i]);
	args_bpf__destroy(a);
}

/* A trampoline is one page. If there is no room for one more program, all go on. */
static void args_crowd(int nr)
{
	struct args_bpf *a[64] = {};
	struct bpf_link *links[64][3] = {};
	int n, i, err = 0, right = 0, wrong = args_read("wrong");

	for (n = 0; n < 64 && !err; n++) {
		a[n] = args_bpf__open();
		if (!a[n])
			die("args.bpf.o", -errno);
		err = args_attach(a[n], &args_funcs[nr], ARGS_EXIT, links[n]);
	}
	args_call(nr);
	for (i = 0; i < n - 1; i++)
		right += a[i]->bss->at_exit.calls == 1 &&
			 args_seen(&args_funcs[nr], a[i]->bss->at_exit.word,
				   a[i]->bss->at_exit.words);
	printf("# %d programs at the exit of %s, then error %d\n", n - 1, args_funcs[nr].name, err);
	check(n > 30 && (err == -E2BIG || err == -EFBIG) && right == n - 1 &&
	      args_read("wrong") == wrong,
	      "as many programs as fit see the arguments of %s", args_funcs[nr].name);
	for (i = 0; i < n; i++) {
		bpf_link__destroy(links[i][1]);
		args_bpf__destroy(a[i]);
	}
}

static void do_args(void)
{
	struct args_bpf *a;
	struct bpf_link *links[3];
	unsigned int i;

	for (i = 0; i < sizeof(args_funcs) / sizeof(*args_funcs); i++) {
		args_try(i, ARGS_ENTRY);
		args_try(i, ARGS_ENTRY | ARGS_EXIT);
		if (args_funcs[i].modify)
			args_try(i, ARGS_MODIFY | ARGS_EXIT);
	}

	args_crowd(11);

	a = args_bpf__open();
	bpf_program__set_autoload(a->progs.on_entry, false);
	bpf_program__set_autoload(a->progs.on_exit, false);
	bpf_program__set_autoload(a->progs.on_modify, false);
	if (args_bpf__load(a))
		die("args.bpf.o with types does not load", -errno);
	links[0] = attach(a->progs.on_task, 0);
	links[1] = attach(a->progs.on_eleven, 0);
	links[2] = attach(a->progs.on_spill, 0);
	args_call(3);
	same("a pointer on the stack can be followed", getpid(), a->bss->pid);
	args_call(1);
	args_call(6);
	same("and each argument can be named", 3, a->bss->typed);
	for (i = 0; i < 3; i++)
		bpf_link__destroy(links[i]);
	args_bpf__destroy(a);
	same("no function got anything wrong", 0, args_read("wrong"));
}

/* Of two functions of one name each program is to see its own. */
static void do_twin(void)
{
	struct twin_bpf *t = twin_bpf__open_and_load();
	struct bpf_link *link[4];
	char line[8];
	int i, fd;

	if (!t)
		die("twin.bpf.o", -errno);
	link[0] = attach(t->progs.on_target, 0);
	link[1] = attach(t->progs.on_twin, 0);
	link[2] = attach(t->progs.on_show, 0);
	link[3] = attach(t->progs.on_kernel_show, 0);
	parameter("/sys/module/callops_target/parameters/one", "3");
	parameter("/sys/module/callops_twin/parameters/one", "5");
	parameter("/sys/module/callops_twin/parameters/show", "7");
	for (i = 0; i < 11; i++) {
		fd = open("/proc/version", O_RDONLY);
		if (read(fd, line, sizeof(line)) != sizeof(line))
			die("/proc/version", -errno);
		close(fd);
	}
	same("fentry sees a module's function", 3, t->bss->target);
	same("and one that is called the same, of another module", 5, t->bss->twin);
	same("fentry sees a module's function that is called like one of the kernel", 7,
	     t->bss->show);
	same("and that of the kernel", 11, t->bss->kernel_show);
	same("attached, a program keeps the module", -EWOULDBLOCK, unload("callops_twin"));
	for (i = 0; i < 4; i++)
		bpf_link__destroy(link[i]);
	twin_bpf__destroy(t);

	/* The address is found when a program is loaded, and used later. */
	t = twin_bpf__open_and_load();
	if (!t)
		die("twin.bpf.o", -errno);
	same("loaded, a program keeps it, too", -EWOULDBLOCK, unload("callops_twin"));
	link[0] = attach(t->progs.on_twin, 0);
	link[1] = attach(t->progs.on_show, 0);
	bpf_link__destroy(link[0]);
	bpf_link__destroy(link[1]);
	link[0] = attach(t->progs.on_twin, 0);
	bpf_link__destroy(link[0]);
	same("detached, it does not", 0, unload("callops_twin"));
	link[0] = bpf_program__attach(t->progs.on_twin);
	same("and cannot be attached when the module is gone", -ENOENT, link[0] ? 0 : -errno);
	bpf_link__destroy(link[0]);
	twin_bpf__destroy(t);
}

/* Can a program be loaded for this function, by either way? */
static int load_end(bool modify, const char *func)
{
	struct end_bpf *e = end_bpf__open();
	struct bpf_program *prog = modify ? e->progs.on_modify : e->progs.on_return;
	int err;

	bpf_program__set_autoload(e->progs.on_end, false);
	bpf_program__set_autoload(e->progs.on_return, !modify);
	bpf_program__set_autoload(e->progs.on_modify, modify);
	err = bpf_program__set_attach_target(prog, 0, func) ?: end_bpf__load(e);
	end_bpf__destroy(e);
	return err;
}

static void do_end(void)
{
	static const char * const funcs[] = {
		"do_exit", "do_group_exit", "do_task_dead", "make_task_dead", "kthread",
		"kthread_exit", "kthread_complete_and_exit", "__module_put_and_kthread_exit",
		"__arm64_sys_exit", "__arm64_sys_exit_group",
	};
	struct end_bpf *e = end_bpf__open();
	struct bpf_link *link;
	unsigned int i;

	if (!e)
		die("end.bpf.o", -errno);
	bpf_program__set_autoload(e->progs.on_return, false);
	bpf_program__set_autoload(e->progs.on_modify, false);
	e->bss->parent = getpid();
	if (end_bpf__load(e))
		die("end.bpf.o does not load", -errno);
	link = attach(e->progs.on_end, 0);
	for (i = 0; i < 10; i++)
		if (!fork())
			_exit(0);
	while (wait(NULL) > 0)
		;
	same("fentry sees each end of a task", 10, e->bss->ends);
	bpf_link__destroy(link);
	end_bpf__destroy(e);
	for (i = 0; i < sizeof(funcs) / sizeof(*funcs); i++) {
		char what[80];

		snprintf(what, sizeof(what), "fexit is refused at %s", funcs[i]);
		same(what, -EINVAL, load_end(false, funcs[i]));
	}
	same("and fmod_ret at __arm64_sys_exit_group", -EINVAL,
	     load_end(true, "__arm64_sys_exit_group"));
	same("but fexit not at what returns", 0, load_end(false, "__arm64_sys_getpgid"));
	same("and fmod_ret neither", 0, load_end(true, "__arm64_sys_getpgid"));
	/* What comes before each program, where it is a function. */
	if (address("__rcu_read_lock")) {
		same("nothing is attached to __rcu_read_lock", -EINVAL,
		     load_end(false, "__rcu_read_lock"));
		same("nor to __rcu_read_unlock", -EINVAL,
		     load_end(false, "__rcu_read_unlock"));
	}
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

static int run(const struct bpf_program *prog)
{
	char packet[64] = "";
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = packet, .data_size_in = sizeof(packet));

	return bpf_prog_test_run_opts(bpf_program__fd(prog), &opts) ?: (int)opts.retval;
}

static void do_replace(void)
{
	struct answer_bpf *a = answer_bpf__open_and_load();
	struct replace_bpf *r = replace_bpf__open();
	struct watch_bpf *w = watch_bpf__open();
	struct bpf_link *replace, *watch;

	if (!a || !r || !w)
		die("answer.bpf.o", -errno);
	same("a program's function is called", 41, run(a->progs.ask));

	bpf_program__set_attach_target(r->progs.new_answer, bpf_program__fd(a->progs.ask), "answer");
	if (replace_bpf__load(r))
		die("replace.bpf.o does not load", -errno);
	replace = bpf_program__attach_freplace(r->progs.new_answer, 0, NULL);
	if (!replace)
		die("new_answer", -errno);
	same("freplace takes its place", 42, run(a->progs.ask));

	bpf_program__set_attach_target(w->progs.on_answer, bpf_program__fd(r->progs.new_answer),
				       "new_answer");
	if (watch_bpf__load(w))
		die("watch.bpf.o does not load", -errno);
	watch = attach(w->progs.on_answer, 0);
	same("and does so with fexit on top", 42, run(a->progs.ask));
	check(w->bss->calls == 1 && w->bss->last_arg == 40 && w->bss->last_ret == 42,
	      "which sees argument and return value");
	bpf_link__destroy(watch);
	bpf_link__destroy(replace);
	same("and gives it back", 41, run(a->progs.ask));
	same("fexit has seen no more", 1, w->bss->calls);
	watch_bpf__destroy(w);
	replace_bpf__destroy(r);
	answer_bpf__destroy(a);
}

/* The kernel calls a program's functions back. */
static void do_loop(void)
{
	struct loop_bpf *l = loop_bpf__open_and_load();
	int i;

	if (!l)
		die("loop.bpf.o", -errno);
	same("a program with functions that are called back runs", 0, run(l->progs.loop));
	same("bpf_loop() calls its function", 10, l->bss->loops);
	same("bpf_for_each_map_elem() does, for an array and a hash", 5, l->bss->elements);
	for (i = 0; i < 500 && !*(volatile long *)&l->bss->timeouts; i++)
		usleep(10000);
	same("a timer does", 1, l->bss->timeouts);
	loop_bpf__destroy(l);
}

/*
 * Threads write without pause, and count. One fentry or kprobe.multi program is there all the time
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

/* The programs of a storm: fentry and fexit, or kprobe.multi and kretprobe.multi */
static struct trace_bpf *trace;
static struct multi_bpf *multi;

static struct bpf_link *attach_entry(void)
{
	return multi ? attach_multi(multi->progs.on_multi, multi->bss->ips, false) :
		       attach(trace->progs.on_entry, 0);
}

static struct bpf_link *attach_exit(void)
{
	return multi ? attach_multi(multi->progs.on_multi_return, multi->bss->ips, true) :
		       attach(trace->progs.on_exit, 0);
}

static void do_stress(int rounds, int threads, long kb, bool of_multi)
{
	struct bpf_link *entry = NULL;
	pthread_t thread[64];
	long before = 0, after, lost = 0, seen = 0, first, missed, *entries;
	int i;

	if (rounds < 10 || threads < 1 || threads > 64)
		die(USAGE, -EINVAL);
	if (of_multi) {
		multi = multi_load();
		multi->bss->pid = getpid();
		entries = &multi->bss->entries[0];
	} else {
		trace = trace_open();
		trace_load(trace);
		entries = &trace->bss->entries;
	}
	for (i = 0; i < threads; i++)
		pthread_create(&thread[i], NULL, writer, NULL);
	for (i = 0; i < rounds; i++) {
		if (i == rounds / 10)
			before = memory();
		/* Every tenth round starts with a callsite that nobody uses */
		if (i % 10 == 0) {
			quiet(threads, true);
			if (entry) {
				lost += writes - *entries;
				seen += writes;
				bpf_link__destroy(entry);
			}
			first = writes;
			quiet(threads, false);
			while (writes == first)
				usleep(100);
			quiet(threads, true);
			entry = attach_entry();
			writes = *entries = 0;
			quiet(threads, false);
		}
		bpf_link__destroy(attach_exit());
	}
	quiet(threads, true);
	lost += writes - *entries;
	seen += writes;
	quiet(threads, false);
	missed = multi ? 0 : misses(trace->progs.on_entry);
	bpf_link__destroy(entry);
	/* Once more, alone and under load: attach to a callsite that is in use */
	for (i = 0; i < rounds; i++)
		bpf_link__destroy(attach_entry());
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
	if (multi) {
		same("all cookies were right", 0, multi->bss->bad_cookies);
		same("no other function was named", 0, multi->bss->others);
	}
	multi_bpf__destroy(multi);
	trace_bpf__destroy(trace);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!getenv("VERBOSE"))
		libbpf_set_print(NULL);
	if (!strcmp(what, "trace"))
		do_trace();
	else if (!strcmp(what, "sleep"))
		do_sleep();
	else if (!strcmp(what, "multi"))
		do_multi();
	else if (!strcmp(what, "user"))
		do_user();
	else if (!strcmp(what, "module"))
		do_module();
	else if (!strcmp(what, "args"))
		do_args();
	else if (!strcmp(what, "twin"))
		do_twin();
	else if (!strcmp(what, "end"))
		do_end();
	else if (!strcmp(what, "modify"))
		do_modify();
	else if (!strcmp(what, "deny"))
		do_deny();
	else if (!strcmp(what, "replace"))
		do_replace();
	else if (!strcmp(what, "loop"))
		do_loop();
	else if ((!strcmp(what, "stress") || !strcmp(what, "multi-stress")) && argc == 5)
		do_stress(atoi(argv[2]), atoi(argv[3]), atol(argv[4]), *what == 'm');
	else
		die(USAGE, -EINVAL);
	return bad;
}
