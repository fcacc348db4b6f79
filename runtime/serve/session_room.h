/*
 * session_room - whether a key may have one more session.
 *
 * The supervisor's list is counted each time a key wants one more session: a remembered count could
 * drift. Two requests must not count at once and then both begin, so sessions that are beginning
 * count as well; if one of them has ended since the list was asked for (key->use.begun differs),
 * the caller asks again.
 *
 * No side effects. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_SESSION_ROOM_H
#define GLOVEBOX_SERVE_SESSION_ROOM_H

#include "serve/sessions.h"
#include "service/notebook.h"

struct key;

/* A session that is beginning; embed it, all zero. */
struct session_room {
	struct key *key;  /* held by the owner */
	const char *name; /* borrowed */
	struct session_room *next;
	struct session_room **at; /* NULL: not in the list */
};

/* Count the session from now on, until session_room_leave(), which is always safe. */
void session_room_enter(struct sessions *s, struct session_room *room, struct key *key,
			const char *name);
void session_room_leave(struct session_room *room);

/*
 * session_room_check - may the key have one more session?
 *
 * @list           of the supervisor (NOTEBOOK_SESSIONS), asked for after use.begun was read.
 * @retry_after_s  out, if refused (quota_check_sessions()). Errors: ERR_BUSY (429).
 */
int session_room_check(const struct sessions *s, const struct key *key,
		       const struct notebook_result *list, uint64_t *retry_after_s, struct err *e);

#endif
