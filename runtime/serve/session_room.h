/*
 * session_room - whether a key may have one more session.
 *
 * How many it has is counted in the supervisor's list whenever it wants one more: what is
 * remembered could drift, what is counted cannot. Two requests must not count at the same time and
 * then both begin, so those that are beginning count as well, and if one of them has ended since a
 * list was asked for (key->use.begun differs), that is asked for again.
 *
 * No side effects. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_SESSION_ROOM_H
#define GLOVEBOX_SERVE_SESSION_ROOM_H

#include "serve/sessions.h"
#include "service/notebook.h"

struct key;

/* One that begins; embed it, all zero. */
struct session_room {
	struct key *key;  /* held by its owner */
	const char *name; /* borrowed */
	struct session_room *next;
	struct session_room **at; /* NULL: it is not in the list */
};

/* From now on it counts, until session_room_leave(), which is safe if it does not. */
void session_room_enter(struct sessions *s, struct session_room *room, struct key *key,
			const char *name);
void session_room_leave(struct session_room *room);

/*
 * session_room_check - may the key have one more?
 *
 * @list           of the supervisor (NOTEBOOK_SESSIONS), asked for after use.begun was looked at.
 * @retry_after_s  out, when refused (quota_check_sessions()). Errors: ERR_BUSY (429).
 */
int session_room_check(const struct sessions *s, const struct key *key,
		       const struct notebook_result *list, uint64_t *retry_after_s, struct err *e);

#endif
