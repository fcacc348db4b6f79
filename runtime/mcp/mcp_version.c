/*
 * mcp_version - the versions of the protocol, and how they differ for this server.
 */
#include "mcp/mcp_version.h"

#include <string.h>

#include "base/json_put.h"

/* Newest first. A client with an unknown version is offered the first one with a handshake. */
static const struct mcp_version versions[] = {
	{.name = "2026-07-28", .has_hints = true, .has_schemas = true, .is_modern = true},
	{.name = "2025-11-25", .has_hints = true, .has_schemas = true},
	{.name = "2025-06-18",                    .has_hints = true, .has_schemas = true},
	{.name = "2025-03-26",   .has_hints = true, .has_batches = true},
	{.name = "2024-11-05"                   },
};

#define COUNT (sizeof(versions) / sizeof(versions[0]))

const struct mcp_version *mcp_version_find(const char *name)
{
	for (size_t i = 0; i < COUNT; i++) {
		if (!strcmp(versions[i].name, name))
			return &versions[i];
	}
	return NULL;
}

const struct mcp_version *mcp_version_of_handshake(void)
{
	return &versions[1];
}

void mcp_version_put(struct buf *out, const char *key, bool only_modern)
{
	json_put_begin(out, key, '[');
	for (size_t i = 0; i < COUNT; i++) {
		if (versions[i].is_modern || !only_modern)
			json_put_text(out, NULL, versions[i].name);
	}
	json_put_end(out, ']');
}
