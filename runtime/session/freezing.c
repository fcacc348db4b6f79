/*
 * freezing - freeze or thaw a session.
 */
#include "session/freezing.h"

#include <poll.h>
#include <stdlib.h>

#include "base/own.h"
#include "loop/clock.h"
#include "loop/fd.h"
#include "sandbox/swapping.h"

#define PAUSE_US 1000

enum phase {
	PHASE_FREEZE,
	PHASE_UNDO, /* freezing failed: thaw the stopped processes */
	PHASE_SWAP, /* a child moves the session's memory to swap */
	PHASE_THAW,
	PHASE_OVER,
};

struct freezing {
	struct session *session;
	enum phase phase;
	unsigned steps; /* of this phase */
	bool swaps;
	int outcome; /* when over: 0; -1: e */
	struct err e;
	struct cgroup_memory memory;
	struct swapping swapping;
	uint64_t give_up_at;
	struct pollfd slot; /* the child's end */
	struct loop loop;
};

static struct freezing *freezing_new(struct session *session, enum phase phase)
{
	struct freezing *x = own_zeroed(1, sizeof(*x));

	x->session = session;
	x->phase = phase;
	x->swapping = swapping_none();
	x->loop = loop_none();
	loop_arrange(&x->loop, NULL, 0, 0); /* at once */
	return x;
}

struct freezing *freezing_start(struct session *session)
{
	struct freezing *x = freezing_new(session, PHASE_FREEZE);

	x->swaps = true;
	return x;
}

struct freezing *freezing_start_again(struct session *session)
{
	return freezing_new(session, PHASE_FREEZE);
}

struct freezing *freezing_start_thaw(struct session *session)
{
	return freezing_new(session, PHASE_THAW);
}

static void freezing_enter(struct freezing *x, enum phase phase, int outcome)
{
	x->phase = phase;
	x->outcome = outcome;
	x->steps = 0;
}

/* Whether enough steps have been tried. */
static bool freezing_is_late(struct freezing *x)
{
	return ++x->steps >= CGROUP_FREEZE_STEPS;
}

/* Best effort: false if it cannot; the session's memory then stays resident. */
static bool freezing_swap_out(struct freezing *x)
{
	const bool begun = swapping_begin(&x->session->group, &x->swapping);

	x->slot = (struct pollfd){x->swapping.pidfd, POLLIN, 0};
	x->give_up_at = monotonic_us() + SWAPPING_MOST_US;
	return begun;
}

static void freezing_step_freeze(struct freezing *x)
{
	struct session *s = x->session;
	int done = cgroup_freeze_once(&s->group, &x->e);

	s->frozen = done > 0;
	if (done > 0) {
		bool swaps;

		cgroup_read_memory(&x->session->group, &x->memory);
		swaps = x->swaps && x->memory.has_swap && freezing_swap_out(x);
		freezing_enter(x, swaps ? PHASE_SWAP : PHASE_OVER, 0);
	} else if (done < 0 || freezing_is_late(x)) {
		freezing_enter(x, PHASE_UNDO, -1);
	}
}

static void freezing_step_swap(struct freezing *x)
{
	if (!x->slot.revents && monotonic_us() < x->give_up_at)
		return;
	cgroup_read_memory(&x->session->group, &x->memory);
	freezing_enter(x, PHASE_OVER, 0);
}

static void freezing_step_undo(struct freezing *x)
{
	struct session *s = x->session;
	struct err ignored;

	if (!cgroup_thaw_once(&s->group, &ignored) && !freezing_is_late(x))
		return;
	if (fd_is_ready(s->fds[SESSION_PIDFD], POLLIN))
		err_set(&x->e, ERR_NOT_FOUND, "the session has ended meanwhile");
	freezing_enter(x, PHASE_OVER, -1);
}

static void freezing_step_thaw(struct freezing *x)
{
	struct session *s = x->session;
	int done = cgroup_thaw_once(&s->group, &x->e);

	if (!done && !freezing_is_late(x))
		return;
	s->frozen = done < 0;
	freezing_enter(x, PHASE_OVER, done < 0 ? -1 : 0);
}

static void freezing_arrange(struct freezing *x)
{
	if (x->phase == PHASE_SWAP)
		loop_arrange(&x->loop, &x->slot, 1, x->give_up_at);
	else
		loop_arrange(&x->loop, NULL, 0, monotonic_us() + PAUSE_US);
}

bool freezing_step(struct freezing *x)
{
	static void (*const steps[])(struct freezing *) = {
		[PHASE_FREEZE] = freezing_step_freeze,
		[PHASE_UNDO] = freezing_step_undo,
		[PHASE_SWAP] = freezing_step_swap,
		[PHASE_THAW] = freezing_step_thaw,
	};

	loop_collect(&x->loop);
	steps[x->phase](x);
	freezing_arrange(x);
	return x->phase == PHASE_OVER;
}

void freezing_cancel(struct freezing *x)
{
	if (x->phase != PHASE_SWAP)
		return;
	x->give_up_at = 0;
	freezing_arrange(x);
}

struct loop *freezing_loop(struct freezing *x)
{
	return &x->loop;
}

int freezing_end(struct freezing *x, struct endings *endings, struct cgroup_memory *out,
		 struct err *e)
{
	int bad = x->phase == PHASE_OVER ? x->outcome : -1;

	swapping_end(&x->swapping, endings);
	if (x->phase != PHASE_OVER)
		err_set(e, ERR_SYSTEM, "the freezing of the session was given up");
	else if (bad)
		*e = x->e;
	else if (out)
		*out = x->memory;
	if (x->phase == PHASE_FREEZE || x->phase == PHASE_UNDO)
		x->session->frozen = true; /* possibly in part */
	loop_close(&x->loop);
	free(x);
	return bad;
}
