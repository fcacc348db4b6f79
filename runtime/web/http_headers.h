/*
 * http_headers - whether the headers of a request have one meaning only.
 *
 * A proxy in front of us may read ambiguous headers differently (request smuggling), and of a
 * duplicate header one copy might be checked and the other one used.
 *
 * No side effects. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_WEB_HTTP_HEADERS_H
#define GLOVEBOX_WEB_HTTP_HEADERS_H

#include "web/http.h"

/*
 * http_headers_problem - return what is wrong, a literal, or NULL. The connection must end then,
 * since the end of the body is unknown.
 * @version  of the request, as sent.
 */
const char *http_headers_problem(const struct request *r, const char *version);

#endif
