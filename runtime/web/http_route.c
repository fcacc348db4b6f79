/*
 * http_route - find the row of the routes for a request.
 */
#include "web/http_route.h"

#include <string.h>

#include "web/http_path.h"

const struct route *http_route_find(const struct route *routes, const char *path,
				    const char *method)
{
	const char *wanted = !strcmp(method, "HEAD") ? "GET" : method;

	for (const struct route *route = routes; route->method; route++) {
		if (!strcmp(route->method, wanted) && http_path_fits(route->path, path))
			return route;
	}
	return NULL;
}

void http_route_methods(const struct route *routes, const char *path, struct buf *out)
{
	for (const struct route *route = routes; route->method; route++) {
		if (http_path_fits(route->path, path))
			buf_printf(out, "%s%s%s", out->length ? ", " : "", route->method,
				   strcmp(route->method, "GET") != 0 ? "" : ", HEAD");
	}
	if (out->length)
		buf_text(out, ", OPTIONS");
}
