/*
 * http_arrival - the clock of connections: how long headers, a body and a reply may take.
 *
 * The library ends connections on which nothing moves; a byte now and then is enough for it. So
 * headers have a moment by which they are there, counted from the beginning of the connection (a
 * handshake counts) or from the end of the last reply. A body and a reply have --stall-timeout, and
 * a second more for each HTTP_LEAST_RATE bytes that have moved; a body that was refused has no
 * more than the former. A connection that is later than that is shut down.
 *
 * Where hardly any connection is free, those that work for no key are shut down after a second:
 * headers that have not come, bodies that were refused, replies of open routes that are not read.
 * Strangers go first, then those of the address that has most connections.
 *
 * A server that ends waits for a request whose connection is there: as long as bytes have come that
 * the library has not read, and for a second from the beginning of the connection or the end of its
 * last reply.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_HTTP_ARRIVAL_H
#define GLOVEBOX_SERVE_HTTP_ARRIVAL_H

#include <stdbool.h>
#include <stdint.h>

#include "serve/http_exchange.h"

#define HTTP_LEAST_RATE 4096 /* bytes a second */

/* MHD_NotifyConnectionCallback; the context is a struct http. */
void http_arrival_notify(void *context, struct MHD_Connection *connection, void **arrival,
			 enum MHD_ConnectionNotificationCode code);

/* The headers are there, and a body comes. @is_wanted  else it was refused. */
void http_arrival_begin_body(struct http *h, struct MHD_Connection *connection, bool is_wanted);

/* The reply goes out from now on. @has_key  it is one to a key's request. */
void http_arrival_begin_reply(struct http *h, struct MHD_Connection *connection, bool has_key);

/* So much of the body has come, or of the reply has gone. */
void http_arrival_move(struct MHD_Connection *connection, uint64_t bytes);

/* The body is there, or nothing of the reply is left to be sent: the client is not waited for. */
void http_arrival_end(struct http *h, struct MHD_Connection *connection);

/* The reply is over: the next request may come. */
void http_arrival_begin(struct http *h, struct MHD_Connection *connection);

/* The kernel keeps some of an earlier reply, which the client has not taken. */
bool http_arrival_has_unread(struct MHD_Connection *connection);

/* Shut the connection down: the library ends its request. */
void http_arrival_cut(struct http *h, struct MHD_Connection *connection);

/* The server does not listen any more: h->arrival_timer rings when no request is expected. */
void http_arrival_quiesce(struct http *h);

/* A connection may still bring a request. */
bool http_arrival_is_expected(const struct http *h);

/* hub_timer; the context is a struct http. */
void http_arrival_ring(void *context);

#endif
