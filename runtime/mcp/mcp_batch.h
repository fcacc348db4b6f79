/*
 * mcp_batch - the answers to the messages of one batch, sent together.
 *
 * Runs: mcp. Needs: nothing.
 */
#ifndef GLOVEBOX_MCP_MCP_BATCH_H
#define GLOVEBOX_MCP_MCP_BATCH_H

#include "mcp/mcp_request.h"

struct mcp_batch;

/* A new batch counts no members. */
struct mcp_batch *mcp_batch_new(const struct mcp_sink *sink);

/* Add a member, which may add an answer; returns the batch. Safe on NULL. */
struct mcp_batch *mcp_batch_enter(struct mcp_batch *b);

/* Remove a member: the last one sends the answers and frees the batch. Safe on NULL. */
void mcp_batch_leave(struct mcp_batch *b);

/* @answer  a whole object. */
void mcp_batch_add(struct mcp_batch *b, const struct buf *answer);

/* Send the answers to another sink. Safe on NULL. */
void mcp_batch_redirect(struct mcp_batch *b, const struct mcp_sink *sink);

#endif
