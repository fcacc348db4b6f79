/*
 * run - run one program in a sandbox, from its start to its verdict.
 */
#include "sandbox/run.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/own.h"
#include "fs/changes.h"
#include "loop/clock.h"
#include "namespace/mapped_ids.h"
#include "root/root_ops.h"
#include "sandbox/endings.h"
#include "sandbox/network_tried.h"

struct run {
	struct sandbox *s;
	struct child child;
	struct watch watch;
	struct watching *watching;
	bool account;    /* always report the usage */
	int taken_stage; /* the caller has taken it, and owns it; -1 */
	uint32_t execs;  /* further programs, until now */
	struct err error;
};

/* SIGKILL may come from the sandbox's memory limit, or from the program itself. */
static void run_judge_status(const struct watch *w, struct verdict *v)
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

static void run_judge(const struct watch *w, struct verdict *v)
{
	if (w->timed_out) {
		v->kind = w->idle ? VERDICT_IDLE : VERDICT_WALL_TIME;
		v->exit_code = 124;
	} else if (w->cpu_exceeded) {
		v->kind = VERDICT_CPU_TIME;
		v->signal = SIGKILL;
		v->exit_code = 128 + SIGKILL;
	} else if (w->memory_exceeded) {
		v->kind = VERDICT_MEMORY;
		v->in_sockets = w->in_sockets;
		v->signal = SIGKILL;
		v->exit_code = 128 + SIGKILL;
	} else if (w->cancelled_by) {
		v->kind = VERDICT_CANCELLED;
		v->signal = w->cancelled_by;
		v->exit_code = w->output_error ? 125 : 128 + w->cancelled_by;
	} else if (w->command_timed_out) {
		v->kind = VERDICT_EXITED;
		v->exit_code = 124; /* the exit code of timeout(1) */
	} else {
		run_judge_status(w, v);
	}
}

static uint64_t run_timeval_us(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * 1000000 + (uint64_t)t->tv_usec;
}

static uint64_t run_rusage_us(const struct rusage *usage)
{
	return run_timeval_us(&usage->ru_utime) + run_timeval_us(&usage->ru_stime);
}

static void run_count_costs(const struct sandbox *s, const struct watch *w, bool account,
			    struct verdict *v)
{
	struct cgroup_usage usage = {0};
	bool well = w->reported && WIFEXITED(w->status) && !WEXITSTATUS(w->status);

	/* A dozen reads of cgroup files: only for the usage, or to find the cause. */
	if (account || !well)
		cgroup_read_usage(&s->cgroup, &usage);
	v->duration_us = monotonic_us() - w->started_us;
	v->cpu_us = usage.cpu_us;
	if (!v->cpu_us)
		v->cpu_us =
			w->reported ? run_rusage_us(&w->usage) + w->early_cpu_us : w->killed_cpu_us;
	v->memory_peak_bytes = usage.memory_peak_bytes;
	if (!v->memory_peak_bytes && w->reported)
		v->memory_peak_bytes = (uint64_t)w->usage.ru_maxrss * 1024;
	v->oom_kills = usage.oom_kills + (w->memory_exceeded && !usage.oom_kills);
	v->pids_refused = usage.pids_refused;
}

struct staged {
	const struct sandbox *s;
	int fd;
	struct verdict *v;
};

static int run_collect_staged(void *argument, struct err *e)
{
	const struct staged *x = argument;

	return stage_check(x->fd, e) ||
			       stage_collect(x->fd, x->s->output_fd, &x->s->output_limits, x->v, e)
		       ? -1
		       : 0;
}

static int run_collect_files(const struct sandbox *s, const struct watch *w, struct verdict *v,
			     struct err *e)
{
	struct file_marks after;

	struct staged staged = {s, w->stage_fd, v};

	if (s->output_staged && w->stage_fd >= 0)
		return s->users < 0 ? run_collect_staged(&staged, e)
				    : mapped_ids_call(s->users, run_collect_staged, &staged, e);
	/* With a stuck process reading would block us, too. */
	if (s->output_fd >= 0 && !s->output_staged && !w->left_behind) {
		changes_look(s->output_fd, CHANGES_ENTRIES_MAX, &after);
		changes_list(&s->before, &after, &v->files);
		changes_fini(&after);
	}
	return 0;
}

/* Lost output must not look like success. */
static void run_judge_losses(struct verdict *v)
{
	if (v->exit_code)
		return;
	if (v->uncollected)
		v->exit_code = 125;
	else if (v->kind == VERDICT_EXITED && (v->truncated[0] || v->truncated[1])) {
		v->kind = VERDICT_OUTPUT;
		v->exit_code = 123;
	}
}

#define RUN_SPACE_LEAST                                                                            \
	65536 /* a directory is full with fewer free bytes than this, or than a 32nd of all */

static void run_space_judge(const char *path, int fd, struct verdict *v)
{
	struct full_place *place = &v->full[v->full_count];
	struct statfs fs;
	uint64_t size;
	uint64_t free;

	if (v->full_count == VERDICT_PLACES || fd < 0 || fstatfs(fd, &fs))
		return;
	size = (uint64_t)fs.f_blocks * (uint64_t)fs.f_bsize;
	free = (uint64_t)fs.f_bavail * (uint64_t)fs.f_bsize;
	place->files = fs.f_files && !fs.f_ffree ? (uint64_t)fs.f_files : 0;
	if (!place->files && free >= (size / 32 < RUN_SPACE_LEAST ? size / 32 : RUN_SPACE_LEAST))
		return;
	place->size_bytes = size;
	snprintf(place->path, sizeof(place->path), "%s", path);
	v->full_count++;
}

/*
 * Fill in v->full, the directories in memory that were full when the program ended.
 *
 * Pid 1 sends descriptors of a writable root, /tmp, /dev/shm and the stage (inside/root.c), so we
 * can measure them however the sandbox ended. A file that the program has removed again does not
 * count.
 *
 * @root   its operations sent the descriptors, in this order.
 * @fds    `count` of them; borrowed.
 * @stage  descriptor of the stage, or -1.
 */
static void run_space_look(const struct root_plan *root, const int *fds, unsigned count, int stage,
			   struct verdict *v)
{
	unsigned next = 0;

	for (size_t i = 0; i < root->count; i++) {
		const struct root_op *op = &root->ops[i];
		const char *path = op->kind == ROOT_OVERLAY ? "/" : op->path - 1;

		if (op->is_stage)
			run_space_judge(path, stage, v);
		else if (op->is_space && next < count)
			run_space_judge(path, fds[next++], v);
	}
}

static void run_end_child(struct run *r)
{
	struct ending ending = ending_none();

	if (!r->s->endings || r->child.pidfd < 0) {
		child_end(&r->child);
		return;
	}
	ending_take_child(&ending, &r->child);
	endings_add(r->s->endings, &ending);
}

int run_start(struct sandbox *s, const struct run_io *io, bool account, struct run **out,
	      struct err *e)
{
	struct run *r = own_zeroed(1, sizeof(*r));

	*r = (struct run){.s = s, .child = child_none(), .account = account, .taken_stage = -1};
	r->watch = (struct watch){.spec = s->spec,
				  .child = &r->child,
				  .cgroup = &s->cgroup,
				  .command_timeout_ms = s->command_timeout_ms,
				  .io = io,
				  .started_us = monotonic_us(),
				  .stage_fd = -1,
				  .counters_fd = -1};
	if (s->start(s, &r->child, e)) {
		run_end_child(r);
		free(r);
		return -1;
	}
	r->watching = watch_begin(&r->watch, &r->error);
	*out = r;
	return 0;
}

struct loop *run_loop(struct run *r)
{
	return watch_loop(r->watching);
}

bool run_step(struct run *r)
{
	return watch_step(r->watching);
}

void run_signal(struct run *r, int number)
{
	watch_signal(r->watching, number);
}

int run_exec(struct run *r, const struct door_wish *wish, struct child *out, uint32_t *exec,
	     struct err *e)
{
	*out = child_none();
	if (r->child.control < 0 || r->watch.reported)
		return err_set(e, ERR_GONE, "the sandbox has ended");
	*exec = ++r->execs;
	if (!door_exec(&(struct door){&r->s->plan, r->child.control, r->s->map.host_uid, false},
		       *exec, wish, out, e))
		return 0;
	*exec = 0;
	return -1;
}

int run_start_first(struct run *r, struct err *e)
{
	const int bad = door_start_first(&r->s->plan, &r->child, e);

	r->child.waits = false;
	child_parted(&r->child);
	return bad;
}

void run_kill(struct run *r)
{
	child_kill(&r->child);
}

int run_layers(const struct run *r)
{
	const bool has = r->s->plan.stays && r->s->spec->writable && r->watch.space_count;

	return has ? r->watch.space_fds[0] : -1;
}

void run_exec_signal(struct run *r, uint32_t exec, int number, bool group)
{
	child_order_exec(r->child.control, group ? ORDER_GROUP : ORDER_SIGNAL, number, exec);
}

void run_on_exec_end(struct run *r, void (*ended)(void *context, const struct report *report),
		     void *context)
{
	r->watch.ended = ended;
	r->watch.context = context;
}

struct limits run_limits(const struct run *r)
{
	struct limits own = r->s->limits;

	own.pids -= sandbox_pids_of_ours(r->s, own.pids);
	return own;
}

int run_update(struct run *r, const struct limits *next, bool timed, struct err *e)
{
	if (r->child.control < 0 || r->watch.reported)
		return err_set(e, ERR_GONE, "the sandbox has ended");
	if (sandbox_update(r->s, next, e))
		return -1;
	watch_update(r->watching, next, timed);
	return 0;
}

void run_expire(struct run *r)
{
	watch_expire(r->watching);
}

void run_resize(struct run *r, uint16_t rows, uint16_t columns)
{
	watch_resize(r->watching, rows, columns);
}

struct sandbox *run_sandbox(const struct run *r)
{
	return r->s;
}

void run_set_paused(struct run *r, bool paused)
{
	r->watch.paused = paused;
}

bool run_is_paused(const struct run *r)
{
	return r->watch.paused;
}

bool run_has_started(const struct run *r)
{
	return r->watch.started;
}

int run_take_stage(struct run *r)
{
	if (r->s->output_staged)
		return -1;
	r->taken_stage = r->watch.stage_fd;
	return take_fd(&r->watch.stage_fd);
}

int run_end(struct run *r, struct verdict *out, struct err *e)
{
	const struct watch *w = &r->watch;
	int bad = watch_end(r->watching);

	*e = r->error;
	run_end_child(r);
	r->s->cgroup.remove_by_us = child_end_by(&r->child);
	run_count_costs(r->s, w, r->account, out);
	if (w->early)
		cgroup_forget(&r->s->cgroup);
	run_judge(w, out);
	out->left_behind = w->left_behind;
	/*
	 * The run ended before the program started, by a limit or a signal, not by an error of
	 * ours.
	 */
	if (bad && (w->timed_out || w->cpu_exceeded || w->memory_exceeded || w->cancelled_by))
		bad = 0;
	if (!bad)
		bad = run_collect_files(r->s, w, out, e);
	for (int i = 0; i < 2; i++)
		out->truncated[i] = w->truncated[i];
	out->output_error = w->output_error;
	run_judge_losses(out);
	run_space_look(&r->s->root, w->space_fds, w->space_count,
		       w->stage_fd < 0 ? r->taken_stage : w->stage_fd, out);
	for (unsigned i = 0; i < w->space_count; i++)
		own_close(&r->watch.space_fds[i]);
	out->no_network = out->exit_code && network_tried(w->counters_fd);
	own_close(&r->watch.counters_fd);
	own_close(&r->watch.stage_fd);
	free(r);
	return bad;
}
