/*
 * mcp_settings - the flags of `glovebox mcp` besides the limits of a session, one row each.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_FLAGS_MCP_SETTINGS_H
#define GLOVEBOX_FLAGS_MCP_SETTINGS_H

#include "spec/setting.h"
#include "spec/spec.h"

struct mcp_options {
	const char *image;
	bool trust_image;
	const char *preload;        /* NULL: the image's */
	const char *workspace;      /* NULL: none */
	struct written_path output; /* the same */
	uint64_t pool;              /* idle cells kept ready */
	uint64_t timeout_ms;        /* of a call that does not set one */
	uint64_t timeout_max_ms;    /* of a call */
	uint64_t output_max;        /* bytes of each text in a result */
	uint64_t sessions_max;      /* of one connection */
};

/* Bind these rows to @options, and the limits of a session to @spec. */
struct settings mcp_all_settings(struct sandbox_spec *spec, struct mcp_options *options);

extern const struct setting mcp_settings[]; /* ends with a null name */

#endif
