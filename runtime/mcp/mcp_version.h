/*
 * mcp_version - the versions of the protocol, and how they differ for this server.
 *
 * Up to 2025-11-25 a connection begins with a handshake (`initialize`), which chooses the version.
 * From 2026-07-28 on each request names its version, without a handshake.
 *
 * No side effects. Runs: mcp. Needs: nothing.
 */
#ifndef GLOVEBOX_MCP_MCP_VERSION_H
#define GLOVEBOX_MCP_MCP_VERSION_H

#include <stdbool.h>

#include "base/buf.h"

struct mcp_version {
	const char *name;
	bool is_modern;   /* no handshake; results say their type */
	bool has_batches; /* several messages in an array */
	bool has_hints;   /* annotations of tools */
	bool has_schemas; /* of outputs, and structuredContent; titles; links to resources */
};

/* NULL: unsupported. */
const struct mcp_version *mcp_version_find(const char *name);

/*
 * Return the newest version with a handshake: the offer to a client that asks for an unknown one.
 */
const struct mcp_version *mcp_version_of_handshake(void);

/* Put a list of version names under that key (base/json_put.h). */
void mcp_version_put(struct buf *out, const char *key, bool only_modern);

#endif
