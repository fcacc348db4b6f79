/*
 * session_door - the door of a session: the supervisor hands out a copy of the control socket of
 * its pid 1, the plan of the session and a number for one further program.
 *
 * It waits for nobody who has borrowed the session, which counts as used as long as the client
 * keeps its connection.
 *
 * Runs: client. Needs: nothing.
 */
#ifndef GLOVEBOX_CLIENT_SESSION_DOOR_H
#define GLOVEBOX_CLIENT_SESSION_DOOR_H

#include <stdint.h>

#include "base/err.h"
#include "client/ask.h"
#include "sandbox/door.h"

struct session_door {
	int connection;    /* owned; to the supervisor; -1 */
	int control;       /* owned; of pid 1; -1 */
	int plan;          /* owned; for door_map(); -1 */
	uint32_t host_uid; /* of its programs */
	uint32_t exec;     /* the program's number */
};

static inline struct session_door session_door_none(void)
{
	return (struct session_door){.connection = -1, .control = -1, .plan = -1};
}

/* session_door_ask - ask for it: an operation (client/ask.h). @where, @name  until its end. */
struct ask *session_door_ask(const char *where, const char *name);

/*
 * session_door_receive - end the question, once it is over.
 * @out  on success: session_door_close().
 * Errors: ERR_NOT_FOUND, ERR_GONE: no session has the name; ERR_BUSY: it is frozen.
 */
int session_door_receive(struct ask *x, struct session_door *out, struct err *e);

/*
 * session_door_order - start the program; never waits.
 * @child  child_none(); as door_exec() fills it: `ends` reports the end of the program.
 * Errors: those of door_check() and door_exec().
 */
int session_door_order(const struct session_door *d, const struct door_wish *wish,
		       struct child *child, struct err *e);

/* session_door_open - the two of them, waiting as client/client.h does. */
int session_door_open(const char *where, const char *name, struct session_door *out, struct err *e);

/* Safe on session_door_none(). */
void session_door_close(struct session_door *d);

#endif
