/*
 * session_door - start a program in a session, beside its Python: what the monitor of a sandbox
 * that stays does, done by the client.
 *
 * The supervisor hands out a copy of the control socket, the plan of the session and a number for
 * the program; it waits for nobody who has borrowed the session. The session counts as used as long
 * as the client keeps its connection.
 *
 * Runs: client. Needs: nothing.
 */
#ifndef GLOVEBOX_MONITOR_SESSION_DOOR_H
#define GLOVEBOX_MONITOR_SESSION_DOOR_H

#include "record/record.h"
#include "sandbox/door.h"

struct session_door {
	int connection; /* owned; to the supervisor; -1 */
	int control;    /* owned; of pid 1; -1 */
	uint32_t exec;  /* the program's number */
};

static inline struct session_door session_door_none(void)
{
	return (struct session_door){.connection = -1, .control = -1};
}

/*
 * session_door_find - record_find(), or the user's session of that name, if no sandbox of it runs.
 * @out  a stand-in for a record, if it is a session: only its name is known.
 */
int session_door_find(const char *word, struct record *out, struct err *e);

/* Whether one of the user's sessions has the name. */
bool session_door_has(const char *name);

/*
 * session_door_exec - start a program.
 *
 * @name  of the session.
 * @wish  as the client wants it.
 * @child  child_none(); as door_exec() fills it: `ends` reports the end of the program.
 * @out   on success: session_door_close().
 * Errors: ERR_NOT_FOUND, ERR_GONE: no session has the name; ERR_BUSY: it is frozen.
 */
int session_door_exec(const char *name, const struct door_wish *wish, struct child *child,
		      struct session_door *out, struct err *e);
void session_door_close(struct session_door *d);

#endif
