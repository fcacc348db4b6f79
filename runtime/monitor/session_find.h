/*
 * session_find - the sandbox that a word of the command line names: one that stays, or a session,
 * whose door the client goes through itself (client/session_door.h).
 *
 * Runs: client. Needs: nothing.
 */
#ifndef GLOVEBOX_MONITOR_SESSION_FIND_H
#define GLOVEBOX_MONITOR_SESSION_FIND_H

#include "record/record.h"

/*
 * session_find - record_find(), or the user's session of that name, if no sandbox of it runs.
 * @out  a stand-in for a record, if it is a session: only its name is known.
 */
int session_find(const char *word, struct record *out, struct err *e);

/* Whether one of the user's sessions has the name. */
bool session_find_has(const char *name);

#endif
