// SPDX-License-Identifier: GPL-2.0
/*
 * bpf-probe KIND PLACE CALLS FILE: probe the function at the address PLACE (hex), or the
 * tracepoint of that name, by a BPF program that counts its hits. Write CALLS to FILE, which
 * makes the kernel call the function, or hit the tracepoint, once more than that. Print "ns="
 * and what is read from FILE then, or "errno=" and the error if the kernel cannot attach that
 * KIND: kprobe, kretprobe (a perf event), multi-entry, multi-exit (kprobe_multi), raw-tp (a
 * tracepoint), or none.
 *
 * Exit status: 0, also for errno=; 1 if anything else fails, or a hit is missing.
 */

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static char verifier[16384];

static void die(const char *what)
{
	fprintf(stderr, "bpf-probe: %s: %s\n%s", what, strerror(errno), verifier);
	exit(1);
}

static int bpf(int cmd, union bpf_attr *attr)
{
	return syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

/* An array of one number */
static int counter(void)
{
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_ARRAY,
		.key_size = 4,
		.value_size = 8,
		.max_entries = 1,
	};
	int fd = bpf(BPF_MAP_CREATE, &attr);

	if (fd < 0)
		die("no map");
	return fd;
}

static unsigned long long hits(int map)
{
	unsigned long long value = 0;
	unsigned int key = 0;
	union bpf_attr attr = {
		.map_fd = map,
		.key = (unsigned long)&key,
		.value = (unsigned long)&value,
	};

	if (bpf(BPF_MAP_LOOKUP_ELEM, &attr))
		die("the map cannot be read");
	return value;
}

/* A program of that type that adds 1 to it, and returns 0 */
static int program(int map, int type, int multi)
{
	struct bpf_insn code[] = {
		{ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = BPF_REG_1,
		  .src_reg = BPF_PSEUDO_MAP_VALUE, .imm = map },
		{ .code = 0 },
		{ .code = BPF_LDX | BPF_DW | BPF_MEM, .dst_reg = BPF_REG_2, .src_reg = BPF_REG_1 },
		{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_2, .imm = 1 },
		{ .code = BPF_STX | BPF_DW | BPF_MEM, .dst_reg = BPF_REG_1, .src_reg = BPF_REG_2 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr = {
		.prog_type = type,
		.insns = (unsigned long)code,
		.insn_cnt = sizeof(code) / sizeof(*code),
		.license = (unsigned long)"GPL",
		.log_level = 1,
		.log_size = sizeof(verifier),
		.log_buf = (unsigned long)verifier,
		.expected_attach_type = multi ? BPF_TRACE_KPROBE_MULTI : 0,
	};
	int fd = bpf(BPF_PROG_LOAD, &attr);

	if (fd < 0)
		die("the program does not load");
	return fd;
}

/* Return a file descriptor that keeps the program attached, or -1 */
static int attach_multi(int prog, unsigned long long addr, int at_exit)
{
	union bpf_attr attr = {
		.link_create = {
			.prog_fd = prog,
			.attach_type = BPF_TRACE_KPROBE_MULTI,
			.kprobe_multi = {
				.flags = at_exit ? BPF_F_KPROBE_MULTI_RETURN : 0,
				.cnt = 1,
				.addrs = (unsigned long)&addr,
			},
		},
	};

	return bpf(BPF_LINK_CREATE, &attr);
}

static int attach_kprobe(int prog, unsigned long long addr, int at_exit)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.config = at_exit,
		.config2 = addr,	/* kprobe_addr, as kprobe_func is NULL */
	};
	FILE *f = fopen("/sys/bus/event_source/devices/kprobe/type", "r");
	int fd;

	if (!f || fscanf(f, "%u", &attr.type) != 1)
		die("perf has no kprobes");
	fclose(f);
	fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0 && (ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog) ||
			ioctl(fd, PERF_EVENT_IOC_ENABLE, 0)))
		return -1;
	return fd;
}

static int attach_raw_tp(int prog, const char *name)
{
	union bpf_attr attr = {
		.raw_tracepoint = {
			.name = (unsigned long)name,
			.prog_fd = prog,
		},
	};

	return bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);
}

static int attach(const char *kind, int prog, const char *place)
{
	int at_exit = !strcmp(kind, "kretprobe") || !strcmp(kind, "multi-exit");
	unsigned long long addr = strtoull(place, NULL, 16);

	if (!strcmp(kind, "raw-tp"))
		return attach_raw_tp(prog, place);
	if (!strncmp(kind, "multi-", 6))
		return attach_multi(prog, addr, at_exit);
	return attach_kprobe(prog, addr, at_exit);
}

int main(int argc, char **argv)
{
	unsigned long long seen;
	char text[32] = "";
	int map, prog, none, fd;
	unsigned long calls;

	if (argc != 5) {
		fprintf(stderr, "usage: bpf-probe KIND PLACE CALLS FILE\n");
		return 2;
	}
	none = !strcmp(argv[1], "none");
	calls = strtoul(argv[3], NULL, 10);

	map = counter();
	prog = program(map, strcmp(argv[1], "raw-tp") ? BPF_PROG_TYPE_KPROBE : BPF_PROG_TYPE_RAW_TRACEPOINT,
		       !strncmp(argv[1], "multi-", 6));
	if (!none && attach(argv[1], prog, argv[2]) < 0) {
		printf("errno=%d\n", errno);
		return 0;
	}
	fd = open(argv[4], O_RDWR);
	if (fd < 0 || write(fd, argv[3], strlen(argv[3])) != (ssize_t)strlen(argv[3]) ||
	    pread(fd, text, sizeof(text) - 1, 0) <= 0)
		die(argv[4]);
	seen = hits(map);
	if (seen != (none ? 0 : calls + 1)) {
		fprintf(stderr, "bpf-probe: %s: %llu hits of %lu calls\n", argv[1], seen, calls + 1);
		return 1;
	}
	printf("ns=%s", text);
	return 0;
}
