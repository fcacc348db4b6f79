/*
 * session_kept - the files of a session on the disk, for a session of the same name of a later day:
 * STATE/hibernated/HEX, where HEX is its name, and the file a tar of /workspace.
 *
 * Its content is a stranger's: it comes from mover inside one session, and mover inside another
 * unpacks it, with the rights of the session's programs (monitor/copying.h).
 *
 * Runs: client. Needs: nothing.
 */
#ifndef GLOVEBOX_MONITOR_SESSION_KEPT_H
#define GLOVEBOX_MONITOR_SESSION_KEPT_H

#include "monitor/record.h"

/*
 * session_kept_write - keep the files that it has now; a failure leaves those that were kept.
 * @r  of session_door_find(): a session that is not frozen.
 * Returns 0; 1: something was left out, which mover has said on our standard error; -1 with *e.
 */
int session_kept_write(const struct record *r, struct err *e);

/* The file: owned, or -1. ERR_NOT_FOUND: no session of that name has hibernated. */
int session_kept_open(const char *name, struct err *e);

/* Unpack the file in the /workspace of a session. @from: borrowed. The same returns. */
int session_kept_restore(const char *name, int from, struct err *e);

/* Forget it. Returns false if there is none. */
bool session_kept_remove(const char *name);

#endif
