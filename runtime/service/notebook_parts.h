/*
 * notebook_parts - one operation on a session, shared by the files of notebook only.
 *
 * An operation is a chain of smaller ones, one driven at a time; each part starts the next, and
 * ends with notebook_finish() or notebook_fail().
 *
 * Runs: client, serve, mcp. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVICE_NOTEBOOK_PARTS_H
#define GLOVEBOX_SERVICE_NOTEBOOK_PARTS_H

#include "service/notebook.h"
#include "session/call.h"
#include "session/checkpointing.h"
#include "session/freezing.h"
#include "session/opening.h"

struct notebook {
	struct hub *hub;
	struct notebook_request request;
	struct notebook_result *result;
	void (*done)(void *context);
	void *context;
	/* the part under way; at most one of these */
	struct hub_operation operation;
	struct ask *ask;
	struct opening *opening;
	struct call *call;
	struct checkpointing *checkpointing;
	struct freezing *freezing;
	struct files *files;
	/* sent with the question, closed at its end */
	int fds[CLIENT_KEEP_FDS];
	bool is_interrupted;     /* by notebook_interrupt() */
	bool can_vanish;         /* the question may be abandoned: its answer changes nothing */
	struct session lent;     /* by the supervisor, or new */
	struct session *session; /* that one, or the caller's own */
	bool has_session;        /* `lent` is one */
	bool is_kept;            /* the supervisor keeps the session: it ends without us */
	int connection;
	enum borrow_use use;
	struct buf members; /* of the request to its interpreter */
	struct sandbox_spec spec;
	size_t file; /* index of the next file to put */
};

/* The result is complete, or failed. `done` is called, and may free the operation. */
void notebook_finish(struct notebook *n);
void notebook_fail(struct notebook *n, const struct err *e);

/* Drive an operation; @over is called with the notebook as its context. Errors: ERR_SYSTEM. */
int notebook_drive(struct notebook *n, bool (*step)(void *operation), void *operation,
		   struct loop *loop, void (*over)(void *context), struct err *e);

/* Drive a question; takes ownership of @ask. */
int notebook_ask(struct notebook *n, struct ask *ask, void (*over)(void *context), struct err *e);

/* End a question that is over, and return its error; the answer's content is ignored. */
int notebook_end_ask(struct notebook *n, struct err *e);

/* Drive an operation on files (workspace/files.h). */
int notebook_reach(struct notebook *n, const struct files_request *request,
		   void (*over)(void *context), struct err *e);

/* Set *e to "cancelled". Returns -1. */
int notebook_is_cancelled(struct notebook *n, struct err *e);

/* notebook_begin.c, notebook_use.c: start them. On error nothing is under way. */
int notebook_begin(struct notebook *n, struct err *e);
int notebook_use(struct notebook *n, struct err *e);

/* notebook_call.c: compose the request to the interpreter. Errors: ERR_INPUT. */
int notebook_compose(struct notebook *n, struct err *e);

#endif
