/*
 * mcp_images - the pictures of an answer: figures, and what display() and the last value show.
 *
 * The answer is a stranger's: what is not a picture of the kind that it says is left out.
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
		struct buf base64; /* checked, and without line ends */
		size_t display;    /* which of the displays it is of; MCP_IMAGE_LAST: of none */
	} items[MCP_IMAGES_MOST];
	size_t count;
	size_t left_out; /* too many, or too large */
};

/*
 * mcp_images_read - @answer  of the interpreter (client/call_result.h); NULL: none.
 * @most  bytes of Base64, all in all. End it with mcp_images_fini().
 */
void mcp_images_read(struct mcp_images *m, const struct json *answer, size_t most);

/* Free them. */
void mcp_images_fini(struct mcp_images *m);

#endif
