/*
 * chamber - run a step of a build in namespaces of its own: only there do programs of packages run.
 */
#include "chamber.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "base/process.h"
#include "chamber_inside.h"
#include "chamber_log.h"
#include "fs/self_path.h"
#include "loop/clock.h"
#include "namespace/namespaces.h"
#include "netpolicy/egress_refusals.h"
#include "rootfs/archive/interrupt.h"

#define NAMESPACES                                                                                 \
	(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP)
#define LOOKS_LAST (1000 / INTERRUPT_LOOK_MS)

/* Ends of pipes; -1 if closed. */
struct pipes {
	int go[2];     /* to the child: its ids are mapped; end of file: we have exited */
	int report[2]; /* from the child: why it could not start */
	int out[2];
};

static void chamber_pipes_fini(struct pipes *p)
{
	for (int i = 0; i < 2; i++) {
		own_close(&p->go[i]);
		own_close(&p->report[i]);
		own_close(&p->out[i]);
	}
}
#define auto_pipes __attribute__((cleanup(chamber_pipes_fini)))

static int chamber_pipes_init(struct pipes *p, bool out, struct err *e)
{
	if (pipe2(p->go, O_CLOEXEC) || pipe2(p->report, O_CLOEXEC) ||
	    (out && pipe2(p->out, O_CLOEXEC)))
		return err_sys(e, "pipe");
	return 0;
}

/* Like fork(); the child is pid 1 of its new namespaces. -1 with *e. */
static pid_t chamber_clone_child(bool network, struct err *e)
{
	unsigned long kinds = NAMESPACES | (network ? 0ul : (unsigned long)CLONE_NEWNET);
	pid_t pid = (pid_t)syscall(SYS_clone, kinds | SIGCHLD, 0, 0, 0, 0);

	return pid < 0 ? namespaces_refused(kinds, "make namespaces", e) : pid;
}

static _Noreturn void chamber_child(const struct chamber_step *step, struct pipes *p, int log,
				    int network)
{
	const struct chamber_ends ends = {.go = p->go[0],
					  .report = p->report[1],
					  .out = p->out[1] >= 0 ? p->out[1] : log,
					  .log = log,
					  .network = network};
	struct err e = {0};

	own_close(&p->go[1]);
	own_close(&p->report[0]);
	interrupt_reset();
	chamber_inside(step, &ends, &e);
	/* The child sends only errors. */
	if (io_write_all(p->report[1], &e, sizeof(e)))
		_exit(127);
	_exit(126);
}

/*
 * Read the child's own error, if it could not start. Our code wrote the bytes: no other has run in
 * it yet.
 */
static int chamber_read_report(int fd, struct err *e)
{
	struct err theirs = {0};
	size_t have = 0;

	while (have < sizeof(theirs)) {
		ssize_t n = read(fd, (char *)&theirs + have, sizeof(theirs) - have);

		if (n < 0 && errno == EINTR && !interrupt_signal())
			continue;
		if (n < 0)
			return err_sys(e, "wait for its start");
		if (n == 0)
			return 0;
		have += (size_t)n;
	}
	*e = theirs;
	return -1;
}

/*
 * The child waits for us, before it has started anything, so the group will contain all its
 * processes.
 */
static int chamber_join(const struct chamber *c, struct err *e)
{
	for (unsigned i = 0; i < c->group.task_count; i++) {
		if (dprintf(c->group.tasks[i], "%d", (int)c->pid) < 0)
			return err_sys(e, "move it into its control group");
	}
	return 0;
}

static int chamber_limit(const struct chamber_step *step, struct chamber *c, struct err *e)
{
	auto_free char *id = own_printf("build-%d", (int)getpid());
	const struct limits *l = step->limits;

	c->limit_is_asked = l && l->wall_time_ms != SPEC_UNLIMITED;
	c->limit_ms = c->limit_is_asked ? l->wall_time_ms : step->limit_s * 1000ull;
	if (c->limit_ms)
		c->ends_at_us = monotonic_us() + c->limit_ms * 1000;
	if (!l)
		return 0;
	return cgroup_open(id, l, &c->group, e) || cgroup_open_tasks(&c->group, e) ? -1 : 0;
}

static int chamber_let_go(const struct chamber_step *step, struct chamber *c, struct pipes *p,
			  struct err *e)
{
	own_close(&p->report[1]);
	own_close(&p->out[1]);
	own_close(&c->egress.inner);
	if (subids_map(step->ids, c->pid, e) || chamber_join(c, e))
		return -1;
	if (write(p->go[1], "", 1) != 1)
		return err_sys(e, "start it");
	return chamber_read_report(p->report[0], e) || egress_await(&c->egress, e) ? -1 : 0;
}

static void chamber_kill_child(pid_t pid)
{
	if (pid <= 0)
		return;
	kill(pid, SIGKILL);
	(void)process_reap(pid, 0);
}

/*
 * Start glovebox-egress for a step that may reach some hosts, before the chamber; end with
 * egress_end(). ERR_UNSUPPORTED: it is not installed.
 */
static int chamber_start_network(const struct egress_spec *spec, struct egress *out, struct err *e)
{
	static const struct cgroup none; /* a chamber has no control group */
	char directory[PATH_MAX];
	auto_free char *program = NULL;

	*out = egress_none();
	if (self_directory(directory, e))
		return -1;
	program = own_printf("%s/%s", directory, EGRESS_PROGRAM);
	if (egress_prepare(program, spec, "build", EGRESS_WITH_US, out, e))
		return -1;
	if (!egress_start(out, &none, e))
		return 0;
	egress_end(out);
	return -1;
}

/* Print on stderr what it refused to a failed step. @x: may be none. */
static void chamber_explain_network(const struct egress *x)
{
	auto_buf struct buf line = {0};
	struct egress_summary summary;
	struct err ignored;

	if (x->control < 0 || egress_summarize(x->control, &summary, &ignored))
		return;
	egress_refusals_line(&(struct egress_summary){0}, &summary, &line);
	fputs(buf_string(&line), stderr);
	egress_summary_fini(&summary);
}

static int chamber_open_ends(const struct chamber_step *step, struct chamber *c, struct pipes *p,
			     struct err *e)
{
	if (chamber_limit(step, c, e) ||
	    (step->egress && chamber_start_network(step->egress, &c->egress, e)))
		return -1;
	return chamber_pipes_init(p, step->piped, e);
}

int chamber_start(const struct chamber_step *step, struct chamber *out, struct err *e)
{
	auto_pipes struct pipes p = {
		{-1, -1},
                {-1, -1},
                {-1, -1}
        };
	struct chamber_log log;

	*out = (struct chamber){.name = step->name,
				.cleans = step->cleans,
				.pid_fd = -1,
				.out_fd = -1,
				.log_fd = -1,
				.group = {.oom_fd = -1},
				.egress = egress_none()};
	/* Start the log first: it must not inherit ends of the pipes. */
	if (namespaces_check_kernel(e) || chamber_log_start(step->name, &log, e))
		return -1;
	out->log_pid = log.pid;
	out->log_fd = log.kept_fd;
	out->pid = chamber_open_ends(step, out, &p, e) ? -1 : chamber_clone_child(step->network, e);
	if (out->pid == 0)
		chamber_child(step, &p, log.fd, out->egress.inner);
	own_close(&log.fd);
	if (out->pid > 0) {
		out->pid_fd = (int)syscall(SYS_pidfd_open, out->pid, 0);
		if (out->pid_fd < 0)
			err_sys(e, "watch it");
	}
	if (out->pid_fd >= 0 && !chamber_let_go(step, out, &p, e)) {
		out->out_fd = take_fd(&p.out[0]);
		return 0;
	}
	chamber_kill_child(out->pid);
	chamber_kill_child(out->log_pid);
	egress_end(&out->egress);
	cgroup_close(&out->group);
	own_close(&out->pid_fd);
	own_close(&out->log_fd);
	return err_prefix(e, "build step %s", step->name);
}

static bool chamber_is_late(const struct chamber *c)
{
	return c->ends_at_us && monotonic_us() >= c->ends_at_us;
}

/*
 * Give an abandoned chamber a moment to end by itself: if it failed first, its failure is the
 * cause.
 */
static bool chamber_ends(const struct chamber *c, bool abandon)
{
	for (int looks = 0; abandon || c->cleans || !interrupt_signal(); looks++) {
		if (interrupt_await(c->pid_fd))
			return true;
		if ((abandon && (interrupt_signal() || looks >= LOOKS_LAST)) || chamber_is_late(c))
			return false;
	}
	return false;
}

static int chamber_judge(const struct chamber *c, int status, struct err *e)
{
	if (status == 0)
		return 0;
	if (WIFSIGNALED(status))
		return err_set(e, ERR_SYSTEM, "build step %s was ended by signal %d", c->name,
			       WTERMSIG(status));
	return err_set(e, ERR_SYSTEM, "build step %s failed (status %d); its messages are above",
		       c->name, WEXITSTATUS(status));
}

static int chamber_explain(const struct cgroup_usage *used, struct err *e)
{
	const struct err said = *e;

	if (used->oom_kills)
		err_set(e, said.kind, "%.400s; it ran out of --memory", said.text);
	else if (used->pids_refused)
		err_set(e, said.kind, "%.400s; it reached --pids-limit", said.text);
	return -1;
}

int chamber_finish(struct chamber *c, bool abandon, struct err *e)
{
	bool ended = chamber_ends(c, abandon);
	bool late = !ended && !abandon && !interrupt_signal();
	struct cgroup_usage used = {0};
	int status = 0;

	own_close(&c->out_fd);
	/* All others in there die with pid 1, whatever they do. Only pid 1 is our child to reap. */
	kill(c->pid, SIGKILL);
	status = process_reap(c->pid, 0);
	own_close(&c->pid_fd);
	chamber_log_finish(c->log_pid, !ended && !late);
	if (status && (ended || late) && !interrupt_signal()) {
		chamber_log_show(&c->log_fd);
		chamber_explain_network(&c->egress);
	}
	egress_end(&c->egress);
	own_close(&c->log_fd);
	cgroup_read_usage(&c->group, &used);
	cgroup_close(&c->group);
	if (interrupt_check(e))
		return -1;
	if (late)
		return err_set(e, ERR_SYSTEM,
			       "build step %s did not end within %g s%s and was killed; its "
			       "last message is above",
			       c->name, (double)c->limit_ms / 1000,
			       c->limit_is_asked ? " (--timeout)" : "");
	if (!ended || !chamber_judge(c, status, e))
		return 0;
	return chamber_explain(&used, e);
}

int chamber_run(const struct chamber_step *step, struct err *e)
{
	struct chamber c;

	return chamber_start(step, &c, e) || chamber_finish(&c, false, e) ? -1 : 0;
}
