/*
 * turn - one call of the prompt's session, while a person looks on.
 *
 * Runs: client. Needs: nothing.
 */
#ifndef GLOVEBOX_REPL_TURN_H
#define GLOVEBOX_REPL_TURN_H

#include <stdbool.h>

#include "base/buf.h"
#include "client/call_result.h"
#include "repl/place.h"

struct turn {
	struct session_call call;  /* its parameters are the caller's */
	struct call_result result; /* turn_fini() */
	char *untaken;             /* a line that was typed and not taken; owned; NULL */
	int stopped_by;            /* the signal for which nothing was asked; 0 */
	int ended_by;              /* the signal that asked us to end; 0 */
};

/*
 * turn_make - make one call.
 *
 * @members  of the request, without "id" and braces.
 * @reads    what is typed meanwhile is the code's standard input. Without it nobody waits for a
 *           session that is busy.
 * Ctrl-C interrupts the code, once: what cannot be interrupted is lost after 2 s. After the other
 * signals, which ask us to end, it goes on without us; so it does after SIGINT where nobody types.
 * Errors: there is no session, it is busy, or it was lost: call.lost; or its code goes on:
 * call.left.
 */
int turn_make(struct turn *t, struct place *place, const struct buf *members, bool reads,
	      struct err *e);
void turn_fini(struct turn *t);

#endif
