/*
 * mcp_arguments - the arguments of a tool's call, by name. A model wrote them: what is wrong is
 * said so that it can do better.
 *
 * No side effects. Runs: mcp. Needs: nothing.
 */
#ifndef GLOVEBOX_MCP_MCP_ARGUMENTS_H
#define GLOVEBOX_MCP_MCP_ARGUMENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/json.h"

/* Missing arguments leave *out as it was. @arguments  an object; NULL: there are none. */
int mcp_argument_text(const struct json *arguments, const char *key, bool is_required,
		      const char **out, struct err *e);
int mcp_argument_whole(const struct json *arguments, const char *key, uint64_t most, uint64_t *out,
		       struct err *e);

/* Seconds, more than none. */
int mcp_argument_seconds(const struct json *arguments, const char *key, uint64_t most_ms,
			 uint64_t *out_ms, struct err *e);

/* Refuse what is none of these. @known  ends with NULL. */
int mcp_arguments_check(const struct json *arguments, const char *const *known, struct err *e);

#endif
