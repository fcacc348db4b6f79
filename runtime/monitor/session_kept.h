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

#include "record/record.h"
#include "wire/session.h"

/*
 * session_kept_write - keep the files that it has now; a failure leaves those that were kept.
 * @r  of session_find(): a session that is not frozen.
 * Returns 0; 1: something was left out, which mover has said on our standard error; -1 with *e.
 */
int session_kept_write(const struct record *r, struct err *e);

/* The file: owned, or -1. ERR_NOT_FOUND: no session of that name has hibernated. */
int session_kept_open(const char *name, struct err *e);

/* Unpack the file in the /workspace of a session. @from: borrowed. The same returns. */
int session_kept_restore(const char *name, int from, struct err *e);

/* Whether there is one. */
bool session_kept_has(const char *name);

struct kept_session {
	char name[SESSION_NAME_MAX + 1];
	uint64_t age_ms; /* since it hibernated */
	uint64_t bytes;
};

/*
 * session_kept_each - call for each name that has one, whether a session of it lives or not; @s is
 * valid during the call.
 */
int session_kept_each(void (*tell)(void *context, const struct kept_session *s), void *context,
		      struct err *e);

/*
 * session_kept_end - end a session, and remove what is kept of its name.
 * Errors: ERR_NOT_FOUND: neither is there; ERR_GONE: the session has ended by itself.
 */
int session_kept_end(const char *name, struct err *e);

#endif
