/*
 * freezing - stop a session, or let it continue: an operation (base/loop.h).
 *
 * A frozen session takes no CPU time, and little memory where there is swap. Its checkpoints and
 * all its processes stop, too. /workspace stays accessible.
 *
 * Runs: client, while it has borrowed the session. Needs: write access to its control group; on v1
 * root, or a delegated freezer.
 */
#ifndef GLOVEBOX_CLIENT_FREEZING_H
#define GLOVEBOX_CLIENT_FREEZING_H

#include "base/loop.h"
#include "host/endings.h"
#include "wire/session.h"

struct freezing;

/*
 * freezing_start, freezing_start_thaw - prepare it; nothing is done yet.
 *
 * @session  outlives the operation. From client_borrow_to_freeze(); it may be frozen already, or,
 *           for thawing, not frozen.
 * End it with freezing_end().
 */
struct freezing *freezing_start(struct session *session);
struct freezing *freezing_start_thaw(struct session *session);

/* Wait on it with loop_wait(), or with loop_fd() when driving many. */
struct loop *freezing_loop(struct freezing *x);

/* Do what is due; never waits for a process to stop, or for swap. true: it is over. */
bool freezing_step(struct freezing *x);

/* Wait for swap no longer: what has not moved stays in memory. Then a step is due, the last one. */
void freezing_cancel(struct freezing *x);

/*
 * freezing_end - finish it, once it is over; before that it is left as it is.
 *
 * @endings  take over a child that is killed but still writes to swap; NULL: it is waited for, for
 * a moment (endings_fini()).
 * @out      where the memory of what is frozen is; NULL: not wanted.
 * Errors: ERR_UNSUPPORTED with the remedy if nothing can be frozen; ERR_SYSTEM: it does not stand
 * still in time; ERR_NOT_FOUND: it has ended. It continues then, unless it was frozen already.
 */
int freezing_end(struct freezing *x, struct endings *endings, struct cgroup_memory *out,
		 struct err *e);

#endif
