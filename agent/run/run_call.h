/*
 * run_call - have a session run code, and be told meanwhile that time passes.
 *
 * Runs: the agent. The answer is hostile (client/session.h).
 */
#ifndef GLOVEBOX_AGENT_RUN_CALL_H
#define GLOVEBOX_AGENT_RUN_CALL_H

#include "client/display_marks.h"
#include "client/session.h"

/*
 * Told a few times a second while code runs, so that a status line can move; what it prints; and,
 * before it runs, what there is to say about its session.
 */
struct run_watcher {
	void (*note)(void *context, const char *line); /* NULL, as the others: nobody is told */
	void (*begin)(void *context);                  /* the session is there */
	void (*tick)(void *context);
	void (*output)(void *context, int stream, const char *bytes, size_t length);
	void *context;
};

/*
 * run_call - as session_ask() with the operation "run"; how it ended is in *call.
 * @output  stdout and stderr are added to these.
 * @places  of displays in stdout: its `text`.
 */
void run_call(struct session *session, const char *code, struct session_call *call,
	      struct buf output[2], struct display_places *places,
	      const struct run_watcher *watcher);

#endif
