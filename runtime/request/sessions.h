/*
 * sessions - /v1/sessions: begin, list, renew and end sessions.
 *
 * Sessions are in the supervisor, and their names prove the owner (tenant/handle.h): this server
 * keeps no table that could go stale. Another key's session, an invented one and one that has ended
 * get the same reply: 404.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_REQUEST_SESSIONS_H
#define GLOVEBOX_REQUEST_SESSIONS_H

#include <stdint.h>
#include <sys/queue.h>

#include "base/err.h"
#include "tenant/handle.h"

struct request;
struct permit;
struct session_work;

struct sessions {
	struct handle_secret secret;
	LIST_HEAD(, session_work) works; /* requests that work on a session, or wait to */
	LIST_HEAD(, permit) beginning;   /* of sessions that are beginning (request/permit.h) */
};

/* @path  the state directory. Errors: those of handle_secret_open(). */
int sessions_open(struct sessions *s, const char *path, struct err *e);

/*
 * sessions_go - of session_work_queue(), for work that begins a session: name it, if it has none
 * yet, and begin it if the key may have one more. The account of the work is open.
 */
void sessions_go(struct session_work *w);

/* Routes. */
void sessions_run_create(struct request *r);
void sessions_run_list(struct request *r);
void sessions_run_patch(struct request *r);
void sessions_run_delete(struct request *r);

#endif
