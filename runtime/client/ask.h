/*
 * ask - send one request to a warm supervisor and receive its answer: an operation (loop/loop.h).
 *
 * An answer may take long for good reasons (no cell is free, another client has the session). So
 * after 2 s without one, a second connection asks whether the supervisor is alive; the request
 * fails if that gets no answer within another 3 s.
 *
 * Runs: client. Needs: nothing.
 */
#ifndef GLOVEBOX_CLIENT_ASK_H
#define GLOVEBOX_CLIENT_ASK_H

#include "base/err.h"
#include "loop/loop.h"
#include "wire/operations.h"

struct ask;

/*
 * ask_start - prepare a request; sends nothing yet.
 *
 * @where     the supervisor (wire/runtime_dir.h); borrowed until the end.
 * @socket    a connection to ask on, borrowed until the end; -1: a new one.
 * @fields    as op_request_write() takes them.
 * @fds       to send along; borrowed until the end.
 * End it with ask_end().
 */
struct ask *ask_start(const char *where, int socket, enum op op, const void *fields, const int *fds,
		      unsigned fd_count);

/* Wait for it with loop_wait(), or by loop_fd() when driving many. */
struct loop *ask_loop(struct ask *x);

/* Do what is due, without waiting. true: it is over. */
bool ask_step(struct ask *x);

/*
 * ask_end - take the answer, once it is over; before that, abandon the request.
 *
 * @connection  on success takes over the new connection; NULL: it is closed.
 * @out         on success end with op_answer_fini().
 * Errors: ERR_NOT_FOUND, with the remedy: no supervisor is running; ERR_SYSTEM: the supervisor does
 * not answer, or has closed the connection; ERR_BUSY: its queue has been full for 5 s; the
 * supervisor's own.
 */
int ask_end(struct ask *x, int *connection, struct op_answer *out, struct err *e);

/* End it, and drop an answer with its descriptors. Safe on NULL. */
void ask_abandon(struct ask *x);

#endif
