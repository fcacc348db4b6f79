/*
 * opening - start a session in a warm cell: an operation (loop/loop.h).
 *
 * The client asks the supervisor for a cell; starts glovebox-egress, if the session has a network;
 * makes and sends the plan of the sandbox; receives pid 1's report that the root is built; and
 * tells the interpreter which file systems are its own.
 *
 * Runs: client. Needs: write access to the cell's cgroups.
 */
#ifndef GLOVEBOX_SESSION_OPENING_H
#define GLOVEBOX_SESSION_OPENING_H

#include "loop/loop.h"
#include "sandbox/endings.h"
#include "spec/spec.h"
#include "wire/session.h"

struct opening;

/*
 * opening_start - prepare the operation; sends nothing yet.
 *
 * @where    the supervisor (wire/runtime_dir.h); outlives the operation, as do @spec and @session.
 * @spec     finished (session/session_spec.h); a step plans its sandbox, opens the files that it
 *           names.
 * @endings  borrowed: receives a cell that does not become the session; NULL: wait for its end, as
 *           session_end() does.
 * @out      end with opening_end().
 * Errors: the image does not exist; a warm cell cannot be such a sandbox.
 */
int opening_start(const char *where, const struct sandbox_spec *spec, struct endings *endings,
		  struct session *session, struct opening **out, struct err *e);

/* Wait for it with loop_wait(), or by loop_fd() when driving many. */
struct loop *opening_loop(struct opening *x);

/* Do what is due, without waiting for another process. true: it is over. */
bool opening_step(struct opening *x);

/* Once it is over, and before opening_end(): append the ports chosen for -p (client/network.h). */
void opening_write_published(const struct opening *x, struct buf *out);

/*
 * opening_end - finish it, once it is over; before that, abandon the session. 0: the caller owns
 * the session, session_close(); -1: it failed, *e says why, and the cell has been killed.
 */
int opening_end(struct opening *x, struct err *e);

#endif
