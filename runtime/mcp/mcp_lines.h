/*
 * mcp_lines - split a stream of bytes into lines: the framing of MCP over stdio.
 *
 * Runs: mcp. Needs: nothing.
 */
#ifndef GLOVEBOX_MCP_MCP_LINES_H
#define GLOVEBOX_MCP_MCP_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

struct mcp_lines {
	size_t most;      /* bytes of one line */
	struct buf part;  /* the incomplete line; free it with mcp_lines_fini() */
	bool is_too_long; /* the rest of the current line is dropped */
	/* called with a line without its newline */
	void (*take)(void *context, const char *line, size_t length);
	void (*too_long)(void *context);
	void *context;
};

/*
 * mcp_lines_add - split more bytes: call `take` for each line that they complete, `too_long` once
 * for each line of more than `most` bytes.
 */
void mcp_lines_add(struct mcp_lines *l, const char *bytes, size_t length);

/* Discard the incomplete line. */
void mcp_lines_fini(struct mcp_lines *l);

#endif
