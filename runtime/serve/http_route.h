/*
 * http_route - which row of the routes a request is for.
 *
 * No side effects. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_HTTP_ROUTE_H
#define GLOVEBOX_SERVE_HTTP_ROUTE_H

#include "serve/http.h"

/* http_route_find - NULL: there is none. HEAD is for the row of GET. */
const struct route *http_route_find(const struct route *routes, const char *path,
				    const char *method);

/* http_route_methods - those that a path has, as in Allow; nothing: the path is not there. */
void http_route_methods(const struct route *routes, const char *path, struct buf *out);

#endif
