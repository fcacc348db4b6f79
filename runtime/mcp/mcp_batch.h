/*
 * mcp_batch - the answers to messages that came together, which go out together.
 *
 * Runs: mcp. Needs: nothing.
 */
#ifndef GLOVEBOX_MCP_MCP_BATCH_H
#define GLOVEBOX_MCP_MCP_BATCH_H

#include "mcp/mcp_request.h"

struct mcp_batch;

/* Nobody has entered it yet. */
struct mcp_batch *mcp_batch_new(const struct mcp_sink *sink);

/* One more who may add an answer; returns it. Safe on NULL. */
struct mcp_batch *mcp_batch_enter(struct mcp_batch *b);

/* One less: the last one sends what there is, and it is gone. Safe on NULL. */
void mcp_batch_leave(struct mcp_batch *b);

/* An answer, which is a whole object. */
void mcp_batch_add(struct mcp_batch *b, const struct buf *answer);

/* The answers go to another sink. Safe on NULL. */
void mcp_batch_redirect(struct mcp_batch *b, const struct mcp_sink *sink);

#endif
