/*
 * mcp_ended - remember why ids of clients ended, to report it once to these clients.
 */
#include "serve/mcp_ended.h"

#include <stdio.h>
#include <string.h>

void mcp_ended_add(struct mcp_ended *m, const char *id, const char *key_id, const char *why)
{
	struct mcp_ended_id *x = &m->items[m->next];

	m->next = (m->next + 1) % MCP_ENDED_MOST;
	*x = (struct mcp_ended_id){.why = why};
	snprintf(x->id, sizeof(x->id), "%s", id);
	snprintf(x->key_id, sizeof(x->key_id), "%s", key_id);
}

const char *mcp_ended_tell(struct mcp_ended *m, const char *id)
{
	for (size_t i = 0; i < MCP_ENDED_MOST; i++) {
		struct mcp_ended_id *x = &m->items[i];

		if (x->why && !strcmp(x->id, id)) {
			x->is_told = true;
			return x->why;
		}
	}
	return NULL;
}

const char *mcp_ended_take(struct mcp_ended *m, const char *key_id)
{
	for (size_t i = 0; i < MCP_ENDED_MOST; i++) {
		struct mcp_ended_id *x = &m->items[i];
		const char *why = x->why;

		if (why && x->is_told && !strcmp(x->key_id, key_id)) {
			x->why = NULL;
			return why;
		}
	}
	return NULL;
}
