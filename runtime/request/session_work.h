/*
 * session_work - one request that works on a session: from its place to its reply.
 *
 * If the client disconnects, the operation is cancelled (service/notebook.h), and the work ends by
 * itself.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_REQUEST_SESSION_WORK_H
#define GLOVEBOX_REQUEST_SESSION_WORK_H

#include <sys/queue.h>

#include "request/execute_stream.h"
#include "request/permit.h"
#include "request/schema.h"
#include "request/staging.h"
#include "service/notebook.h"
#include "tenant/handle.h"
#include "web/http.h"

struct session_work {
	struct request *request; /* NULL: the client disconnected */
	struct server *server;
	struct key *key;         /* the request's key; the permit holds it */
	char name[HANDLE_BYTES]; /* of the session */
	struct schema body;
	struct sandbox_spec terms;
	struct notebook_request ask;
	struct notebook_result result;
	/*
	 * Reply: the operation is done, or has lost its session. Returns true if the work is over;
	 * false: it has started another operation, which may be over already.
	 */
	bool (*answer)(struct session_work *w);
	struct buf out[2];            /* output of a call */
	struct display_places places; /* places of displays in stdout */
	/* Reply to an error of the operation; NULL: as serve's own routes do. */
	void (*refuse)(struct session_work *w, const struct err *e);
	/*
	 * The operation failed. Returns true if another one was started in its place. NULL: reply
	 * with the error.
	 */
	bool (*again)(struct session_work *w);
	bool streams; /* send output and result as they come */
	struct execute_stream stream;
	struct permit permit;   /* with the account of a call or a new session */
	struct staging staging; /* of a new session */
	struct buf env;         /* owned; JSON, of a call */
	char context[12];       /* of a call */
	struct buf source;      /* owned; of a call, where it is not the client's own text */
	char *path;             /* owned; of a file */
	char *to;               /* owned; its new one */
	uint64_t carried_ms;    /* of a face: from one operation to the next */
	int content;            /* owned; a file's content, on our disk; -1 */
	uint64_t content_bytes;
	struct file_store_hold held; /* charge for the content */
	bool has_failed;             /* receiving the content failed: see `e` */
	struct err e;
	void *more; /* owned; of the face; NULL */
	void (*free_more)(void *more);
	/* private to session_work.c */
	struct notebook *notebook;
	void (*go)(struct session_work *w);
	LIST_ENTRY(session_work) link; /* of sessions.works, if it is_listed */
	bool is_listed;
};

/*
 * Create the work of a request, which owns it from now on. @name  of the session; the other one
 * takes it from the path.
 */
struct session_work *session_work_named(struct request *r, const char *name,
					enum notebook_action action,
					bool (*answer)(struct session_work *w));
struct session_work *session_work_new(struct request *r, enum notebook_action action,
				      bool (*answer)(struct session_work *w));

/*
 * session_work_defer  - keep the request's body, which its route's return would drop: this work is
 *                       done first.
 * session_work_resume - the request has its body again, and the work that it had before; NULL:
 *                       none. This one is to be freed.
 */
void session_work_defer(struct session_work *w);
void session_work_resume(struct session_work *w, struct session_work *before);

/* Free it: the request has been answered, or its client is gone. */
void session_work_free(struct session_work *w);

/* Whether the path names a session of this key; false: refused and answered. */
bool session_work_is_theirs(struct session_work *w);

/* Parse the body; session_work_is_right(): report its errors; false: refused and answered. */
void session_work_read(struct session_work *w);
bool session_work_is_right(struct session_work *w);

/*
 * Interrupt the call that a request of this server runs in the session. Returns whether there is
 * one.
 */
bool session_work_interrupt(const struct server *server, const char *name);

/* A call's output goes to `out`, or with `streams` to the client as it comes. */
void session_work_plan_output(struct session_work *w);

/* Start the operation at once. The work ends by itself. */
void session_work_start(struct session_work *w);

/*
 * session_work_queue - wait for a place (request/permit.h), then start. Open the account of a call
 * or a new session before.
 * @go  called with the place: session_work_start(), or a step towards it.
 */
void session_work_queue(struct session_work *w, void (*go)(struct session_work *w));

/* Reply to an error of the operation. */
void session_work_refuse(struct session_work *w, const struct err *e);

#endif
