/*
 * threads - what a checkpoint has said of the threads that it lacks (rootfs/guest/lostthreads.py).
 *
 * Runs: client. Needs: nothing.
 */
#ifndef GLOVEBOX_CLIENT_THREADS_H
#define GLOVEBOX_CLIENT_THREADS_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * threads_put - the member "threads", an array of {"name", "count", "remade"}; empty if there were
 * none.
 *
 * @answer  session_call.answer of session_checkpoint(): strict JSON, and hostile: what is of
 * another type is left out.
 */
void threads_put(const struct buf *answer, struct buf *out);

/*
 * threads_refuse - whether a rollback is refused, because it ends these threads for good: the
 * interpreter of the copy knows of threads that it has not, and code that waits for one hangs.
 *
 * @ends  in words; "": there are none.
 */
bool threads_refuse(const char *ends, bool force, struct err *e);

/* threads_warn - say on stderr which of them a rollback ends for good, if any. */
void threads_warn(const struct buf *answer);

#endif
