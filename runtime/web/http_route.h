/*
 * http_route - find the row of the routes for a request.
 *
 * No side effects. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_WEB_HTTP_ROUTE_H
#define GLOVEBOX_WEB_HTTP_ROUTE_H

#include "web/http.h"

/* http_route_find - NULL: none. HEAD uses the row of GET. */
const struct route *http_route_find(const struct route *routes, const char *path,
				    const char *method);

/* http_route_methods - put the methods of a path, as in Allow; nothing if the path is unknown. */
void http_route_methods(const struct route *routes, const char *path, struct buf *out);

#endif
