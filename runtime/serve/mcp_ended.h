/*
 * mcp_ended - why the newest ids of clients have ended, until these clients hear of it.
 *
 * A client hears of its end in two steps: a message with its id is answered 404, and then it
 * initializes anew, without the old id. The reason waits for the second step with the key: the next
 * client of the key that initializes after a 404 is taken for the one that had it.
 *
 * No side effects. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_MCP_ENDED_H
#define GLOVEBOX_SERVE_MCP_ENDED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/encode.h"
#include "serve/handle.h"

#define MCP_ENDED_MOST 64 /* then the oldest is forgotten */

struct mcp_ended {
	struct mcp_ended_id {
		char id[HANDLE_BYTES];
		char key_id[DIGEST_HEX];
		const char *why; /* NULL: this place is free */
		bool is_told;    /* by a 404 */
	} items[MCP_ENDED_MOST];
	size_t next;
};

/* mcp_ended_add - remember an id. @why  static. */
void mcp_ended_add(struct mcp_ended *m, const char *id, const char *key_id, const char *why);

/* mcp_ended_tell - the id was used, and is answered 404. Returns why it has ended; NULL: unknown.
 */
const char *mcp_ended_tell(struct mcp_ended *m, const char *id);

/* mcp_ended_take - why an id of this key has ended that was told so, once; NULL: there is none. */
const char *mcp_ended_take(struct mcp_ended *m, const char *key_id);

#endif
