/*
 * mcp_listing - the files of a session at a moment, and which are new since another.
 *
 * A file is known by its path, its size and the second in which it was changed.
 *
 * Runs: mcp. Needs: nothing.
 */
#ifndef GLOVEBOX_MCP_MCP_LISTING_H
#define GLOVEBOX_MCP_MCP_LISTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct mcp_file {
	char *path;
	uint64_t size;
	uint64_t mtime;
	bool is_new;
};

struct mcp_listing {
	struct mcp_file *files; /* sorted by their paths */
	size_t count;
};

/*
 * mcp_listing_read - replace *l by what a listing (client/files_work.h) has, and mark in it what
 * was not there before, or was another. Only regular files count, with names in UTF-8.
 */
void mcp_listing_read(struct mcp_listing *l, const struct buf *json);

/* The next new one behind `after` (NULL: the first); NULL: no more. */
const struct mcp_file *mcp_listing_next_new(const struct mcp_listing *l,
					    const struct mcp_file *after);

/* Free what is in it: no files. */
void mcp_listing_fini(struct mcp_listing *l);

#endif
