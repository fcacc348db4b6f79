/*
 * root_limits - files that tell a program the size of its sandbox.
 */
#include "root/root_limits.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/sysinfo.h>
#include <time.h>
#include <unistd.h>

#include "base/own.h"
#include "cgroup/cgroup.h"

#define CGROUP  "/sys/fs/cgroup"
#define CPU_DIR "/sys/devices/system/cpu"
#define TEXT_ATTRIBUTES                                                                            \
	(MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC)
#define V1_UNLIMITED "9223372036854771712" /* LONG_MAX in whole pages: mm/page_counter.c */

/* -- numbers -------------------------------------------------------------------------------- */

/* The first of the allowed CPUs, as many as the quota pays for. */
static void root_limits_cpus(const struct limits *l, cpu_set_t *out)
{
	cpu_set_t allowed;
	uint64_t left = l->cpu_quota_us == SPEC_UNLIMITED
				? CPU_SETSIZE
				: (l->cpu_quota_us + l->cpu_period_us - 1) / l->cpu_period_us;

	CPU_ZERO(&allowed);
	CPU_ZERO(out);
	(void)sched_getaffinity(0, sizeof(allowed), &allowed); /* fails beyond 1,024 CPUs */
	for (int cpu = 0; cpu < CPU_SETSIZE && left; cpu++) {
		if (l->cpuset ? cgroup_cpuset_has(l->cpuset, cpu) : CPU_ISSET(cpu, &allowed)) {
			CPU_SET(cpu, out);
			left--;
		}
	}
	if (!CPU_COUNT(out))
		CPU_SET(0, out);
}

/* In bytes; @swap: swap in addition. */
static uint64_t root_limits_memory(const struct limits *l, uint64_t *swap)
{
	struct sysinfo host;
	uint64_t total;
	uint64_t host_swap;

	sysinfo(&host); /* fails only for a bad address */
	total = (uint64_t)host.totalram * host.mem_unit;
	host_swap = (uint64_t)host.totalswap * host.mem_unit;
	*swap = l->swap_bytes < host_swap ? l->swap_bytes : host_swap;
	return l->memory_bytes < total ? l->memory_bytes : total;
}

static uint64_t root_limits_up_us(void)
{
	struct timespec up;

	clock_gettime(CLOCK_BOOTTIME, &up);
	return (uint64_t)up.tv_sec * 1000000 + (uint64_t)up.tv_nsec / 1000;
}

/* -- /sys ----------------------------------------------------------------------------------- */

/* @text: outlives the plan, like the spec. */
static void root_limits_file(struct root_plan *plan, const char *path, const char *text)
{
	struct root_op *op = root_ops_add(plan, ROOT_FILE, path);

	op->mode = 0444;
	op->alone = true;
	op->bytes = text;
	op->length = strlen(text);
}

static void root_limits_dirs(struct root_plan *plan, const char *const *paths)
{
	for (; *paths; paths++)
		root_ops_add(plan, ROOT_DIR, *paths)->alone = true;
}

static void root_limits_add_cpu_list(struct root_plan *plan, const cpu_set_t *cpus)
{
	static const char *const dirs[] = {"/sys/devices", "/sys/devices/system", CPU_DIR, NULL};
	auto_buf struct buf list = {0};
	const char *text;

	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		int first = cpu;

		while (cpu < CPU_SETSIZE && CPU_ISSET(cpu, cpus))
			cpu++;
		if (cpu > first)
			buf_printf(&list, "%s%d", list.length ? "," : "", first);
		if (cpu > first + 1)
			buf_printf(&list, "-%d", cpu - 1);
	}
	text = spec_printf(plan->spec, "%s\n", buf_string(&list));
	root_limits_dirs(plan, dirs);
	root_limits_file(plan, CPU_DIR "/online", text);
	root_limits_file(plan, CPU_DIR "/possible", text);
}

/* One line; `none` stands for SPEC_UNLIMITED. */
static const char *root_limits_line(const struct root_plan *plan, uint64_t value, const char *none)
{
	return value == SPEC_UNLIMITED ? none : spec_printf(plan->spec, "%" PRIu64 "\n", value);
}

static void root_limits_add_v2(struct root_plan *plan, const struct limits *l)
{
	const char *cpu = root_limits_line(plan, l->cpu_quota_us, "max\n");

	root_limits_file(plan, CGROUP "/cgroup.controllers", "cpu memory pids\n");
	root_limits_file(plan, CGROUP "/memory.max",
			 root_limits_line(plan, l->memory_bytes, "max\n"));
	root_limits_file(plan, CGROUP "/memory.high", "max\n"); /* libuv reads both files */
	root_limits_file(plan, CGROUP "/memory.swap.max",
			 root_limits_line(plan, l->swap_bytes, "max\n"));
	root_limits_file(plan, CGROUP "/cpu.max",
			 spec_printf(plan->spec, "%.*s %" PRIu64 "\n", (int)strcspn(cpu, "\n"), cpu,
				     l->cpu_period_us));
	root_limits_file(plan, CGROUP "/pids.max", root_limits_line(plan, l->pids, "max\n"));
}

static void root_limits_add_v1(struct root_plan *plan, const struct limits *l)
{
	static const char *const dirs[] = {CGROUP "/memory", CGROUP "/cpu", CGROUP "/pids", NULL};

	root_limits_dirs(plan, dirs);
	root_limits_file(plan, CGROUP "/memory/memory.limit_in_bytes",
			 root_limits_line(plan, l->memory_bytes, V1_UNLIMITED "\n"));
	root_limits_file(plan, CGROUP "/memory/memory.soft_limit_in_bytes", V1_UNLIMITED "\n");
	root_limits_file(plan, CGROUP "/cpu/cpu.cfs_quota_us",
			 root_limits_line(plan, l->cpu_quota_us, "-1\n"));
	root_limits_file(plan, CGROUP "/cpu/cpu.cfs_period_us",
			 root_limits_line(plan, l->cpu_period_us, "\n"));
	root_limits_file(plan, CGROUP "/pids/pids.max", root_limits_line(plan, l->pids, "max\n"));
}

/* -- /proc ---------------------------------------------------------------------------------- */

/*
 * The lines that free(1), psutil and libuv read. All memory is free: the program has not started.
 */
static void root_limits_put_memory(const struct limits *l, struct buf *out)
{
	static const char *const none[] = {"Buffers",    "Cached",      "SwapCached",   "Active",
					   "Inactive",   "Dirty",       "Writeback",    "AnonPages",
					   "Mapped",     "Shmem",       "KReclaimable", "Slab",
					   "SUnreclaim", "SReclaimable"};
	uint64_t swap;
	const uint64_t memory = root_limits_memory(l, &swap);

	buf_printf(out, "%-15s %8" PRIu64 " kB\n", "MemTotal:", memory >> 10);
	buf_printf(out, "%-15s %8" PRIu64 " kB\n", "MemFree:", memory >> 10);
	buf_printf(out, "%-15s %8" PRIu64 " kB\n", "MemAvailable:", memory >> 10);
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		buf_printf(out, "%s:%*s kB\n", none[i], (int)(23 - strlen(none[i])), "0");
	buf_printf(out, "%-15s %8" PRIu64 " kB\n", "SwapTotal:", swap >> 10);
	buf_printf(out, "%-15s %8" PRIu64 " kB\n", "SwapFree:", swap >> 10);
}

/*
 * All CPUs have been idle. The boot time is the host's, because the start times in /proc/PID/stat
 * refer to it; clock_gettime(2) tells it, too.
 */
static void root_limits_put_stat(const cpu_set_t *cpus, struct buf *out)
{
	buf_text(out, "cpu  0 0 0 0 0 0 0 0 0 0\n");
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET(cpu, cpus))
			buf_printf(out, "cpu%d 0 0 0 0 0 0 0 0 0 0\n", cpu);
	}
	buf_printf(out,
		   "intr 0\nctxt 0\nbtime %" PRIu64
		   "\nprocesses 1\nprocs_running 1\n"
		   "procs_blocked 0\nsoftirq 0\n",
		   (uint64_t)time(NULL) - root_limits_up_us() / 1000000);
}

/* Read the host's lines about its first CPU, up to the empty line. */
static void root_limits_read_cpu(struct buf *out)
{
	auto_fd int fd = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
	char piece[4096];
	ssize_t n = 1;

	while (fd >= 0 && n > 0 && !strstr(buf_string(out), "\n\n")) {
		n = read(fd, piece, sizeof(piece));
		buf_add(out, piece, n > 0 ? (size_t)n : 0);
	}
}

/* Write a line for one CPU of `count`: all are cores of one socket. */
static void root_limits_put_cpu_line(const char *line, int cpu, int count, struct buf *out)
{
	const struct {
		const char *key;
		int value;
	} places[] = {
		{"processor",      cpu  },
                {"apicid",         cpu  },
                {"initial apicid", cpu  },
                {"core id",        cpu  },
		{"physical id",    0    },
                {"cpu cores",      count},
                {"siblings",       count}
        };
	const size_t length = strcspn(line, "\n");

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		size_t key = strlen(places[i].key);

		if (!strncmp(line, places[i].key, key) && strchr("\t:", line[key])) {
			buf_printf(out, "%.*s: %d\n", (int)strcspn(line, ":"), line,
				   places[i].value);
			return;
		}
	}
	buf_add(out, line, length);
	buf_text(out, "\n");
}

static void root_limits_put_cpus(const cpu_set_t *cpus, struct buf *out)
{
	auto_buf struct buf one = {0};
	const int count = CPU_COUNT(cpus);

	root_limits_read_cpu(&one);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, cpus))
			continue;
		for (const char *p = buf_string(&one); *p && *p != '\n'; p += strcspn(p, "\n") + 1)
			root_limits_put_cpu_line(p, cpu, count, out);
		buf_text(out, "\n");
	}
}

static void root_limits_text(struct root_plan *plan, const char *path, struct buf *text)
{
	root_limits_file(plan, path, spec_strdup(plan->spec, buf_string(text)));
	buf_cut(text, 0);
}

/* Write files below /sys/proc, to be bound over the files of /proc. */
static void root_limits_add_texts(struct root_plan *plan, const struct limits *l,
				  const cpu_set_t *cpus)
{
	static const char *const dirs[] = {"/sys/proc", NULL};
	auto_buf struct buf text = {0};

	root_limits_dirs(plan, dirs);
	root_limits_put_memory(l, &text);
	root_limits_text(plan, "/sys/proc/meminfo", &text);
	root_limits_put_stat(cpus, &text);
	root_limits_text(plan, "/sys/proc/stat", &text);
	root_limits_put_cpus(cpus, &text);
	root_limits_text(plan, "/sys/proc/cpuinfo", &text);
	root_limits_file(plan, "/sys/proc/loadavg", "0.00 0.00 0.00 1/1 1\n");
}

static void root_limits_cover(struct root_plan *plan, const char *path, const char *source)
{
	struct root_op *op = root_ops_add(plan, ROOT_PROC_TEXT, path);

	op->source = source;
	op->attributes =
		MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC;
}

void root_limits_add_proc(struct root_plan *plan)
{
	const uint64_t up_us = root_limits_up_us();
	const unsigned hundredths = (unsigned)(up_us / 10000 % 100);
	struct root_op *op;

	root_limits_cover(plan, "/proc/meminfo", "sys/proc/meminfo");
	root_limits_cover(plan, "/proc/stat", "sys/proc/stat");
	root_limits_cover(plan, "/proc/cpuinfo", "sys/proc/cpuinfo");
	root_limits_cover(plan, "/proc/loadavg", "sys/proc/loadavg");
	/* A nursery's file would show the time since the nursery's start. */
	root_limits_cover(plan, "/proc/uptime", plan->text_place);
	op = &plan->ops[plan->count - 1];
	op->bytes = spec_printf(plan->spec, "%" PRIu64 ".%02u %" PRIu64 ".%02u\n", up_us / 1000000,
				hundredths, up_us / 1000000, hundredths);
	op->length = strlen(op->bytes);
}

/* -- both ----------------------------------------------------------------------------------- */

/* The limits of a run without flags, which a nursery's /sys shows. */
static struct limits root_limits_usual(void)
{
	struct sandbox_spec usual;
	struct limits limits;
	struct err e = {0};

	spec_init(&usual);
	usual.is_ours = true;
	(void)spec_finish(&usual, &e); /* defaults only: cannot fail */
	limits = usual.limits;
	spec_fini(&usual);
	return limits;
}

static bool root_limits_are(const struct limits *a, const struct limits *b)
{
	return !a->cpuset && !b->cpuset && a->memory_bytes == b->memory_bytes &&
	       a->swap_bytes == b->swap_bytes && a->pids == b->pids &&
	       a->cpu_quota_us == b->cpu_quota_us && a->cpu_period_us == b->cpu_period_us;
}

static void root_limits_fill_sys(struct root_plan *plan, const struct limits *l)
{
	static const char *const dirs[] = {"/sys/fs", CGROUP, NULL};
	cpu_set_t cpus;

	root_limits_cpus(l, &cpus);
	root_limits_dirs(plan, dirs);
	if (cgroup_detect() == &cgroup_v1)
		root_limits_add_v1(plan, l);
	else
		root_limits_add_v2(plan, l);
	root_limits_add_cpu_list(plan, &cpus);
	root_limits_add_texts(plan, l, &cpus);
}

void root_limits_add_sys(struct root_plan *plan)
{
	const struct limits usual = root_limits_usual();
	const bool is_nursery = plan->spec->is_ours;
	struct root_op *op;

	if (!plan->is_cell || !root_limits_are(&usual, &plan->spec->limits)) {
		root_ops_tmpfs(plan, "/sys");
		root_limits_fill_sys(plan, is_nursery ? &usual : &plan->spec->limits);
		return;
	}
	root_ops_add(plan, ROOT_DIR, "/sys");
	op = root_ops_add(plan, ROOT_OWN, "/sys");
	op->source = "/sys";
	op->attributes = TEXT_ATTRIBUTES;
}
