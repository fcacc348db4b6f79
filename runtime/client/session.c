/*
 * session - start, call, copy and roll back a session, waiting for each.
 */
#include "client/session.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "client/call.h"
#include "client/checkpointing.h"
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

unsigned session_call_signals(struct session_call *call)
{
	struct signalfd_siginfo info;
	unsigned count = 0;

	while (read(call->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		count += info.ssi_signo != SIGWINCH;
	return count;
}

int session_hand(struct session *session, int socket, const char *members, size_t length,
		 int handed, struct session_call *call, struct err *e)
{
	const struct call_request request = {socket, members, length, handed};
	struct call *x;

	if (call_start(session, &request, call, e, &x))
		return -1;
	do {
		if (loop_wait(call_loop(x), call->signal_fd)) {
			for (unsigned i = session_call_signals(call); i > 0; i--)
				call_interrupt(x);
		}
	} while (!call_step(x));
	return call_end(x);
}

int session_ask(struct session *session, int socket, const char *members, size_t length,
		struct session_call *call, struct err *e)
{
	return session_hand(session, socket, members, length, -1, call, e);
}

int session_start(const char *where, struct sandbox *s, struct session *out, struct err *e)
{
	struct opening *x;

	if (opening_start(where, s, out, &x, e))
		return -1;
	while (!opening_step(x))
		loop_wait(opening_loop(x), -1);
	return opening_end(x, e);
}

static int session_await_checkpoint(struct checkpointing *x, struct session_call *call,
				    struct err *e)
{
	do {
		if (loop_wait(checkpointing_loop(x), call->signal_fd)) {
			for (unsigned i = session_call_signals(call); i > 0; i--)
				checkpointing_interrupt(x);
		}
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
