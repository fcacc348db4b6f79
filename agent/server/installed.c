/*
 * installed - which models a server has.
 */
#include "agent/server/installed.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/json.h"

static const char *installed_name_of(const struct json *row)
{
	const struct json *name = json_get(row, "name");

	if (!name)
		name = json_get(row, "id");
	return name ? json_string(name) : NULL;
}

void installed_names(struct server *s, char *out, size_t size)
{
	const char *path = s->kind == SERVER_OLLAMA ? "/api/tags" : "/v1/models";
	const char *member = s->kind == SERVER_OLLAMA ? "models" : "data";
	struct json *fetched = NULL;
	enum model_failure ignored;
	struct err e;
	size_t used = 0;

	snprintf(out, size, "unknown");
	if (server_fetch(s, path, NULL, NULL, NULL, &fetched, &ignored, &e))
		return;
	snprintf(out, size, "nothing");
	for (const struct json *n = json_first(json_get(fetched, member)); n; n = json_next(n)) {
		const char *name = installed_name_of(n);
		size_t left = size - used;

		if (!name || !*name)
			continue;
		if (strlen(name) + sizeof(", ...") + 2 > left) {
			snprintf(out + used, left, "%s...", used ? ", " : "");
			break;
		}
		used += (size_t)snprintf(out + used, left, "%s%s", used ? ", " : "", name);
	}
	json_free(fetched);
}

/* The length without ":latest"; a colon before a slash belongs to a port. */
static size_t installed_bare_length(const char *name)
{
	size_t length = strlen(name);

	return length > 7 && !strcasecmp(name + length - 7, ":latest") ? length - 7 : length;
}

bool installed_same(const char *a, const char *b)
{
	size_t length = installed_bare_length(a);

	return length == installed_bare_length(b) && !strncasecmp(a, b, length);
}
