/*
 * run_call - run code in a session, and notify a watcher meanwhile.
 *
 * Runs: the agent. The answer is hostile (client/session.h).
 */
#ifndef GLOVEBOX_AGENT_RUN_CALL_H
#define GLOVEBOX_AGENT_RUN_CALL_H

#include "client/display_marks.h"
#include "client/session.h"

/*
 * Notified a few times a second while code runs, to update a status line; of output; and, before
 * the code runs, of notes about its session.
 */
struct run_watcher {
	void (*note)(void *context, const char *line); /* each may be NULL */
	void (*begin)(void *context);                  /* the session is ready */
	void (*tick)(void *context);
	void (*output)(void *context, int stream, const char *bytes, size_t length);
	void *context;
};

/*
 * run_call - session_ask() with the operation "run"; *call has the outcome.
 * @output  stdout and stderr are added to these.
 * @places  of displays in stdout: set its `text`.
 */
void run_call(struct session *session, const char *code, struct session_call *call,
	      struct buf output[2], struct display_places *places,
	      const struct run_watcher *watcher);

#endif
