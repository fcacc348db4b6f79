/*
 * opening - start a session in a warm cell.
 */
#include "session/opening.h"

#include <poll.h>
#include <stdlib.h>

#include "base/own.h"
#include "client/lease.h"
#include "client/network.h"
#include "loop/clock.h"
#include "net/message.h"
#include "sandbox/door.h"
#include "sandbox/sandbox.h"
#include "sandbox/spawn.h"
#include "session/call.h"

#define PROGRAM   "glovebox-session" /* see rootfs/guest/program.py */
#define START_MAX 20000              /* ms for a new session to build its root and answer */

enum phase { PHASE_CELL, PHASE_NETWORK, PHASE_ROOT, PHASE_PLACES, PHASE_OVER };

struct opening {
	struct sandbox sandbox;
	struct session *session;
	enum phase phase;
	bool has_failed;
	struct err e;
	struct loop loop;
	/* asking for a cell */
	struct ask *ask; /* owned; NULL */
	struct lease lease;
	/* network and root */
	struct pollfd slots[2];
	uint64_t root_end_us;
	bool is_locked; /* pid 1 is a door */
	/* telling the file systems */
	struct call *call; /* owned; NULL */
	struct session_call told;
};

static void opening_fail(struct opening *x)
{
	x->has_failed = true;
	x->phase = PHASE_OVER;
}

/* @reason: may be the text of *e. Returns -1. */
static int opening_has_no_cell(const char *reason, struct err *e)
{
	struct err copy = {0};

	err_set(&copy, ERR_UNSUPPORTED, "a session needs a warm cell: %s", reason);
	*e = copy;
	return -1;
}

/* -- the places ------------------------------------------------------------------------------ */

/* Tell the interpreter which file systems are its own: checkpoints save only their files. */
static void opening_write_places(const struct sandbox *s, struct buf *out)
{
	const char *between = "";

	buf_text(out, "\"op\":\"places\",\"paths\":[");
	for (size_t i = 0; i < s->plan.op_count; i++) {
		const struct root_op *op = &s->plan.ops[i];

		if (op->kind != ROOT_TMPFS || !op->landlock_write)
			continue;
		buf_text(out, between);
		buf_json_text(out, op->path - 1); /* includes the slash in front of it */
		between = ",";
	}
	buf_text(out, "]");
	if (s->spec->writable)
		buf_text(out,
			 ",\"unsaved\":\"changes to the root (--writable) cannot be "
			 "put back\"");
}

static void opening_tell_places(struct opening *x)
{
	auto_buf struct buf members = {0};
	struct call_request request = {.socket = x->session->fds[SESSION_CHANNEL]};

	opening_write_places(&x->sandbox, &members);
	request.members = members.data;
	request.length = members.length;
	x->told = (struct session_call){.timeout_ms = START_MAX, .answer_max = 4096};
	x->phase = PHASE_PLACES;
	if (call_start(x->session, &request, &x->told, &x->e, &x->call))
		opening_fail(x);
}

/* 0, or -1 with the interpreter's reason for not starting. */
static int opening_read_told(const struct session_call *told, struct err *e)
{
	auto_json struct json *answer =
		json_parse(buf_string(&told->answer), told->answer.length, e);
	const char *why = NULL;

	if (!answer || json_get_string(answer, "error", &why, e))
		return -1;
	return why ? err_set(e, ERR_UNSUPPORTED, "%.300s", why) : 0;
}

static void opening_step_places(struct opening *x)
{
	if (!call_step(x->call))
		return;
	x->has_failed = call_end(x->call);
	x->call = NULL;
	x->phase = PHASE_OVER;
	if (!x->has_failed && opening_read_told(&x->told, &x->e))
		x->has_failed = true;
}

/* -- the root -------------------------------------------------------------------------------- */

static int opening_take_report(struct opening *x, struct report *r, const int *fd)
{
	int *fds = x->session->fds;

	switch (r->kind) {
	case REPORT_FD_ROOT:
		own_close(&fds[SESSION_PLAN]);
		return door_open(&x->sandbox.plan, fds[SESSION_CONTROL], *fd, &fds[SESSION_PLAN],
				 &x->e);
	case REPORT_LOCKED:
		x->is_locked = true;
		return 0;
	case REPORT_ERROR:
		x->e = r->error;
		return -1;
	default:
		return 0;
	}
}

/* 1: the root is built, and pid 1 is confined as its door; 0: not yet; -1: *e. */
static int opening_receive(struct opening *x)
{
	struct report r;
	auto_fd int fd = -1;

	while (child_receive(x->session->fds[SESSION_CONTROL], &r, &fd)) {
		int bad = opening_take_report(x, &r, &fd);

		own_close(&fd);
		if (bad)
			return -1;
	}
	return x->is_locked;
}

static void opening_step_root(struct opening *x)
{
	int built = opening_receive(x);

	if (!built && x->slots[1].revents)
		built = err_set(&x->e, ERR_SYSTEM, "the new session has ended");
	if (!built && monotonic_us() >= x->root_end_us)
		built = err_set(&x->e, ERR_SYSTEM, "the new session does not start");
	if (built < 0)
		opening_fail(x);
	else if (built)
		opening_tell_places(x);
}

/* -- its start ------------------------------------------------------------------------------- */

static int opening_begin(struct opening *x, int channel)
{
	static char name[] = PROGRAM;
	static char *argv[] = {name, NULL};
	struct sandbox *s = &x->sandbox;
	struct session *session = x->session;
	struct child child;
	int bad;

	s->plan.argv = argv;
	s->plan.channel_fd = channel;
	bad = s->start(s, &child, &x->e);
	child_parted(&child); /* on error we still hold its ends */
	session->fds[SESSION_PIDFD] = child.pidfd;
	session->fds[SESSION_CONTROL] = child.control;
	session->fds[SESSION_STDOUT] = child.output[0];
	session->fds[SESSION_STDERR] = child.output[1];
	session->host_uid = s->map.host_uid;
	session->host_gid = s->map.host_gid;
	session->memory_bytes = s->spec->limits.memory_bytes;
	x->root_end_us = monotonic_us() + START_MAX * 1000ull;
	return bad;
}

static int opening_plan(struct opening *x)
{
	auto_fd int theirs = -1;
	const char *reason;

	if (sandbox_plan(&x->sandbox, &x->e))
		return -1;
	reason = lease_check(&x->sandbox, &x->lease);
	if (reason)
		return opening_has_no_cell(reason, &x->e);
	if (message_pair_down(&x->session->fds[SESSION_CHANNEL], &theirs))
		return err_sys(&x->e, "make the session's socket");
	return opening_begin(x, theirs);
}

/* -- the network, if it has one --------------------------------------------------------------- */

static void opening_step_network(struct opening *x)
{
	struct egress *egress = &x->sandbox.egress;
	int begun = egress_look(egress, &x->e);

	if (!begun)
		return;
	if (begun < 0 || opening_plan(x))
		opening_fail(x);
	else
		x->phase = PHASE_ROOT;
	own_close(&egress->inner); /* the cell has a copy */
	x->session->network = take_fd(&egress->control);
}

/* glovebox-egress outlives us: the session has its control socket, and the supervisor keeps it. */
static int opening_start_network(struct opening *x)
{
	const struct cgroup group = cgroup_borrow(&x->lease.group);

	if (network_prepare(&x->sandbox, EGRESS_APART, &x->e) ||
	    egress_start(&x->sandbox.egress, &group, &x->e))
		return -1;
	x->phase = PHASE_NETWORK;
	if (x->sandbox.egress.control < 0)
		opening_step_network(x);
	return x->has_failed ? -1 : 0;
}

static void opening_await_network(struct opening *x)
{
	const struct egress *egress = &x->sandbox.egress;

	x->slots[0] = (struct pollfd){egress->order.answer, POLLIN, 0};
	loop_arrange(&x->loop, x->slots, 1, egress->order.end_us);
}

/* -- the cell -------------------------------------------------------------------------------- */

static void opening_step_cell(struct opening *x)
{
	const char *reason = NULL;
	int found;

	if (!ask_step(x->ask))
		return;
	found = lease_ask_end(&x->sandbox, &x->lease, x->ask, &reason, &x->e);
	x->ask = NULL;
	if (found > 0)
		opening_has_no_cell(reason, &x->e);
	if (found || opening_start_network(x))
		opening_fail(x);
}

/* -- the operation --------------------------------------------------------------------------- */

static void opening_await_root(struct opening *x)
{
	x->slots[0] = (struct pollfd){x->session->fds[SESSION_CONTROL], POLLIN, 0};
	x->slots[1] = (struct pollfd){x->session->fds[SESSION_PIDFD], POLLIN, 0};
	loop_arrange(&x->loop, x->slots, 2, x->root_end_us);
}

static void opening_arrange(struct opening *x)
{
	switch (x->phase) {
	case PHASE_CELL:
		loop_follow(&x->loop, ask_loop(x->ask), LOOP_NEVER);
		break;
	case PHASE_NETWORK:
		opening_await_network(x);
		break;
	case PHASE_ROOT:
		opening_await_root(x);
		break;
	case PHASE_PLACES:
		loop_follow(&x->loop, call_loop(x->call), LOOP_NEVER);
		break;
	case PHASE_OVER:
		break;
	}
}

bool opening_step(struct opening *x)
{
	static void (*const steps[])(struct opening *) = {
		[PHASE_CELL] = opening_step_cell,
		[PHASE_NETWORK] = opening_step_network,
		[PHASE_ROOT] = opening_step_root,
		[PHASE_PLACES] = opening_step_places,
	};

	loop_collect(&x->loop);
	steps[x->phase](x);
	opening_arrange(x);
	return x->phase == PHASE_OVER;
}

struct loop *opening_loop(struct opening *x)
{
	return &x->loop;
}

void opening_write_published(const struct opening *x, struct buf *out)
{
	network_write_published(&x->sandbox, out);
}

int opening_start(const char *where, const struct sandbox_spec *spec, struct endings *endings,
		  struct session *session, struct opening **out, struct err *e)
{
	struct opening *x = own_zeroed(1, sizeof(*x));
	const char *reason;

	*session = session_none();
	if (sandbox_open(spec, &x->sandbox, e)) {
		free(x);
		return -1;
	}
	x->sandbox.endings = endings;
	x->session = session;
	x->loop = loop_none();
	if (lease_ask_start(where, &x->sandbox, LEASE_SESSION, &x->lease, &x->ask, &reason)) {
		opening_has_no_cell(reason, e);
		sandbox_destroy(&x->sandbox);
		free(x);
		return -1;
	}
	opening_arrange(x);
	*out = x;
	return 0;
}

/* Abandon it in any state. */
static void opening_give_up(struct opening *x)
{
	ask_abandon(x->ask);
	if (x->call)
		(void)call_end(x->call);
	err_set(&x->e, ERR_SYSTEM, "the new session was given up");
	opening_fail(x);
}

static void opening_end_session(struct opening *x)
{
	lease_drop(&x->lease);
	if (x->sandbox.endings)
		session_end_later(x->session, x->sandbox.endings);
	else
		session_end(x->session);
}

int opening_end(struct opening *x, struct err *e)
{
	int bad;

	if (x->phase != PHASE_OVER)
		opening_give_up(x);
	bad = x->has_failed ? -1 : 0;
	/* Until now the group belonged to the sandbox, which would remove it at its end. */
	x->session->group = cgroup_hand_over(&x->sandbox.cgroup);
	if (bad) {
		*e = x->e;
		opening_end_session(x);
	}
	sandbox_destroy(&x->sandbox);
	buf_fini(&x->told.answer);
	loop_close(&x->loop);
	free(x);
	return bad;
}
