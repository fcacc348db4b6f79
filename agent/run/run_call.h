/*
 * run_call - run code in a session, and notify a watcher meanwhile.
 *
 * Runs: the agent. The answer is hostile (session/call.h).
 */
#ifndef GLOVEBOX_AGENT_RUN_CALL_H
#define GLOVEBOX_AGENT_RUN_CALL_H

#include "service/notebook.h"
#include "session/display_marks.h"

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

struct run_bounds {
	uint64_t timeout_ms;
	uint64_t output_max; /* bytes of each stream */
	size_t answer_max;   /* bytes */
	int signal_fd;       /* as in struct notebook_wait */
};

/*
 * run_call - run code; result->call and ->outcome say what became of it.
 * @session  the agent's own.
 * @output   stdout and stderr are added to these.
 * @places   of displays in stdout: set its `text`.
 * @result   notebook_result_fini()
 */
void run_call(struct session *session, const char *code, const struct run_bounds *bounds,
	      struct buf output[2], struct display_places *places,
	      const struct run_watcher *watcher, struct notebook_result *result);

#endif
