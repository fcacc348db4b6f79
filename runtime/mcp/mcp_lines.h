/*
 * mcp_lines - bytes as they come, made lines of: the framing of MCP over stdio.
 *
 * Runs: mcp. Needs: nothing.
 */
#ifndef GLOVEBOX_MCP_MCP_LINES_H
#define GLOVEBOX_MCP_MCP_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

struct mcp_lines {
	size_t most;      /* bytes of a line */
	struct buf part;  /* what has come of the present one; mcp_lines_fini() */
	bool is_too_long; /* the rest of the present one is dropped */
	void (*take)(void *context, const char *line, size_t length); /* without its end */
	void (*too_long)(void *context);
	void *context;
};

/*
 * mcp_lines_add - more bytes: `take` is called for each line that is complete by them, `too_long`
 * once for each that is longer than `most`.
 */
void mcp_lines_add(struct mcp_lines *l, const char *bytes, size_t length);

/* Forget what has come. */
void mcp_lines_fini(struct mcp_lines *l);

#endif
