/*
 * mcp_place - where the sessions of callers live: a supervisor, and on which terms.
 *
 * The user's supervisor serves if it has our image; otherwise there is one of our own
 * (client/supplier.h). If it ends, another takes its place when the next session begins; whoever
 * begins one meanwhile waits for the same, and everybody else is served.
 *
 * Runs: mcp. Needs: what a cold start needs, for a supervisor of our own.
 */
#ifndef GLOVEBOX_MCP_MCP_PLACE_H
#define GLOVEBOX_MCP_MCP_PLACE_H

#include "base/err.h"
#include "client/client.h"
#include "client/hub.h"
#include "client/places.h"
#include "client/resupply.h"
#include "spec/mcp_settings.h"
#include "spec/spec.h"

/* A session could not begin; embed it in its owner. */
struct mcp_recovery {
	/* @is_another  try again. @why  it could not begin; NULL: what it was told is all. */
	void (*done)(void *context, bool is_another, const struct err *why);
	void *context;
	unsigned seen; /* `changes`, as it was when the session was to begin */
	struct mcp_recovery *next;
	struct mcp_recovery **at; /* NULL: it does not wait */
};

struct mcp_place {
	struct hub *hub; /* borrowed */
	struct mcp_options options;
	char *image;                 /* owned; canonical */
	struct sandbox_spec terms;   /* limits of a session, and its network */
	const char *installed;       /* borrowed; packages, in words; NULL: they are not known */
	const struct places *places; /* borrowed; NULL: it has no directory of the user's */
	struct session_terms life;   /* after which one ends by itself */
	struct supplier *supplier;   /* borrowed */
	struct resupply another;
	struct mcp_recovery *recoveries; /* that wait for it */
	struct mcp_recovery *told; /* that are told what has come of it, one after the other */
	unsigned changes;          /* how often there was another */
};

/*
 * mcp_place_open - with `hub`, `options`, `image`, `terms` and `supplier` filled in; the supervisor
 * need not be ready yet. Call it while the process is small. Errors: no sandbox can be made here.
 */
int mcp_place_open(struct mcp_place *p, struct err *e);

/*
 * mcp_place_recover - after a session could not begin, have another supervisor if that may help: if
 * the user's does not fit, or ours is lost (client/resupply.h). `done` is called at once, if there
 * is another by now, or in a later turn of the hub.
 */
void mcp_place_recover(struct mcp_place *p, struct mcp_recovery *x);

/* Nobody waits for it any more. Safe if nobody does. */
void mcp_place_forget(struct mcp_place *p, struct mcp_recovery *x);

/*
 * mcp_place_close - end a supervisor of our own, and free the rest; safe if it was never opened.
 * What takes longer than so many ms ends without us: then this process has nothing to do but exit.
 */
void mcp_place_close(struct mcp_place *p, unsigned wait_ms);

#endif
