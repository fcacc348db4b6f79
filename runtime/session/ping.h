/*
 * ping - ask whether a checkpoint is alive, and which process it is: an operation (loop/loop.h).
 *
 * Runs: client, while it has borrowed the session. Needs: nothing.
 */
#ifndef GLOVEBOX_SESSION_PING_H
#define GLOVEBOX_SESSION_PING_H

#include <stdint.h>

#include "base/err.h"
#include "loop/loop.h"

struct ping;

struct ping_answer {
	uint32_t pid;   /* its pid inside, as the checkpoint reports it */
	char ends[256]; /* threads that a rollback ends for good; "": none */
};

/*
 * ping_start - send the request. The answer is {"id":0,"pid":N}, perhaps with "ends", or
 * {"id":0,"error":"..."}.
 *
 * @socket  for its requests; borrowed until the end.
 * @out     end with ping_end().
 * Errors: ERR_SYSTEM: it has ended; ERR_LIMIT: its queue is full because it does not read requests,
 * or we cannot send one.
 */
int ping_start(int socket, struct ping **out, struct err *e);

/* Wait for it with loop_wait(), or by loop_fd() when driving many. */
struct loop *ping_loop(struct ping *x);

/* Do what is due, without waiting. true: it is over. */
bool ping_step(struct ping *x);

/*
 * ping_end - take the answer, once it is over; before that, abandon it.
 *
 * @out  UTF-8, not trusted.
 * Errors: ERR_SYSTEM: it has ended, has not answered within 20 s, or sent an invalid answer. The
 * session continues without it.
 */
int ping_end(struct ping *x, struct ping_answer *out, struct err *e);

#endif
