/*
 * http_exchange - one request: whether it is admitted, its body, its route, its end.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_WEB_HTTP_EXCHANGE_H
#define GLOVEBOX_WEB_HTTP_EXCHANGE_H

#include "web/http_parts.h"

/*
 * http_exchange_begin - begin with a head.
 *
 * @text  head_size() bytes; taken over. NULL: it is larger than a head may be.
 * Owned: http_exchange_end(). Its body is read before the reply, unless has_rest is set.
 */
struct exchange_state *http_exchange_begin(struct http_connection *c, char *text, size_t length);

/* Take a piece of the body. Returns false if so much was refused already: the connection ends. */
bool http_exchange_take(struct exchange_state *x, const char *bytes, size_t length);

/* The body is complete: run the route, unless it has been refused. */
void http_exchange_run(struct exchange_state *x);

/* The end of the body cannot be known: refuse it. The connection ends with the reply. */
void http_exchange_spoil(struct exchange_state *x, const char *why);

/* Abandon its work, unless it is over, and free it. */
void http_exchange_end(struct exchange_state *x, bool is_complete);

/*
 * Shutdown: abandon the work and refuse the request; a started stream gets its final event, or is
 * cut.
 */
void http_exchange_leave(struct exchange_state *x);

#endif
