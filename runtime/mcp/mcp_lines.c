/*
 * mcp_lines - split a stream of bytes into lines: the framing of MCP over stdio.
 */
#include "mcp/mcp_lines.h"

#include <string.h>

#define KEPT (1u << 20) /* memory of a line that is kept for the next one */

static void mcp_lines_add_part(struct mcp_lines *l, const char *bytes, size_t length)
{
	if (l->is_too_long)
		return;
	if (length > l->most - l->part.length) {
		l->is_too_long = true;
		buf_fini(&l->part);
		l->too_long(l->context);
		return;
	}
	buf_add(&l->part, bytes, length);
}

static void mcp_lines_end(struct mcp_lines *l)
{
	if (!l->is_too_long)
		l->take(l->context, buf_string(&l->part), l->part.length);
	l->is_too_long = false;
	if (l->part.capacity > KEPT)
		buf_fini(&l->part);
	else
		buf_cut(&l->part, 0);
}

void mcp_lines_add(struct mcp_lines *l, const char *bytes, size_t length)
{
	const char *end = bytes + length;

	while (bytes < end) {
		const char *newline = memchr(bytes, '\n', (size_t)(end - bytes));

		mcp_lines_add_part(l, bytes, (size_t)((newline ? newline : end) - bytes));
		if (newline)
			mcp_lines_end(l);
		bytes = newline ? newline + 1 : end;
	}
}

void mcp_lines_fini(struct mcp_lines *l)
{
	buf_fini(&l->part);
	l->is_too_long = false;
}
