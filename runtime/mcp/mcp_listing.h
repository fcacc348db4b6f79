/*
 * mcp_listing - the files of a session at one time, and which of them are new.
 *
 * A path with another size or another second of change counts as new.
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
	struct mcp_file *files; /* sorted by path */
	size_t count;
};

/*
 * mcp_listing_read - replace *l by the entries of a listing (client/files_work.h), and mark those
 * that are new or changed. Only regular files with UTF-8 names count.
 */
void mcp_listing_read(struct mcp_listing *l, const struct buf *json);

/* Return the next new file behind `after` (NULL: the first); NULL at the end. */
const struct mcp_file *mcp_listing_next_new(const struct mcp_listing *l,
					    const struct mcp_file *after);

/* Empty the listing. */
void mcp_listing_fini(struct mcp_listing *l);

#endif
