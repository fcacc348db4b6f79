/*
 * freezing - freeze or thaw a session: an operation (loop/loop.h).
 *
 * A frozen session uses no CPU time, and little memory on a machine with swap. Its checkpoints and
 * all its processes stop, too.
 *
 * Runs: client, while it has borrowed the session. Needs: write access to its control group; on v1
 * root, or a delegated freezer.
 */
#ifndef GLOVEBOX_SESSION_FREEZING_H
#define GLOVEBOX_SESSION_FREEZING_H

#include "loop/loop.h"
#include "sandbox/endings.h"
#include "wire/session.h"

struct freezing;

/*
 * freezing_start, freezing_start_thaw - prepare the operation; does nothing yet.
 *
 * @session  outlives the operation. Borrowed to be frozen (service/notebook_use.c); it may already
 * be frozen or, for thawing, running. End it with freezing_end().
 */
struct freezing *freezing_start(struct session *session);
struct freezing *freezing_start_thaw(struct session *session);

/* The same as freezing_start() for one that was thawed for a moment: its memory stays where it is.
 */
struct freezing *freezing_start_again(struct session *session);

/* Wait for it with loop_wait(), or by loop_fd() when driving many. */
struct loop *freezing_loop(struct freezing *x);

/* Do what is due, without waiting for a process to stop, or for swap. true: it is over. */
bool freezing_step(struct freezing *x);

/* Stop waiting for swap: pages not moved yet stay in memory. One last step is then due. */
void freezing_cancel(struct freezing *x);

/*
 * freezing_end - finish it, once it is over; before that, leave the session as it is.
 *
 * @endings  receives a killed child that still writes to swap; NULL: wait for it, for a moment
 *           (endings_fini()).
 * @out      resident and swapped memory; NULL: not wanted.
 * Errors: ERR_UNSUPPORTED with the remedy if this machine cannot freeze; ERR_SYSTEM: the processes
 * did not stop in time; ERR_NOT_FOUND: the session has ended. Otherwise it continues, unless it was
 * already frozen.
 */
int freezing_end(struct freezing *x, struct endings *endings, struct cgroup_memory *out,
		 struct err *e);

#endif
