/*
 * opening - a session that begins in a warm cell: an operation (base/loop.h).
 *
 * The supervisor is asked for a cell; the process that serves its network, if it has one, is
 * started; the plan of the sandbox is made and sent; pid 1 reports that the root is built; the
 * interpreter is told which file systems are its own.
 *
 * Runs: client. Needs: write access to the cell's cgroups.
 */
#ifndef GLOVEBOX_CLIENT_OPENING_H
#define GLOVEBOX_CLIENT_OPENING_H

#include "base/loop.h"
#include "client/session.h"
#include "host/endings.h"
#include "spec/spec.h"

struct opening;

/*
 * opening_start - prepare it; nothing is asked yet.
 *
 * @where    the supervisor (wire/runtime_dir.h); outlives the operation, as do @spec and @session.
 * @spec     finished (client/session_spec.h); a step plans its sandbox, and looks at the files that
 *           it names.
 * @endings  borrowed: gets a cell that does not become the session; NULL: its end is waited for, as
 *           by session_end().
 * @out      end with opening_end().
 * Errors: there is no such image; no warm cell can be such a sandbox.
 */
int opening_start(const char *where, const struct sandbox_spec *spec, struct endings *endings,
		  struct session *session, struct opening **out, struct err *e);

/* Wait on it with loop_wait(), or with loop_fd() when driving many. */
struct loop *opening_loop(struct opening *x);

/* Do what is due; never waits for another process. true: it is over. */
bool opening_step(struct opening *x);

/* Once it is over, and before its end: which ports were taken for -p (client/network.h). */
void opening_write_published(const struct opening *x, struct buf *out);

/*
 * opening_end - finish it, once it is over; before that the session is given up.
 * 0: the caller owns the session, session_close(); -1: there is none, and *e says why. Its cell has
 * been killed.
 */
int opening_end(struct opening *x, struct err *e);

#endif
