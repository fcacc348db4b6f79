/*
 * session_work - what a request does with a session: from its place among those that run to the
 * reply.
 *
 * If whoever asked leaves, what is under way is cancelled (service/notebook.h), and the rest goes
 * on by itself.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_SESSION_WORK_H
#define GLOVEBOX_SERVE_SESSION_WORK_H

#include "serve/account.h"
#include "serve/admission.h"
#include "serve/execute_stream.h"
#include "serve/handle.h"
#include "serve/http.h"
#include "serve/schema.h"
#include "serve/session_room.h"
#include "serve/staging.h"
#include "service/notebook.h"

struct session_work {
	struct request *request; /* NULL: whoever asked has left */
	struct server *server;
	struct key *key;         /* that of the request; held */
	char name[HANDLE_BYTES]; /* of the session */
	struct schema body;
	struct sandbox_spec terms;
	struct notebook_request ask;
	struct notebook_result result;
	/*
	 * It has been done, or has lost its session: reply. Returns true if that was all; otherwise
	 * something else has been started, and may be over already.
	 */
	bool (*answer)(struct session_work *w);
	struct buf out[2];            /* of a call */
	struct display_places places; /* of displays in the first */
	/*
	 * It has failed. Returns true if something else has been started in its place. NULL: then
	 * the error is the reply.
	 */
	bool (*again)(struct session_work *w);
	bool streams; /* ... whose output and result are sent as they come */
	struct execute_stream stream;
	struct account account;   /* of a call, or of a new one; otherwise it stays closed */
	struct staging staging;   /* of a new one */
	uint64_t begun;           /* of a new one: key->use.begun when they were counted */
	struct session_room room; /* of a new one, while it begins */
	char *path;               /* of a file; owned */
	int content;              /* its content, on our disk; owned; -1 */
	uint64_t content_bytes;
	struct file_store_hold held; /* for the content */
	bool has_failed;             /* to take the content: `e` */
	struct err e;
	/* session_work.c's own */
	struct notebook *notebook;
	struct ticket ticket;
	bool has_quota;
	void (*go)(struct session_work *w);
	struct session_work *next;
	struct session_work **at;
};

/* A new one, the request's own from now on. */
struct session_work *session_work_new(struct request *r, enum notebook_action action,
				      bool (*answer)(struct session_work *w));

/* Free it: the request has been answered, or nobody waits for that. */
void session_work_free(struct session_work *w);

/* Is the session that the path names one of theirs? If not, that is the reply. */
bool session_work_is_theirs(struct session_work *w);

/* Read the body, and say what is wrong with it; false: that is the reply. */
void session_work_read(struct session_work *w);
bool session_work_is_right(struct session_work *w);

/*
 * Interrupt the call that runs in this session for a request of this server. Returns whether there
 * is one.
 */
bool session_work_interrupt(const struct server *server, const char *name);

/* Do it now. It ends by itself. */
void session_work_start(struct session_work *w);

/*
 * The same when there is a place for it (serve/capacity.h).
 * @is_run  a call or a new session, which counts in its key's "concurrency".
 * @go      what to do then: session_work_start(), or something that leads to it.
 */
void session_work_queue(struct session_work *w, bool is_run, void (*go)(struct session_work *w));

/* The reply for an error of what was asked. */
void session_work_refuse(struct session_work *w, const struct err *e);

#endif
