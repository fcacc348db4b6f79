/*
 * notebook_parts - one operation on a session, as the files of notebook see it, and nobody else.
 *
 * It is a chain of smaller operations, one driven at a time; each part begins the next, and ends
 * with notebook_finish() or notebook_fail().
 *
 * Runs: serve, mcp. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVICE_NOTEBOOK_PARTS_H
#define GLOVEBOX_SERVICE_NOTEBOOK_PARTS_H

#include "client/call.h"
#include "client/checkpointing.h"
#include "client/freezing.h"
#include "client/opening.h"
#include "service/notebook.h"

struct notebook {
	struct hub *hub;
	struct notebook_request request;
	struct notebook_result *result;
	void (*done)(void *context);
	void *context;
	/* what is under way; at most one of them */
	struct hub_operation operation;
	struct ask *ask;
	struct opening *opening;
	struct call *call;
	struct checkpointing *checkpointing;
	struct freezing *freezing;
	struct files *files;
	/* of the question, until its end */
	int fds[CLIENT_KEEP_FDS];
	bool is_interrupted; /* by notebook_interrupt() */
	bool can_vanish;     /* a question that nobody minds if we do not wait for its answer */
	/* the session */
	struct session session;
	bool has_session;
	bool is_kept; /* the supervisor has it: it ends without us */
	int connection;
	enum borrow_use use;
	struct buf members; /* of the request to its interpreter */
	/* begin */
	struct sandbox_spec spec;
	size_t file; /* that goes in */
};

/* The result is complete; or there is none. `done` is called, and may free it. */
void notebook_finish(struct notebook *n);
void notebook_fail(struct notebook *n, const struct err *e);

/* Drive an operation; @over with the notebook as its context. Errors: ERR_SYSTEM. */
int notebook_drive(struct notebook *n, bool (*step)(void *operation), void *operation,
		   struct loop *loop, void (*over)(void *context), struct err *e);

/* Drive a question, which is owned from now on. */
int notebook_ask(struct notebook *n, struct ask *ask, void (*over)(void *context), struct err *e);

/* Its answer, once it is over: nothing of it is looked at. */
int notebook_end_ask(struct notebook *n, struct err *e);

/* Drive files.h. */
int notebook_reach(struct notebook *n, const struct files_request *request,
		   void (*over)(void *context), struct err *e);

/* Nobody wants it any more: *e for that. Returns -1. */
int notebook_is_cancelled(struct notebook *n, struct err *e);

/* notebook_begin.c, notebook_use.c: start them. On error nothing is under way. */
int notebook_begin(struct notebook *n, struct err *e);
int notebook_use(struct notebook *n, struct err *e);

/* notebook_call.c: the request to the interpreter. Errors: ERR_INPUT. */
int notebook_compose(struct notebook *n, struct err *e);

#endif
