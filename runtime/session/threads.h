/*
 * threads - read a checkpoint's list of lost threads (rootfs/guest/lostthreads.py).
 *
 * Runs: client. Needs: nothing.
 */
#ifndef GLOVEBOX_SESSION_THREADS_H
#define GLOVEBOX_SESSION_THREADS_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * threads_put - the member "threads", an array of {"name", "count", "remade"}; empty without lost
 * threads.
 *
 * @answer  session_call.answer of session_checkpoint(): strict JSON, and hostile: members of
 *          another type are skipped.
 */
void threads_put(const struct buf *answer, struct buf *out);

/*
 * threads_refuse - refuse a rollback that ends these threads for good: the interpreter of the copy
 * lists threads that it does not have, and code that waits for one hangs.
 *
 * @ends  in words; "": none.
 */
bool threads_refuse(const char *ends, bool force, struct err *e);

/* threads_warn - print on stderr which of them a rollback ends for good, if any. */
void threads_warn(const struct buf *answer);

#endif
