/*
 * http_arrival - the deadlines of connections: how long headers, a body and a reply may take.
 *
 * A byte now and then does not count as progress. So headers have a deadline, counted from the
 * start of the connection (the TLS handshake counts) or from the end of the last reply. A body and
 * a reply have
 * --stall-timeout, plus a second for each HTTP_LEAST_RATE bytes moved; a refused body has
 * --stall-timeout only. A late connection is closed.
 *
 * If almost all connections are taken, those that do not work for a key are closed after a second:
 * headers incomplete, body refused, reply of an open route unread. Connections never answered go
 * first, then those of the address with the most connections.
 *
 * A draining server waits for requests on open connections: while bytes have come that were not
 * read, and for a second from the start of the connection or the end of its last reply.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_WEB_HTTP_ARRIVAL_H
#define GLOVEBOX_WEB_HTTP_ARRIVAL_H

#include "web/http_parts.h"

#define HTTP_LEAST_RATE 4096 /* bytes a second */

/* A connection begins; in a crowd, others are closed for it. */
void http_arrival_enter(struct http_connection *c);

/* It is being closed. */
void http_arrival_leave(struct http_connection *c);

/* The headers are complete, and a body follows. @is_wanted  false: it is refused. */
void http_arrival_begin_body(struct http_connection *c, bool is_wanted);

/* The reply begins. @has_key  its request has a key. */
void http_arrival_begin_reply(struct http_connection *c, bool has_key);

/* So many bytes of the body have arrived, or of the reply were sent. */
void http_arrival_move(struct http_connection *c, uint64_t bytes);

/* The body is complete, or all of the reply so far is sent: no deadline applies. */
void http_arrival_end(struct http_connection *c);

/* The reply is over: the next request may arrive. */
void http_arrival_begin(struct http_connection *c);

/* Bytes that the kernel still holds, since the client has not read them. */
uint64_t http_arrival_unread(const struct http_connection *c);

/* The server is draining: ring h->arrival_timer when no connection may bring a request. */
void http_arrival_quiesce(struct http *h);

/* Whether a connection may still bring a request. */
bool http_arrival_is_expected(const struct http *h);

/* hub_timer; the context is a struct http. */
void http_arrival_ring(void *context);

#endif
