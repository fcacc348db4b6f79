/*
 * watching - what changes in a directory of a session, told as it happens: an operation on a hub.
 *
 * Mover watches (runtime/mover/watch.c), as one further program of the session, with its rights. It
 * goes on until the directory is gone, changes are lost because the client was held for too long,
 * the session ends, or it is freed.
 *
 * Runs: serve. Needs: as session/further.h.
 */
#ifndef GLOVEBOX_SERVICE_WATCHING_H
#define GLOVEBOX_SERVICE_WATCHING_H

#include <stdbool.h>

#include "base/err.h"
#include "client/hub.h"
#include "workspace/mover_told.h"

struct watching_request {
	const char *where; /* the supervisor (wire/runtime_dir.h); borrowed until the end */
	const char *name;  /* of the session; borrowed */
	const char *path;  /* of the directory, absolute; borrowed */
	bool is_deep;      /* also what is below it */

	/* The first is FILES_WATCHED: what is changed from then on is told. It must not free it. */
	void (*take)(void *context, const struct change *change);
	/*
	 * It is over. @no_session: the session has ended, never was, or is frozen (ERR_BUSY).
	 * Not called once it is freed.
	 */
	void (*ended)(void *context, const struct err *why, bool no_session);
};

struct watching;

/* watching_start - begin. Errors: ERR_SYSTEM. @context: of both functions. */
int watching_start(struct hub *hub, const struct watching_request *request, void *context,
		   struct watching **out, struct err *e);

/* Take nothing until it is released. */
void watching_hold(struct watching *w, bool held);

/* Safe on NULL. */
void watching_free(struct watching *w);

#endif
