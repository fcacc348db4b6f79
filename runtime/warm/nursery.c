/*
 * nursery - the warm Python of one image, and the calls to it.
 */
#include "warm/nursery.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/own.h"
#include "base/say.h"
#include "loop/clock.h"
#include "loop/fd.h"
#include "namespace/namespaces.h"
#include "net/message.h"
#include "root/root_plan.h"
#include "warm/guest.h"
#include "warm/nursery_policy.h"
#include "wire/key.h"
#include "wire/operations.h"

#define MEMORY     (4ull << 30)
#define TASKS      4096 /* for the nursery alone: cells have their own groups */
#define MAX_SAID   4096
#define SAID_READS 64

static void nursery_add_command(struct sandbox_spec *s, const char *preload)
{
	spec_list_add(s, &s->command, "python3");
	spec_list_add(s, &s->command, NURSERY_GUEST "/nursery.py");
	spec_list_add(s, &s->command, preload);
}

/* The defaults of a run, but no limits: the cells have their own. */
static int nursery_make_spec(const struct nursery_options *o, struct sandbox_spec *s, struct err *e)
{
	spec_init(s);
	s->is_ours = true;
	s->image = spec_strdup(s, o->image);
	s->entrypoint = spec_strdup(s, "");
	nursery_add_command(s, o->preload);
	guest_mount(s, o->guest_dir, NURSERY_GUEST);
	for (int i = 0; i < RLIM_NLIMITS; i++)
		s->rlimits[i].set = i == RLIMIT_CORE && s->rlimits[i].set;
	s->limits.memory_bytes = MEMORY;
	s->limits.pids = TASKS;
	return spec_finish(s, e);
}

static int nursery_refuse(struct nursery *n, const char *why, struct err *e)
{
	n->makes_none = true;
	snprintf(n->cold, sizeof(n->cold), "%.199s", why);
	return err_set(e, ERR_UNSUPPORTED,
		       "the programs of %.200s start cold, with \"glovebox run\" as ever: %s",
		       n->spec.image, n->cold);
}

static int nursery_refuse_python(struct nursery *n, struct err *e)
{
	if (warm_look_at_python(&n->sandbox, "python3") == WARM_PYTHON_IS_VENV)
		return nursery_refuse(n, "its python3 is that of a virtual environment", e);
	n->makes_none = true;
	return err_input(e, "the image %s has no python3 that is CPython's own", n->spec.image);
}

/* Set the variables of a run with default limits; the nursery's own CPU time is not limited. */
static int nursery_plan(struct nursery *n, struct err *e)
{
	if (warm_key(&n->sandbox, "python3", &n->key))
		return nursery_refuse_python(n, e);
	if (n->sandbox.image.is_host && !n->sandbox.map.privileged)
		root_host_files(&n->files);
	n->sandbox.limits.cpu_quota_us = SPEC_UNLIMITED;
	if (sandbox_plan(&n->sandbox, e))
		return -1;
	n->sandbox.plan.is_nursery = true;
	n->sandbox.plan.oom_score_adj = SANDBOX_OOM_SCORE / 2;
	n->sandbox.plan.filter = nursery_policy();
	return 0;
}

static int nursery_spawn(struct nursery *n, struct err *e)
{
	auto_fd int theirs = -1;

	if (message_pair(SOCK_SEQPACKET, &n->calls, &theirs))
		return err_sys(e, "make the nursery's socket");
	if (fcntl(n->calls, F_SETFL, O_NONBLOCK))
		return err_sys(e, "make a socket non-blocking");
	n->sandbox.plan.channel_fd = theirs;
	if (sandbox_start(&n->sandbox, &n->child, e))
		return -1;
	n->child.theirs[CHILD_THEIRS - 1] = take_fd(&theirs); /* shared until REPORT_PARTED */
	return 0;
}

int nursery_start(const struct nursery_options *options, const struct idblock *ids,
		  struct endings *endings, struct nursery *out, struct err *e)
{
	*out = (struct nursery){.state = NURSERY_STARTING, .child = child_none(), .calls = -1};
	out->started_us = monotonic_us();
	if (nursery_make_spec(options, &out->spec, e) ||
	    sandbox_open(&out->spec, &out->sandbox, e)) {
		spec_fini(&out->spec);
		out->state = NURSERY_NONE;
		return -1;
	}
	if (ids->lock_fd >= 0) {
		out->sandbox.map.block_first = ids->first;
		out->sandbox.map.block_count = IDBLOCK_COUNT;
	}
	out->makes_none = image_check_warm(&out->sandbox.image, options->trust_image, e);
	if (!out->makes_none && !nursery_plan(out, e) && !nursery_spawn(out, e))
		return 0;
	nursery_stop(out, endings);
	return -1;
}

/*
 * Open all files that a start opens. The child has none of our descriptors: if it gets stuck, it
 * keeps nothing of ours open.
 */
static void nursery_look_in_child(const struct nursery_options *options, pid_t parent)
{
	struct nursery n = {.state = NURSERY_NONE};
	struct err ignored;

	if (!prctl(PR_SET_PDEATHSIG, SIGKILL) && getppid() == parent && !close_range(3, ~0u, 0) &&
	    !nursery_make_spec(options, &n.spec, &ignored) &&
	    !sandbox_open(&n.spec, &n.sandbox, &ignored))
		(void)nursery_plan(&n, &ignored);
	_exit(0);
}

int nursery_look(const struct nursery_options *options, struct child *out)
{
	struct clone_args args = {.flags = CLONE_PIDFD, .exit_signal = SIGCHLD};
	pid_t self = getpid();
	pid_t pid;

	*out = child_none();
	args.pidfd = (uintptr_t)&out->pidfd;
	pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));
	if (pid == 0)
		nursery_look_in_child(options, self);
	out->pid = pid > 0 ? pid : 0;
	return pid > 0 ? 0 : -1;
}

void nursery_stop(struct nursery *n, struct endings *endings)
{
	struct ending ending = ending_none();

	if (n->state == NURSERY_NONE)
		return;
	ending_take_child(&ending, &n->child);
	if (n->sandbox.cgroup.layout)
		ending.group = cgroup_hand_over(&n->sandbox.cgroup);
	endings_add(endings, &ending);
	own_close(&n->calls);
	sandbox_destroy(&n->sandbox);
	spec_fini(&n->spec);
	buf_fini(&n->key);
	buf_fini(&n->files);
	buf_fini(&n->said);
	n->state = NURSERY_NONE;
}

int nursery_call(struct nursery *n, const struct cell_call *call, const int *fds, unsigned fd_count,
		 struct err *e)
{
	if (message_send(n->calls, call, sizeof(*call), fds, fd_count, 0) < 0)
		return err_sys(e, "call the nursery");
	return 0;
}

static enum nursery_event nursery_hello(struct nursery *n, const char *text, struct err *e)
{
	if (n->state == NURSERY_STARTING && !strncmp(text, "ready ", 6)) {
		const size_t length = strcspn(text, "\n");

		snprintf(n->version, sizeof(n->version), "%.*s", (int)length - 6, text + 6);
		snprintf(n->left_out, sizeof(n->left_out), "%s",
			 text[length] ? text + length + 1 : "");
		n->state = NURSERY_READY;
		return NURSERY_IS_READY;
	}
	if (n->state == NURSERY_STARTING && !strncmp(text, "error ", 6))
		err_set(e, ERR_INPUT, "%.400s", text + 6);
	else if (n->state == NURSERY_STARTING && !strncmp(text, "cold ", 5))
		(void)nursery_refuse(n, text + 5, e);
	else
		err_set(e, ERR_SYSTEM, "the nursery broke the protocol");
	return NURSERY_FAILED;
}

enum nursery_event nursery_receive(struct nursery *n, struct err *e)
{
	char text[NURSERY_LEFT_OUT_SIZE + 64];
	ssize_t length = recv(n->calls, text, sizeof(text) - 1, MSG_DONTWAIT);

	if (length < 0 && (errno == EAGAIN || errno == EINTR))
		return NURSERY_QUIET;
	if (length <= 0) {
		err_set(e, ERR_SYSTEM, "the nursery has ended: %.300s", buf_string(&n->said));
		return NURSERY_FAILED;
	}
	text[length] = '\0';
	return nursery_hello(n, text, e);
}

void nursery_say_left_out(const char *left_out)
{
	for (const char *line = left_out; *line;
	     line += strcspn(line, "\n"), line += *line == '\n') {
		fputs(OP_LEFT_OUT, stderr);
		say_bytes(stderr, line, strcspn(line, "\n"));
		fputc('\n', stderr);
	}
}

bool nursery_is_outdated(const struct nursery *n)
{
	auto_buf struct buf today = {0};

	if (!n->files.length)
		return false;
	root_host_files(&today);
	return strcmp(buf_string(&today), buf_string(&n->files)) != 0;
}

bool nursery_has_hung_up(const struct nursery *n)
{
	return n->state != NURSERY_NONE && fd_is_ready(n->calls, 0);
}

/* Keep only the end: a traceback's last line tells most. */
static void nursery_keep_said(struct nursery *n, int fd)
{
	char text[1024];
	ssize_t length;

	/* Bound the number of reads: endless output must not delay other clients. */
	for (int i = 0; i < SAID_READS && (length = read(fd, text, sizeof(text))) > 0; i++) {
		buf_add(&n->said, text, (size_t)length);
		if (n->said.length > MAX_SAID) {
			size_t extra = n->said.length - MAX_SAID / 2;

			memmove(n->said.data, n->said.data + extra, MAX_SAID / 2);
			n->said.length = MAX_SAID / 2;
		}
	}
}

int nursery_attend(struct nursery *n, struct err *e)
{
	struct report r;
	int fd;

	for (int i = 0; i < 2; i++)
		nursery_keep_said(n, n->child.output[i]);
	while (child_receive(n->child.control, &r, &fd)) {
		own_close(&fd);
		switch (r.kind) {
		case REPORT_ERROR:
			*e = r.error;
			namespaces_explain(e);
			return -1;
		case REPORT_EXIT:
			return err_set(e, ERR_SYSTEM, "the nursery has ended: %.300s",
				       buf_string(&n->said));
		case REPORT_PARTED:
			child_parted(&n->child);
			break;
		case REPORT_FD_STAGE:
		case REPORT_FD_SPACE:
		case REPORT_FD_PTY:
		case REPORT_FD_ROOT:
		case REPORT_LOCKED:
		case REPORT_ENDED:
			break;
		}
	}
	return 0;
}
