/*
 * call - send one request to a session and receive its answer: an operation (base/loop.h).
 *
 * Each request carries a pipe of its own for the answer. The session is hostile (frame.h): an
 * answer that breaks the rules ends the session, and with it the cell. At the deadline we interrupt
 * its code (SIGINT); after a grace of 2 s we kill the cell.
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
 * call_start - prepare a call; sends nothing yet.
 *
 * @session  outlives the call, as do @call and @e. One call at a time.
 * @call     the parameters; the steps fill in the results.
 * @e        set when the call fails: see call_end().
 * @out      end with call_end().
 * Errors: the request is larger than SESSION_REQUEST_MAX; ERR_SYSTEM.
 */
int call_start(struct session *session, const struct call_request *request,
	       struct session_call *call, struct err *e, struct call **out);

/* Wait for it with loop_wait(), or by loop_fd() when driving many. */
struct loop *call_loop(struct call *x);

/* Do what is due, without waiting. true: it is over. */
bool call_step(struct call *x);

/*
 * call_interrupt - ask for the end of the call. The first time it interrupts the code (unless the
 * call is patient); the second time it kills the session. After the answer it drops the rest of the
 * output.
 */
void call_interrupt(struct call *x);

/*
 * call_end - finish the call, once it is over. Before that it loses the session or, after the
 * answer, the rest of the output. 0; -1: the session is dead, call->lost and *e (ERR_GONE) say why;
 * or its code continues (call->left).
 */
int call_end(struct call *x);

#endif
