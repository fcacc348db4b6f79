/*
 * session - start, call, copy, roll back and freeze a session, and wait for each.
 */
#include "client/session.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "client/call.h"
#include "client/checkpointing.h"
#include "client/freezing.h"
#include "client/opening.h"

int session_is_lost(struct err *e, const char *who, const char *why)
{
	return err_set(e, ERR_GONE, "the session is lost: %s%s", who, why);
}

int session_call_lose(struct session_call *call, struct err *e)
{
	call->lost = true;
	err_string(e, call->why, sizeof(call->why));
	return session_is_lost(e, "", call->why);
}

/* How many of the received signals ask for the end of the call. */
static unsigned session_take_signals(const struct session_call *call)
{
	struct signalfd_siginfo info;
	unsigned count = 0;

	while (read(call->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		count += info.ssi_signo != SIGWINCH;
	return count;
}

/* Wait until a step of the operation is due. Returns how many interrupts came. */
static unsigned session_wait(struct loop *operation, const struct session_call *call)
{
	struct loop loop = loop_none();
	unsigned signals = 0;

	loop_follow(&loop, operation, call->tick ? monotonic_us() + SESSION_TICK_US : LOOP_NEVER);
	if (loop_wait(&loop, call->signal_fd))
		signals = session_take_signals(call);
	loop_collect(&loop);
	loop_close(&loop);
	if (call->tick)
		call->tick(call->tick_context);
	return signals;
}

int session_ask(struct session *session, int socket, const char *members, size_t length,
		struct session_call *call, struct err *e)
{
	const struct call_request request = {socket, members, length, -1};
	struct call *x;

	if (call_start(session, &request, call, e, &x))
		return -1;
	do {
		for (unsigned i = session_wait(call_loop(x), call); i > 0; i--)
			call_interrupt(x);
	} while (!call_step(x));
	return call_end(x);
}

int session_start(const char *where, const struct sandbox_spec *spec, struct buf *published,
		  struct session *out, struct err *e)
{
	auto_buf struct buf lines = {0};
	struct opening *x;

	if (opening_start(where, spec, NULL, out, &x, e))
		return -1;
	while (!opening_step(x))
		loop_wait(opening_loop(x), -1);
	opening_write_published(x, &lines);
	if (opening_end(x, e))
		return -1;
	if (published)
		buf_add(published, lines.data, lines.length);
	return 0;
}

static int session_await_checkpoint(struct checkpointing *x, struct session_call *call,
				    struct err *e)
{
	do {
		for (unsigned i = session_wait(checkpointing_loop(x), call); i > 0; i--)
			checkpointing_interrupt(x);
	} while (!checkpointing_step(x));
	return checkpointing_end(x, e);
}

int session_checkpoint(struct session *session, const char *name, struct session_call *call,
		       struct err *e)
{
	struct checkpointing *x;

	return checkpointing_make(session, name, call, &x, e)
		       ? -1
		       : session_await_checkpoint(x, call, e);
}

int session_rollback(struct session *session, const char *name, struct session_call *call,
		     struct err *e)
{
	struct checkpointing *x;

	return checkpointing_return(session, name, call, &x, e)
		       ? -1
		       : session_await_checkpoint(x, call, e);
}

static int session_await_freezing(struct freezing *x, struct cgroup_memory *out, struct err *e)
{
	while (!freezing_step(x))
		loop_wait(freezing_loop(x), -1);
	return freezing_end(x, NULL, out, e);
}

int session_freeze(struct session *session, struct cgroup_memory *out, struct err *e)
{
	return session_await_freezing(freezing_start(session), out, e);
}

int session_thaw(struct session *session, struct err *e)
{
	return session->frozen ? session_await_freezing(freezing_start_thaw(session), NULL, e) : 0;
}
