/*
 * nursery - the warm Python of one image, and the calls to it.
 */
#include "cell/nursery.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/message.h"
#include "base/own.h"
#include "cell/key.h"
#include "cell/nursery_policy.h"
#include "inside/packet.h"

#define MEMORY     (4ull << 30)
#define TASKS      4096 /* it and nothing else is in its group: cells have their own */
#define MAX_SAID   4096
#define SAID_READS 64

static void add_command(struct sandbox_spec *s, const char *preload)
{
	spec_list_add(s, &s->command, "python3");
	spec_list_add(s, &s->command, NURSERY_GUEST "/nursery.py");
	spec_list_add(s, &s->command, preload);
}

/* The defaults of a run, but for limits: those of the cells are their own. */
static int make_spec(const struct nursery_options *o, struct sandbox_spec *s, struct err *e)
{
	struct mount_spec *guest;

	spec_init(s);
	s->image = spec_strdup(s, o->image);
	s->entrypoint = spec_strdup(s, "");
	add_command(s, o->preload);
	guest = spec_add_mount(s, MOUNT_BIND, NURSERY_GUEST);
	guest->source = spec_strdup(s, o->guest_dir);
	guest->read_only = true;
	if (spec_finish(s, e))
		return -1;
	for (int i = 0; i < RLIM_NLIMITS; i++)
		s->rlimits[i].set = i == RLIMIT_CORE && s->rlimits[i].set;
	s->limits.memory_bytes = MEMORY;
	s->limits.pids = TASKS;
	return 0;
}

/* The variables of a run with the default limits, without any limit on the nursery's processor. */
static int plan(struct nursery *n, struct err *e)
{
	if (warm_key(&n->sandbox, "python3", &n->key))
		return err_input(e, "the image %s has no python3", n->spec.image);
	n->spec.limits.cpu_quota_us = SPEC_UNLIMITED;
	if (sandbox_plan(&n->sandbox, e))
		return -1;
	n->sandbox.plan.is_nursery = true;
	n->sandbox.plan.oom_score_adj = SANDBOX_OOM_SCORE / 2;
	n->sandbox.plan.filter = nursery_policy();
	return 0;
}

static int start(struct nursery *n, struct err *e)
{
	auto_fd int theirs = -1;

	if (message_pair(SOCK_SEQPACKET, &n->calls, &theirs))
		return err_sys(e, "make the nursery's socket");
	if (fcntl(n->calls, F_SETFL, O_NONBLOCK))
		return err_sys(e, "make a socket non-blocking");
	n->sandbox.plan.channel_fd = theirs;
	if (sandbox_start(&n->sandbox, &n->child, e))
		return -1;
	n->child.theirs[CHILD_THEIRS - 1] = take_fd(&theirs); /* shared until it has parted */
	return 0;
}

int nursery_start(const struct nursery_options *options, const struct idblock *ids,
		  struct endings *endings, struct nursery *out, struct err *e)
{
	*out = (struct nursery){.state = NURSERY_STARTING, .child = child_none(), .calls = -1};
	out->started_us = monotonic_us();
	if (make_spec(options, &out->spec, e) || sandbox_open(&out->spec, &out->sandbox, e)) {
		spec_fini(&out->spec);
		out->state = NURSERY_NONE;
		return -1;
	}
	if (ids->lock_fd >= 0) {
		out->sandbox.map.block_first = ids->first;
		out->sandbox.map.block_count = IDBLOCK_COUNT;
	}
	if (!image_check_warm(&out->sandbox.image, options->trust_image, e) && !plan(out, e) &&
	    !start(out, e))
		return 0;
	nursery_stop(out, endings);
	return -1;
}

void nursery_stop(struct nursery *n, struct endings *endings)
{
	struct ending ending = ending_none();

	if (n->state == NURSERY_NONE)
		return;
	ending_take_child(&ending, &n->child);
	if (n->sandbox.cgroup.layout)
		ending_take_group(&ending, &n->sandbox.cgroup);
	endings_add(endings, &ending);
	own_close(&n->calls);
	sandbox_destroy(&n->sandbox);
	spec_fini(&n->spec);
	buf_fini(&n->key);
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

static enum nursery_event hello(struct nursery *n, const char *text, struct err *e)
{
	if (n->state == NURSERY_STARTING && !strncmp(text, "ready ", 6)) {
		snprintf(n->version, sizeof(n->version), "%.31s", text + 6);
		n->state = NURSERY_READY;
		return NURSERY_IS_READY;
	}
	if (n->state == NURSERY_STARTING && !strncmp(text, "error ", 6))
		err_set(e, ERR_INPUT, "%.400s", text + 6);
	else
		err_set(e, ERR_SYSTEM, "the nursery broke the protocol");
	return NURSERY_FAILED;
}

enum nursery_event nursery_receive(struct nursery *n, struct err *e)
{
	char text[512];
	ssize_t length = recv(n->calls, text, sizeof(text) - 1, MSG_DONTWAIT);

	if (length < 0 && (errno == EAGAIN || errno == EINTR))
		return NURSERY_QUIET;
	if (length <= 0) {
		err_set(e, ERR_SYSTEM, "the nursery has ended: %.300s", buf_string(&n->said));
		return NURSERY_FAILED;
	}
	text[length] = '\0';
	return hello(n, text, e);
}

bool nursery_has_hung_up(const struct nursery *n)
{
	struct pollfd calls = {n->calls, 0, 0};

	return n->state != NURSERY_NONE && poll(&calls, 1, 0) > 0;
}

/* Only the end is kept: it is what a traceback says last. */
static void keep_said(struct nursery *n, int fd)
{
	char text[1024];
	ssize_t length;

	/* Some at a time: who writes without end is not to hold up everybody else. */
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
		keep_said(n, n->child.output[i]);
	while (child_receive(&n->child, &r, &fd)) {
		own_close(&fd);
		switch (r.kind) {
		case REPORT_ERROR:
			*e = r.error;
			return -1;
		case REPORT_EXIT:
			return err_set(e, ERR_SYSTEM, "the nursery has ended: %.300s",
				       buf_string(&n->said));
		case REPORT_PARTED:
			child_parted(&n->child);
			break;
		case REPORT_FD_STAGE:
		case REPORT_FD_PTY:
		case REPORT_FD_ROOT:
			break;
		}
	}
	return 0;
}
