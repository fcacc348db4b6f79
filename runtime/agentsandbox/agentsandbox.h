/*
 * agentsandbox - the runtime API of agent-sandbox: commands and files of the sandbox that a
 * request's headers name, and which begins with its first request.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_AGENTSANDBOX_AGENTSANDBOX_H
#define GLOVEBOX_AGENTSANDBOX_AGENTSANDBOX_H

#include "web/http.h"

extern const struct route agentsandbox_routes[]; /* end with a null method */

/* {"code", "message", "detail"}: each client reads one of them. */
void agentsandbox_explain(unsigned status, const char *text, size_t length, struct buf *body);

#endif
