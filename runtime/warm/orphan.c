/*
 * orphan - interrupt the code of a call whose client has vanished, until it ends.
 */
#include "warm/orphan.h"

#include <poll.h>

#include "base/own.h"
#include "loop/clock.h"
#include "loop/fd.h"
#include "sandbox/spawn.h"
#include "sandbox/stream.h"
#include "wire/frame.h"

#define DROP_READS                                                                                 \
	32 /* of 64 KiB: more than a pipe holds, however much the code prints meanwhile */

static void orphan_interrupt(struct orphan *o, const struct session *session, uint64_t now_us)
{
	child_interrupt(session->fds[SESSION_CONTROL]);
	o->interrupt_at = now_us + ORPHAN_PACE_US;
}

/* If the ping cannot be sent, perhaps for lack of descriptors, the next check sends it. */
static void orphan_ask(struct orphan *o, const struct session *session)
{
	auto_fd int theirs = -1;

	if (frame_pipe(&o->answer, &theirs) || frame_ping(session->fds[SESSION_CHANNEL], theirs))
		own_close(&o->answer);
}

static void orphan_drop_output(const struct session *session)
{
	struct stream stream;

	for (int i = 0; i < 2; i++) {
		stream_init(&stream, session->fds[SESSION_STDOUT + i], -1);
		stream_discard(&stream, DROP_READS);
		stream_fini(&stream);
	}
}

static bool orphan_has_answered(struct orphan *o)
{
	struct pollfd answer = {o->answer, POLLIN, 0};

	fd_look(&answer, 1);
	if (answer.revents & POLLIN)
		return true;
	if (answer.revents) /* closed without an answer: send another ping */
		own_close(&o->answer);
	return false;
}

/*
 * After its limit, and after the first interrupt, code has some time to end, as in session/call.h.
 */
static uint64_t orphan_end_of(uint64_t begun_us, uint64_t limit_ms, uint64_t now_us)
{
	uint64_t limit_at;

	if (__builtin_mul_overflow(limit_ms, (uint64_t)1000, &limit_at) ||
	    __builtin_add_overflow(limit_at, begun_us + ORPHAN_PACE_US, &limit_at))
		return UINT64_MAX;
	return limit_at > now_us + ORPHAN_PACE_US ? limit_at : now_us + ORPHAN_PACE_US;
}

void orphan_begin(struct orphan *out, struct session *session, uint64_t begun_us, uint64_t limit_ms,
		  uint64_t now_us)
{
	*out = (struct orphan){.exists = true, .answer = -1, .since_us = now_us};
	out->end_at = orphan_end_of(begun_us, limit_ms, now_us);
	orphan_look(out, session, now_us);
}

void orphan_expect(struct orphan *o, uint64_t since_us)
{
	uint64_t from_us = since_us > o->since_us ? since_us : o->since_us;

	o->end_at = clock_earlier(o->end_at, from_us + SESSION_WAIT_MS * 1000ull);
}

void orphan_look(struct orphan *o, struct session *session, uint64_t now_us)
{
	struct err ignored;

	if (session->frozen) /* its client vanished before thawing it */
		(void)cgroup_thaw_once(&session->group, &ignored);
	if (now_us >= o->interrupt_at)
		orphan_interrupt(o, session, now_us);
	if (o->answer < 0)
		orphan_ask(o, session);
	orphan_drop_output(session);
}

bool orphan_has_ended(struct orphan *o, struct session *session)
{
	/* An interrupt that is still on its way would reach the next call. */
	if (!orphan_has_answered(o) || !child_has_interrupted(session->fds[SESSION_CONTROL]))
		return false;
	orphan_drop_output(session); /* the rest, which was written before the answer */
	session->frozen = false;
	orphan_end(o);
	return true;
}

bool orphan_is_late(const struct orphan *o, uint64_t now_us)
{
	return o->exists && now_us >= o->end_at;
}

void orphan_end(struct orphan *o)
{
	if (o->exists)
		own_close(&o->answer);
	*o = (struct orphan){.exists = false};
}
