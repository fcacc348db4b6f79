/*
 * call - one request to a session, from its sending to its answer: an operation (base/loop.h).
 *
 * Each request brings a pipe of its own for the answer. What comes out of the session is hostile
 * (frame.h): an answer that breaks the rules ends the session, and with it the cell. Past the
 * deadline its code is interrupted (SIGINT); after a grace of 2 s the cell is killed.
 *
 * Runs: client, while it has borrowed the session. Needs: nothing.
 */
#ifndef GLOVEBOX_CLIENT_CALL_H
#define GLOVEBOX_CLIENT_CALL_H

#include "base/loop.h"
#include "client/exchange.h"
#include "client/session.h"

struct call;

/*
 * call_start - prepare a call; nothing is sent yet.
 *
 * @session  outlives the call, as do @call and @e. One call at a time.
 * @call     the parameters; its steps fill in the results.
 * @e        filled in when the call fails: see call_end().
 * @out      end with call_end().
 * Errors: it is larger than SESSION_REQUEST_MAX; ERR_SYSTEM.
 */
int call_start(struct session *session, const struct call_request *request,
	       struct session_call *call, struct err *e, struct call **out);

/* Wait on it with loop_wait(), or with loop_fd() when driving many. */
struct loop *call_loop(struct call *x);

/* Do what is due; never waits. true: it is over. */
bool call_step(struct call *x);

/*
 * call_interrupt - ask for its end.
 * The first time its code is interrupted (unless the call is patient), the second time the session
 * is lost. Once it has been answered, the rest of its output is given up.
 */
void call_interrupt(struct call *x);

/*
 * call_end - finish it, once it is over. Before that the session is lost or, if it has answered
 * already, the rest of its output.
 * 0; -1: the session is dead, call->lost and *e (ERR_GONE) say why; or its code goes on
 * (call->left).
 */
int call_end(struct call *x);

#endif
