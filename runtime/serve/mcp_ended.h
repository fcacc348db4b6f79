/*
 * mcp_ended - remember why ids of clients ended, to report it once to these clients.
 *
 * A client learns of its end in two steps: a message with the old id gets 404, and then it
 * initializes anew, without the old id. The key keeps the reason between the two: the next client
 * of the key that initializes after a 404 is taken for the same one.
 *
 * No side effects. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_MCP_ENDED_H
#define GLOVEBOX_SERVE_MCP_ENDED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/encode.h"
#include "tenant/handle.h"

#define MCP_ENDED_MOST 64 /* the oldest is evicted */

struct mcp_ended {
	struct mcp_ended_id {
		char id[HANDLE_BYTES];
		char key_id[DIGEST_HEX];
		const char *why; /* NULL: free entry */
		bool is_told;    /* reported by a 404 */
	} items[MCP_ENDED_MOST];
	size_t next;
};

/* mcp_ended_add - remember an id. @why  static. */
void mcp_ended_add(struct mcp_ended *m, const char *id, const char *key_id, const char *why);

/* mcp_ended_tell - a client used the id, and gets 404. Returns why it ended; NULL: unknown. */
const char *mcp_ended_tell(struct mcp_ended *m, const char *id);

/* mcp_ended_take - take the reason of an id of this key that a 404 has reported; NULL: none. */
const char *mcp_ended_take(struct mcp_ended *m, const char *key_id);

#endif
