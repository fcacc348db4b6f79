/*
 * freezing - stop a session, or let it continue.
 */
#include "client/freezing.h"

#include <poll.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/own.h"

#define PAUSE_US 1000

enum phase {
	PHASE_FREEZE,
	PHASE_UNDO, /* it was not frozen: what stands still continues */
	PHASE_THAW,
	PHASE_OVER,
};

struct freezing {
	struct session *session;
	enum phase phase;
	unsigned steps; /* of this phase */
	int outcome;    /* once it is over: 0; -1: e */
	struct err e;
	struct cgroup_memory memory;
	struct loop loop;
};

static struct freezing *freezing_new(struct session *session, enum phase phase)
{
	struct freezing *x = own_zeroed(1, sizeof(*x));

	x->session = session;
	x->phase = phase;
	err_set(&x->e, ERR_SYSTEM, "the freezing of the session was given up");
	x->loop = loop_none();
	loop_arrange(&x->loop, NULL, 0, 0); /* at once */
	return x;
}

struct freezing *freezing_start(struct session *session)
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

/* Whether it has been tried for long enough. */
static bool freezing_is_late(struct freezing *x)
{
	return ++x->steps >= CGROUP_FREEZE_STEPS;
}

static void freezing_step_freeze(struct freezing *x)
{
	struct session *s = x->session;
	int done = cgroup_freeze_once(s->group, s->groups, s->group_count, &x->e);

	s->frozen = done > 0;
	if (done > 0) {
		cgroup_swap_out(s->group, s->groups, s->group_count, &x->memory);
		freezing_enter(x, PHASE_OVER, 0);
	} else if (done < 0 || freezing_is_late(x)) {
		freezing_enter(x, PHASE_UNDO, -1);
	}
}

static void freezing_step_undo(struct freezing *x)
{
	struct session *s = x->session;
	struct err ignored;

	if (!cgroup_thaw_once(s->group, s->groups, s->group_count, &ignored) &&
	    !freezing_is_late(x))
		return;
	if (fd_is_ready(s->fds[SESSION_PIDFD], POLLIN))
		err_set(&x->e, ERR_NOT_FOUND, "the session has ended meanwhile");
	freezing_enter(x, PHASE_OVER, -1);
}

static void freezing_step_thaw(struct freezing *x)
{
	struct session *s = x->session;
	int done = cgroup_thaw_once(s->group, s->groups, s->group_count, &x->e);

	if (!done && !freezing_is_late(x))
		return;
	s->frozen = done < 0;
	freezing_enter(x, PHASE_OVER, done < 0 ? -1 : 0);
}

bool freezing_step(struct freezing *x)
{
	static void (*const steps[])(struct freezing *) = {
		[PHASE_FREEZE] = freezing_step_freeze,
		[PHASE_UNDO] = freezing_step_undo,
		[PHASE_THAW] = freezing_step_thaw,
	};

	loop_collect(&x->loop);
	steps[x->phase](x);
	loop_arrange(&x->loop, NULL, 0, monotonic_us() + PAUSE_US);
	return x->phase == PHASE_OVER;
}

struct loop *freezing_loop(struct freezing *x)
{
	return &x->loop;
}

int freezing_end(struct freezing *x, struct cgroup_memory *out, struct err *e)
{
	int bad = x->phase == PHASE_OVER ? x->outcome : -1;

	if (bad)
		*e = x->e;
	else if (out)
		*out = x->memory;
	if (x->phase == PHASE_FREEZE || x->phase == PHASE_UNDO)
		x->session->frozen = true; /* perhaps, or a part of it */
	loop_close(&x->loop);
	free(x);
	return bad;
}
