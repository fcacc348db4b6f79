/*
 * notebook_wait - do one thing with a session, and wait for its end.
 *
 * Runs: client, agent. Needs: as service/notebook.h.
 */
#ifndef GLOVEBOX_SERVICE_NOTEBOOK_WAIT_H
#define GLOVEBOX_SERVICE_NOTEBOOK_WAIT_H

#include "service/notebook.h"

#define NOTEBOOK_TICK_US  100000
#define NOTEBOOK_WAITS_US 1000000

/* The callbacks and signals of a wait. */
struct notebook_wait {
	/* A signalfd, non-blocking, borrowed: each signal but SIGWINCH cancels the operation. -1 */
	int signal_fd;
	/*
	 * Block the signals that end a command (base/process.h) once the session is borrowed, and
	 * let them cancel: a client that dies while it has the session disturbs it.
	 */
	bool catches_signals;
	void (*tick)(void *context); /* about each NOTEBOOK_TICK_US; NULL */
	/* As in struct notebook_request; NULL. */
	void (*begun)(void *context);
	void (*answered)(void *context);
	void *context; /* of all of these */
	/* The session has not been lent for NOTEBOOK_WAITS_US: called once with its name; NULL. */
	void (*waits)(const char *name);
};

/*
 * notebook_wait - start an operation and wait until it is done.
 *
 * @request  as for notebook_start(); its `begun` and `answered` are those of @wait.
 * @result   always end it with notebook_result_fini().
 * Returns 0, or -1 with *e, which is result->error if the operation began.
 */
int notebook_wait(const struct notebook_request *request, const struct notebook_wait *wait,
		  struct notebook_result *result, struct err *e);

/*
 * notebook_wait_begin - start a session of ours.
 *
 * @where, @spec, @published, @own  as in struct notebook_request.
 */
int notebook_wait_begin(const char *where, const struct sandbox_spec *spec, struct buf *published,
			struct session *own, struct err *e);

#endif
