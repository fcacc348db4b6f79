/*
 * turn - make one call of the prompt's session, while the user watches.
 *
 * Runs: client. Needs: nothing.
 */
#ifndef GLOVEBOX_REPL_TURN_H
#define GLOVEBOX_REPL_TURN_H

#include <stdbool.h>

#include "base/buf.h"
#include "service/notebook.h"
#include "service/place.h"

struct turn {
	/* The caller sets its bounds and sinks (`call`). */
	struct notebook_request request;
	int signal_fd;                 /* borrowed */
	struct notebook_result result; /* turn_fini() */
	char *untaken;                 /* a typed line that the code did not read; owned; NULL */
	int stopped_by;                /* the signal that came before the request was sent; 0 */
	int ended_by;                  /* the signal that asked us to exit; 0 */
};

/*
 * turn_make - make one call.
 *
 * @members  of the request, without "id" and braces.
 * @reads    typed text becomes the code's standard input. Without it the call does not wait for a
 *           busy session.
 * Ctrl-C interrupts the code, once: if that fails, the session is lost after 2 s. After other
 * signals, which ask us to exit, the code continues without us; also after SIGINT without a
 * terminal.
 * Errors: the session does not exist, is busy, or was lost: call.lost; or its code continues:
 * call.left.
 */
int turn_make(struct turn *t, struct place *place, const struct buf *members, bool reads,
	      struct err *e);
void turn_fini(struct turn *t);

#endif
