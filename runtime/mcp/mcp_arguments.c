/*
 * mcp_arguments - the arguments of a tool's call, by name.
 */
#include "mcp/mcp_arguments.h"

#include <inttypes.h>
#include <string.h>

static const struct json *mcp_arguments_get(const struct json *arguments, const char *key)
{
	return arguments ? json_get(arguments, key) : NULL;
}

int mcp_argument_text(const struct json *arguments, const char *key, bool is_required,
		      const char **out, struct err *e)
{
	const struct json *node = mcp_arguments_get(arguments, key);

	if (!node)
		return is_required ? err_input(e, "%s is missing", key) : 0;
	if (!json_string(node))
		return err_input(e, "%s must be a string", key);
	*out = json_string(node);
	return 0;
}

int mcp_argument_whole(const struct json *arguments, const char *key, uint64_t most, uint64_t *out,
		       struct err *e)
{
	const struct json *node = mcp_arguments_get(arguments, key);

	if (node && (json_number(node, out) || *out > most))
		return err_input(e, "%s must be a whole number from 0 to %" PRIu64, key, most);
	return 0;
}

int mcp_argument_seconds(const struct json *arguments, const char *key, uint64_t most_ms,
			 uint64_t *out_ms, struct err *e)
{
	const struct json *node = mcp_arguments_get(arguments, key);
	double seconds;

	if (!node)
		return 0;
	if (json_double(node, &seconds) || seconds <= 0 || seconds * 1000 > (double)most_ms)
		return err_input(e, "%s must be a number of seconds, more than 0 and at most %g",
				 key, (double)most_ms / 1000);
	*out_ms = seconds < 0.001 ? 1 : (uint64_t)(seconds * 1000);
	return 0;
}

static bool mcp_arguments_knows(const char *const *known, const char *key)
{
	while (*known && strcmp(*known, key) != 0)
		known++;
	return *known;
}

int mcp_arguments_check(const struct json *arguments, const char *const *known, struct err *e)
{
	for (const struct json *n = arguments ? json_first(arguments) : NULL; n; n = json_next(n)) {
		if (!mcp_arguments_knows(known, json_key(n)))
			return err_input(e, "unknown argument \"%.60s\"", json_key(n));
	}
	return 0;
}
