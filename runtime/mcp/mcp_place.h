/*
 * mcp_place - where the sessions of callers live: a supervisor, and on which terms.
 *
 * The user's supervisor serves if it has our image; otherwise there is one of our own
 * (client/supplier.h). If it ends, another is started when the next session begins.
 *
 * Runs: mcp. Needs: what a cold start needs, for a supervisor of our own.
 */
#ifndef GLOVEBOX_MCP_MCP_PLACE_H
#define GLOVEBOX_MCP_MCP_PLACE_H

#include "base/err.h"
#include "client/client.h"
#include "client/supplier.h"
#include "service/hub.h"
#include "spec/mcp_settings.h"
#include "spec/spec.h"

struct mcp_place {
	struct hub *hub; /* borrowed */
	struct mcp_options options;
	char *image;               /* owned; canonical */
	struct sandbox_spec terms; /* limits of a session */
	struct session_terms life; /* after which one ends by itself */
	struct supplier *supplier; /* borrowed */
};

/*
 * mcp_place_open - with `hub`, `options`, `image`, `terms` and `supplier` filled in; the supervisor
 * need not be ready yet. Call it while the process is small. Errors: no sandbox can be made here.
 */
int mcp_place_open(struct mcp_place *p, struct err *e);

/*
 * mcp_place_recover - after a session could not begin, have another supervisor if that may help: if
 * the user's does not fit, or ours has ended. 0: try again, once.
 */
int mcp_place_recover(struct mcp_place *p);

/* Replace *e by what a supervisor of our own said before it ended, if it did. */
void mcp_place_explain(const struct mcp_place *p, struct err *e);

/*
 * mcp_place_close - end a supervisor of our own, and free the rest; safe if it was never opened.
 * What takes longer than so many ms ends without us: then this process has nothing to do but exit.
 */
void mcp_place_close(struct mcp_place *p, unsigned wait_ms);

#endif
