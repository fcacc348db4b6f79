/*
 * mcp_arguments - the arguments of a tool's call, by name. Errors tell the model that wrote them
 * how to mend them.
 *
 * No side effects. Runs: mcp. Needs: nothing.
 */
#ifndef GLOVEBOX_MCP_MCP_ARGUMENTS_H
#define GLOVEBOX_MCP_MCP_ARGUMENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/json.h"

/* A missing argument leaves *out unchanged. @arguments  an object; NULL: the call has none. */
int mcp_argument_text(const struct json *arguments, const char *key, bool is_required,
		      const char **out, struct err *e);
int mcp_argument_whole(const struct json *arguments, const char *key, uint64_t most, uint64_t *out,
		       struct err *e);

/* Seconds, more than 0. */
int mcp_argument_seconds(const struct json *arguments, const char *key, uint64_t most_ms,
			 uint64_t *out_ms, struct err *e);

/* Refuse arguments that are not in @known, which ends with NULL. */
int mcp_arguments_check(const struct json *arguments, const char *const *known, struct err *e);

#endif
