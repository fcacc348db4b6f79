/*
 * sandbox - one run from spec to verdict.
 */
#include "host/sandbox.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/own.h"
#include "host/builtin_filter.h"
#include "host/terminal.h"
#include "host/tree.h"
#include "host/watch.h"

#define MAX_CODE (256u << 20)

static void make_id(char out[65])
{
	unsigned char bytes[32];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		abort();
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(out + 2 * i, 3, "%02x", bytes[i]);
}

static int read_code(struct sandbox *s, struct err *e)
{
	const char *path = s->spec->code_file;

	if (!path)
		return 0;
	buf_add(&s->code, "", 0);
	if (!strcmp(path, "-"))
		return io_read_fd(STDIN_FILENO, "standard input", MAX_CODE, &s->code, e);
	if (io_read_file(AT_FDCWD, path, MAX_CODE, &s->code, e))
		return err_prefix(e, "--code");
	return 0;
}

/* A volume to read names from: only if it is what the plan mounts, and not what took its name. */
static int open_mounted(const struct sandbox *s, const struct mount_spec *m)
{
	auto_fd int fd = open(m->source, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return -1;
	for (size_t i = 0; i < s->root.count; i++) {
		const struct root_op *op = &s->root.ops[i];

		if (op->named && !strcmp(op->path, m->target + 1) && op->inode == st.st_ino &&
		    op->device == st.st_dev)
			return take_fd(&fd);
	}
	return -1;
}

/* /output is either staged, or a direct bind whose changes the result lists. */
static int prepare_output(struct sandbox *s, struct err *e)
{
	bool wants_list = s->spec->json || s->spec->result_file;

	for (size_t i = 0; i < s->spec->mount_count; i++) {
		const struct mount_spec *m = &s->spec->mounts[i];

		if (strcmp(m->target, "/output") || m->kind == MOUNT_TMPFS || s->spec->explain)
			continue;
		if (m->kind == MOUNT_STAGE) {
			s->output_staged = true;
			s->output_limits = (struct stage_limits){m->size_bytes, m->inodes};
			s->output_fd = stage_open_target(m->source, e);
			if (s->output_fd < 0)
				return err_prefix(e, "--output");
		} else if (wants_list && !m->read_only) {
			s->output_fd = open_mounted(s, m);
			if (s->output_fd >= 0)
				changes_look(s->output_fd, CHANGES_ENTRIES_MAX, &s->before);
		}
	}
	return 0;
}

/* Whether a crash is handed to a program of the host's, as root and outside of every limit. */
static bool host_takes_cores(void)
{
	char pattern[256];

	return !io_peek(AT_FDCWD, "/proc/sys/kernel/core_pattern", pattern, sizeof(pattern)) &&
	       (pattern[0] == '|' || pattern[0] == '@');
}

/* Only SPEC_NO_CORE keeps it from that: neither more, which --ulimit asks for, nor less, which an
 * inherited limit of 0 cannot be raised from. */
static int check_core(const struct sandbox *s, struct err *e)
{
	const struct rlimit *core = &s->rlimits[RLIMIT_CORE];

	if ((core->rlim_cur == SPEC_NO_CORE && core->rlim_max == SPEC_NO_CORE) ||
	    !host_takes_cores())
		return 0;
	if (core->rlim_max > SPEC_NO_CORE)
		return err_set(e, ERR_UNSUPPORTED,
			       "--ulimit core: a program of this host takes the cores "
			       "(kernel.core_pattern), outside of the sandbox: leave it out");
	return err_set(
		e, ERR_UNSUPPORTED,
		"a program of this host takes crashes (kernel.core_pattern), and only a core "
		"limit of 1 keeps it out, but yours is 0: ulimit -Hc must be 1 or more");
}

/* Our own defaults give way to a lower hard limit of the caller; an explicit --ulimit does not. */
static void prepare_rlimits(struct sandbox *s)
{
	for (int i = 0; i < RLIM_NLIMITS; i++) {
		const struct rlimit_spec *wanted = &s->spec->rlimits[i];
		struct rlimit own;

		s->rlimits_set[i] = wanted->set;
		s->rlimits[i] = wanted->value;
		if (!wanted->set || !wanted->is_default || getrlimit(i, &own))
			continue;
		if (s->rlimits[i].rlim_max > own.rlim_max)
			s->rlimits[i].rlim_max = own.rlim_max;
		if (s->rlimits[i].rlim_cur > s->rlimits[i].rlim_max)
			s->rlimits[i].rlim_cur = s->rlimits[i].rlim_max;
	}
}

static int prepare_filter(struct sandbox *s, struct err *e)
{
	unsigned short length;
	const struct sock_filter *shipped = builtin_filter(&length);
	const struct sock_fprog builtin = {length, (struct sock_filter *)shipped};

	switch (s->spec->seccomp) {
	case SECCOMP_SHIPPED:
		s->plan.filter = builtin;
		return 0;
	case SECCOMP_PROFILE:
		if (syscall_filter_from_profile(s->spec->seccomp_profile,
						strlen(s->spec->seccomp_profile), &s->profile, e))
			return err_prefix(e, "--security-opt seccomp");
		s->plan.filter = (struct sock_fprog){s->profile.length, s->profile.program};
		return 0;
	case SECCOMP_UNCONFINED:
		return 0;
	}
	return -1;
}

int landlock_abi(void)
{
	long n = syscall(444, NULL, 0, 1u);

	return n > 0 ? (int)n : 0;
}

static int prepare_plan(struct sandbox *s, struct err *e)
{
	struct inside_plan *p = &s->plan;

	p->channel_fd = -1;
	p->oom_score_adj = SANDBOX_OOM_SCORE;
	p->uid = s->map.inside_uid;
	p->gid = s->map.inside_gid;
	p->may_set_groups = s->map.privileged;
	p->hostname = s->spec->hostname ? s->spec->hostname : "sandbox";
	p->tty = s->spec->tty;
	if (p->tty)
		terminal_size(&p->tty_rows, &p->tty_columns);
	p->ops = s->root.ops;
	p->op_count = s->root.count;
	p->workdir = s->program.workdir;
	p->argv = s->program.argv.items;
	p->envp = s->program.env.items;
	p->search_path = s->program.search_path;
	p->rlimits = s->rlimits;
	p->rlimits_set = s->rlimits_set;
	p->landlock_abi = landlock_abi();
#ifdef GLOVEBOX_TESTING
	p->omit = getenv("GLOVEBOX_OMIT");
#endif
	prepare_rlimits(s);
	return check_core(s, e) || prepare_filter(s, e) ? -1 : 0;
}

int sandbox_open(struct sandbox_spec *spec, struct sandbox *out, struct err *e)
{
	*out = (struct sandbox){
		.spec = spec,
		.start = sandbox_start,
		.output_fd = -1,
		.image.root_fd = -1,
		.cgroup.oom_fd = -1,
	};
	make_id(out->id);
	if (!image_open(spec->image, &out->image, e) &&
	    !program_resolve(spec, &out->image, &out->program, e) && !read_code(out, e)) {
		idmap_choose(out->program.uid, out->program.gid, &out->map);
		return 0;
	}
	sandbox_destroy(out);
	return -1;
}

int sandbox_plan(struct sandbox *s, struct err *e)
{
	const struct buf *code = s->spec->code_file ? &s->code : NULL;

	return root_plan_build(s->spec, &s->image, &s->program, code, &s->map, &s->root, e) ||
			       prepare_output(s, e) || prepare_plan(s, e)
		       ? -1
		       : 0;
}

void sandbox_replan_cold(struct sandbox *s)
{
	root_plan_fini(&s->root);
	own_close(&s->output_fd);
	changes_fini(&s->before);
	s->start = sandbox_start;
	s->command_timeout_ms = 0;
	idmap_choose(s->program.uid, s->program.gid, &s->map);
}

/* A killed program may have been killed for the sandbox's memory, or by its own hand. */
static void judge_status(const struct watch *w, struct verdict *v)
{
	int status = w->reported ? w->status : SIGKILL;

	v->abandoned = !w->reported && w->child->adopted && !v->oom_kills;

	if (WIFEXITED(status)) {
		v->kind = VERDICT_EXITED;
		v->exit_code = WEXITSTATUS(status);
		return;
	}
	v->signal = WTERMSIG(status);
	v->exit_code = 128 + v->signal;
	v->kind = v->signal == SIGSYS                        ? VERDICT_SYSCALL
		  : v->signal == SIGXCPU                     ? VERDICT_CPU_TIME
		  : v->signal == SIGKILL && v->oom_kills > 0 ? VERDICT_MEMORY
							     : VERDICT_SIGNALLED;
}

static void judge(const struct watch *w, struct verdict *v)
{
	if (w->timed_out) {
		v->kind = VERDICT_WALL_TIME;
		v->exit_code = 124;
	} else if (w->cpu_exceeded) {
		v->kind = VERDICT_CPU_TIME;
		v->signal = SIGKILL;
		v->exit_code = 128 + SIGKILL;
	} else if (w->memory_exceeded) {
		v->kind = VERDICT_MEMORY;
		v->signal = SIGKILL;
		v->exit_code = 128 + SIGKILL;
	} else if (w->cancelled_by) {
		v->kind = VERDICT_CANCELLED;
		v->signal = w->cancelled_by;
		v->exit_code = 128 + w->cancelled_by;
	} else if (w->command_timed_out) {
		v->kind = VERDICT_EXITED;
		v->exit_code = 124; /* what timeout(1) would have said */
	} else {
		judge_status(w, v);
	}
}

static uint64_t timeval_us(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * 1000000 + (uint64_t)t->tv_usec;
}

static void account(const struct sandbox *s, const struct watch *w, uint64_t started_us,
		    struct verdict *v)
{
	struct cgroup_usage usage = {0};
	bool ordinary = w->reported && WIFEXITED(w->status);

	/* A dozen reads of cgroup files: only for somebody who wants to know. */
	if (w->capture || !ordinary)
		cgroup_read_usage(&s->cgroup, &usage);
	v->duration_us = monotonic_us() - started_us;
	v->cpu_us = usage.cpu_us;
	if (!v->cpu_us)
		v->cpu_us = timeval_us(&w->usage.ru_utime) + timeval_us(&w->usage.ru_stime);
	v->memory_peak_bytes = usage.memory_peak_bytes;
	if (!v->memory_peak_bytes)
		v->memory_peak_bytes = (uint64_t)w->usage.ru_maxrss * 1024;
	v->oom_kills = usage.oom_kills + (w->memory_exceeded && !usage.oom_kills);
	v->pids_refused = usage.pids_refused;
}

static int collect_files(const struct sandbox *s, const struct watch *w, struct verdict *v,
			 struct err *e)
{
	struct file_marks after;

	if (s->output_staged && w->stage_fd >= 0)
		return stage_check(w->stage_fd, e) || stage_collect(w->stage_fd, s->output_fd,
								    &s->output_limits, v, e)
			       ? -1
			       : 0;
	if (s->output_fd >= 0 && !s->output_staged) {
		changes_look(s->output_fd, CHANGES_ENTRIES_MAX, &after);
		changes_list(&s->before, &after, &v->files);
		changes_fini(&after);
	}
	return 0;
}

/* The child and its cgroup, in the order that suits the layout. */
int sandbox_start(struct sandbox *s, struct child *child, struct err *e)
{
	const struct limits *limits = &s->spec->limits;
	bool later = cgroup_can_wait();

	if (tree_clone(s->root.ops, s->root.count, TREE_NESTED, e))
		return -1;
	if (!later && cgroup_open(s->id, limits, &s->cgroup, e))
		return -1;
	if (child_start(&s->plan, &s->cgroup, &s->map, s->spec->interactive, child, e))
		return -1;
	if (!(later && cgroup_open(s->id, limits, &s->cgroup, e)) &&
	    !child_admit(child, &s->cgroup, &s->map, e))
		return 0;
	child_end(child);
	return -1;
}

int sandbox_run(struct sandbox *s, bool forward, bool capture, struct verdict *out, struct err *e)
{
	struct child child = child_none();
	struct watch w = {.spec = s->spec,
			  .child = &child,
			  .cgroup = &s->cgroup,
			  .command_timeout_ms = s->command_timeout_ms,
			  .forward = forward,
			  .capture = capture,
			  .stage_fd = -1};
	auto_fd int signal_fd = -1;
	uint64_t started_us;
	int bad;

	*out = (struct verdict){0};
	if (watch_signals(&signal_fd, e))
		return -1;
	/* The program starts at the normal priority. Lifting a caller's "nice" takes root. */
	if (s->map.privileged || getpriority(PRIO_PROCESS, 0) < 0)
		setpriority(PRIO_PROCESS, 0, 0);
	started_us = monotonic_us();
	if (s->start(s, &child, e))
		return -1;
	bad = watch_run(&w, signal_fd, started_us, out, e);
	child_end(&child);
	account(s, &w, started_us, out);
	judge(&w, out);
	/* Ended before it began, for a reason that is not an error of ours. */
	if (bad && (w.timed_out || w.cpu_exceeded || w.memory_exceeded || w.cancelled_by))
		bad = 0;
	if (!bad)
		bad = collect_files(s, &w, out, e);
	own_close(&w.stage_fd);
	return bad;
}

void sandbox_destroy(struct sandbox *s)
{
	cgroup_close(&s->cgroup);
	root_plan_fini(&s->root);
	syscall_filter_fini(&s->profile);
	program_fini(&s->program);
	image_close(&s->image);
	changes_fini(&s->before);
	buf_fini(&s->code);
	own_close(&s->output_fd);
}
