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
#include "host/sandbox.h"

struct opening;

/*
 * opening_start - prepare it; nothing is asked yet.
 *
 * @where  the supervisor (wire/runtime_dir.h); outlives the operation, as do @s and @session.
 * @s      opened, with a mount of kind MOUNT_STAGE on /workspace; a step plans it, and looks at the
 *         files that it names.
 * @out    end with opening_end().
 * Errors: no warm cell can be such a sandbox.
 */
int opening_start(const char *where, struct sandbox *s, struct session *session,
		  struct opening **out, struct err *e);

/* Wait on it with loop_wait(), or with loop_fd() when driving many. */
struct loop *opening_loop(struct opening *x);

/* Do what is due; never waits for another process. true: it is over. */
bool opening_step(struct opening *x);

/*
 * opening_end - finish it, once it is over; before that the session is given up.
 * 0: the caller owns the session, session_close(); -1: there is none, and *e says why. Its cell has
 * been killed.
 * @endings  gets that cell then; NULL: its end is waited for, as by session_end().
 */
int opening_end(struct opening *x, struct endings *endings, struct err *e);

#endif
