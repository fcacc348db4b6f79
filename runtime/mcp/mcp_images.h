/*
 * mcp_images - the pictures of an answer: figures, displays and the last value.
 *
 * Foreign code writes the answer: data that do not match their declared kind are left out.
 *
 * Runs: mcp. Needs: nothing.
 */
#ifndef GLOVEBOX_MCP_MCP_IMAGES_H
#define GLOVEBOX_MCP_MCP_IMAGES_H

#include <stdint.h>

#include "base/buf.h"
#include "base/json.h"

#define MCP_IMAGES_MOST 16
#define MCP_IMAGE_LAST  SIZE_MAX

struct mcp_images {
	struct {
		const char *type;  /* static */
		struct buf base64; /* valid, without line ends */
		size_t display;    /* the number of its display; MCP_IMAGE_LAST: a figure */
	} items[MCP_IMAGES_MOST];
	size_t count;
	size_t left_out; /* count of pictures that are too many or too large */
};

/*
 * mcp_images_read - @answer  from the interpreter (session/call_result.h); NULL: it gave none.
 * @most  bytes of Base64 in total. End it with mcp_images_fini().
 */
void mcp_images_read(struct mcp_images *m, const struct json *answer, size_t most);

/* mcp_images_fini - free what is in *m. */
void mcp_images_fini(struct mcp_images *m);

#endif
