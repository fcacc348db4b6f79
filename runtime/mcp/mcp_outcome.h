/*
 * mcp_outcome - the output of an execution, each part cut to its share of a result.
 *
 * Foreign code writes all of it: texts are filtered for a terminal (base/terminal_text.h) and cut;
 * pictures are checked (mcp_images.h).
 *
 * Runs: mcp. Needs: nothing.
 */
#ifndef GLOVEBOX_MCP_MCP_OUTCOME_H
#define GLOVEBOX_MCP_MCP_OUTCOME_H

#include <stdbool.h>

#include "mcp/mcp_call.h"
#include "mcp/mcp_images.h"

struct mcp_outcome {
	const struct mcp_call *call; /* its `out`, the program's output, is cut as well */
	const struct call_result *result;
	struct buf display;   /* the texts of all displays, joined */
	size_t display_count; /* displays with a place in the output, or with a picture */
	size_t display_ends[DISPLAYS_MAX]; /* end of each display in `display` */
	struct buf value;
	struct buf traceback;
	struct mcp_images images;
	bool is_cut[2]; /* stdout, stderr */
	bool is_cut_else;
	bool is_lost; /* the call has lost its session */
};

/* mcp_outcome_open - @c  is done, or has lost its session. End it with mcp_outcome_close(). */
void mcp_outcome_open(struct mcp_outcome *o, struct mcp_call *c);
void mcp_outcome_close(struct mcp_outcome *o);

/* Whether the result carries isError. */
bool mcp_outcome_is_error(const struct mcp_outcome *o);

#endif
