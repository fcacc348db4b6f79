/*
 * mcp_backend - the backend of a connection: a supervisor, and the terms of sessions.
 *
 * The user's supervisor serves if it has our image; otherwise we start one of our own
 * (client/supplier.h). If a supervisor ends, another replaces it when the next session begins;
 * calls that begin a session meanwhile wait for the same replacement, and other calls go on.
 *
 * Runs: mcp. Needs: what a cold start needs, for a supervisor of our own.
 */
#ifndef GLOVEBOX_MCP_MCP_BACKEND_H
#define GLOVEBOX_MCP_MCP_BACKEND_H

#include <sys/queue.h>

#include "base/err.h"
#include "client/client.h"
#include "client/hub.h"
#include "client/resupply.h"
#include "flags/mcp_settings.h"
#include "session/places.h"
#include "spec/spec.h"

/* The wait of a call whose session could not begin; embed it in its owner. */
struct mcp_recovery {
	/*
	 * @is_another  retry. @why  why the recovery failed; NULL: report the session's error.
	 */
	void (*done)(void *context, bool is_another, const struct err *why);
	void *context;
	unsigned seen; /* value of `changes` when the session was to begin */
	LIST_ENTRY(mcp_recovery) link;
	bool is_waiting;
};

struct mcp_backend {
	struct hub *hub; /* borrowed */
	struct mcp_options options;
	char *image;                 /* owned; canonical */
	struct sandbox_spec terms;   /* limits of a session, and its network */
	const char *installed;       /* borrowed; names of packages; NULL: unknown */
	const struct places *places; /* borrowed; NULL: sessions have no directories of the user */
	struct session_terms life;   /* idle time and life of a session */
	struct supplier *supplier;   /* borrowed */
	struct resupply another;
	LIST_HEAD(mcp_recoveries, mcp_recovery) recoveries; /* waiting for a supervisor */
	struct mcp_recoveries told; /* being notified, one after the other */
	unsigned changes;           /* how often the supervisor was replaced */
};

/*
 * mcp_backend_open - with `hub`, `options`, `image`, `terms` and `supplier` filled in; the
 * supervisor need not be ready yet. Call it while the process is small. Errors: no sandbox can be
 * made here.
 */
int mcp_backend_open(struct mcp_backend *p, struct err *e);

/*
 * mcp_backend_recover - after a session could not begin, replace the supervisor if that may help:
 * if the user's does not fit, or ours is lost (client/resupply.h). If it is replaced already,
 * `done` is called at once, else in a later turn of the hub.
 */
void mcp_backend_recover(struct mcp_backend *p, struct mcp_recovery *x);

/* Cancel the wait. Safe if there is none. */
void mcp_backend_forget(struct mcp_backend *p, struct mcp_recovery *x);

/*
 * mcp_backend_close - end a supervisor of our own, and free the rest; safe if never opened. After
 * @wait_ms the supervisor ends by itself: then this process must do nothing but exit.
 */
void mcp_backend_close(struct mcp_backend *p, unsigned wait_ms);

#endif
