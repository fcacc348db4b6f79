/*
 * mcp_outcome - what an execution has shown, each part within the bounds of one result.
 *
 * All of it comes from foreign code: texts are filtered as a terminal would show them
 * (base/terminal_text.h), and cut; pictures are checked (mcp_images.h).
 *
 * Runs: mcp. Needs: nothing.
 */
#ifndef GLOVEBOX_MCP_MCP_OUTCOME_H
#define GLOVEBOX_MCP_MCP_OUTCOME_H

#include <stdbool.h>

#include "mcp/mcp_call.h"
#include "mcp/mcp_images.h"

struct mcp_outcome {
	const struct mcp_call *call; /* its `out` is what was printed, and is cut, too */
	const struct call_result *result;
	struct buf display;                /* the texts of all displays */
	size_t display_count;              /* as many have a place, or a picture */
	size_t display_ends[DISPLAYS_MAX]; /* of each in `display` */
	struct buf value;
	struct buf traceback;
	struct mcp_images images;
	bool is_cut[2]; /* output */
	bool is_cut_else;
	bool is_lost; /* the session */
};

/* mcp_outcome_open - @c  has been done, or has lost its session. End it with mcp_outcome_close().
 */
void mcp_outcome_open(struct mcp_outcome *o, struct mcp_call *c);
void mcp_outcome_close(struct mcp_outcome *o);

/* Whether a client is to take it for an error. */
bool mcp_outcome_is_error(const struct mcp_outcome *o);

#endif
