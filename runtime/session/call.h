/*
 * call - send one request to a session and receive its answer: an operation (loop/loop.h).
 *
 * Each request carries a pipe of its own for the answer. The session is hostile (frame.h): an
 * answer that breaks the rules ends the session, and with it the cell. At the deadline we interrupt
 * its code (SIGINT); after a grace of 2 s we kill the cell.
 *
 * Runs: client, while it has borrowed the session. Needs: nothing.
 */
#ifndef GLOVEBOX_SESSION_CALL_H
#define GLOVEBOX_SESSION_CALL_H

#include "base/buf.h"
#include "base/sink.h"
#include "loop/loop.h"
#include "session/exchange.h"
#include "wire/session.h"

struct call;

struct session_call {
	/* in */
	uint64_t timeout_ms;    /* SPEC_UNLIMITED: none */
	uint64_t output_max;    /* bytes of each stream */
	size_t answer_max;      /* bytes */
	const struct sink *out; /* two, for stdout and stderr; NULL: output is dropped */
	bool patient;           /* only the second interrupt counts, and then the session is lost */
	bool force;             /* allow a rollback that ends threads for good */
	bool follows;  /* code was left in the session: an interrupt is for that, until its end */
	bool spares;   /* let uninterruptible code continue instead: `left` */
	bool persists; /* only the deadline ends it: an interrupt may be ignored, and repeated */
	/* out */
	struct buf answer; /* strict JSON (json_strict.h) of bounded cost; buf_fini() */
	bool truncated[2];
	int output_error; /* errno if some of stdout could not be relayed; 0 */
	bool timed_out;
	bool interrupted;
	bool insisted;     /* interrupted twice: the code had no time to end */
	bool ends_threads; /* the rollback was refused because of them */
	bool left;         /* *e is ERR_BUSY; the next request waits for the end of this one */
	bool lost;         /* the session is dead: *e is ERR_GONE */
	char why[200];     /* why it is lost */
	bool in_sockets;   /* lost because of too many sockets */
	bool died; /* it died by itself; the supervisor may know why (service/notebook_use.c) */
	uint64_t duration_us;
	uint32_t id; /* of the request */
};

/* Set *e: the session is lost, and why, in two parts. Returns -1. */
int call_is_lost(struct err *e, const char *who, const char *why);

/* Mark the session as lost in this call, for the reason in *e. Returns -1. */
int call_set_lost(struct session_call *call, struct err *e);

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
