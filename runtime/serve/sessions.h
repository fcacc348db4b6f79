/*
 * sessions - /v1/sessions: those that a client begins, sees and ends.
 *
 * A session lives in the supervisor, not here, and its name says whose it is (serve/handle.h):
 * there is no table of them that could differ from what is true. Another's, an invented one and one
 * that has ended look the same: 404.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_SESSIONS_H
#define GLOVEBOX_SERVE_SESSIONS_H

#include <stdint.h>

#include "base/err.h"
#include "serve/handle.h"

struct request;
struct session_room;
struct session_work;

struct sessions {
	struct handle_secret secret;
	struct session_work *first; /* of all requests that are at work on one, or wait for that */
	struct session_room *beginning; /* those that do (serve/session_room.h) */
};

/* @path  of the state directory. Errors: those of handle_secret_open(). */
int sessions_open(struct sessions *s, const char *path, struct err *e);

/* The routes. */
void sessions_run_create(struct request *r);
void sessions_run_list(struct request *r);
void sessions_run_patch(struct request *r);
void sessions_run_delete(struct request *r);

#endif
