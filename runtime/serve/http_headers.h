/*
 * http_headers - whether the headers of a request can be understood in one way only.
 *
 * What a proxy in front of us and the library would read differently is a smuggler's, and what is
 * there twice could be judged in one place and used from the other.
 *
 * No side effects. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_HTTP_HEADERS_H
#define GLOVEBOX_SERVE_HTTP_HEADERS_H

#include "serve/http.h"

/*
 * http_headers_problem - NULL: they can. Else what is wrong, a literal: the connection must end,
 * because nobody knows where the body does.
 * @version  of the request, as it was sent.
 */
const char *http_headers_problem(const struct request *r, const char *version);

#endif
