/*
 * faces - the APIs that a server has on listeners of their own, one row each.
 */
#include "serve/faces.h"

#include <string.h>

const struct face faces[] = {
	{"agent-sandbox", &agentsandbox_site},
	{"dify",          &dify_site        },
	{"e2b",           &e2b_site         },
	{"librechat",     &librechat_site   },
	{"pandastack",    &pandastack_site  },
	{NULL,            NULL              },
};

const struct face *faces_read(const char *text, const char **where, struct err *e)
{
	const char *end = strchr(text, '=');

	for (const struct face *face = faces; end && face->name; face++) {
		const size_t length = strlen(face->name);

		if (length != (size_t)(end - text) || strncmp(text, face->name, length) != 0)
			continue;
		*where = end + 1;
		return face;
	}
	err_input(e,
		  "say NAME=HOST:PORT or NAME=unix:PATH, NAME is agent-sandbox, dify, e2b, "
		  "librechat or pandastack");
	return NULL;
}

static long faces_count_until(const struct route *table, const struct route *wanted, bool *found)
{
	long count = 0;

	for (; table->method && !*found; table++) {
		*found = table == wanted;
		count += !*found;
	}
	return count;
}

long faces_number_of(const struct route *route)
{
	bool found = false;
	long number = faces_count_until(routes, route, &found);

	for (const struct face *face = faces; face->name && !found; face++)
		number += faces_count_until(face->site->routes, route, &found);
	return found ? number : -1;
}

void faces_each_route(void (*tell)(void *context, const char *face, const struct route *route),
		      void *context)
{
	for (const struct route *route = routes; route->method; route++)
		tell(context, NULL, route);
	for (const struct face *face = faces; face->name; face++) {
		for (const struct route *route = face->site->routes; route->method; route++)
			tell(context, face->name, route);
	}
}
