/*
 * http_arrival - the deadlines of connections: how long headers, a body and a reply may take.
 *
 * The library ends connections without progress, but a byte now and then counts as progress. So
 * headers have a deadline, counted from the start of the connection (the TLS handshake counts) or
 * from the end of the last reply. A body and a reply have --stall-timeout, plus a second for each
 * HTTP_LEAST_RATE bytes moved; a refused body has --stall-timeout only. A late connection is shut
 * down.
 *
 * If almost all connections are taken, those that do not work for a key are shut down after a
 * second: headers incomplete, body refused, reply of an open route unread. Connections never
 * answered go first, then those of the address with the most connections.
 *
 * A draining server waits for requests on open connections: while bytes have come that the library
 * has not read, and for a second from the start of the connection or the end of its last reply.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_WEB_HTTP_ARRIVAL_H
#define GLOVEBOX_WEB_HTTP_ARRIVAL_H

#include <stdbool.h>
#include <stdint.h>

#include "web/http_exchange.h"

#define HTTP_LEAST_RATE 4096 /* bytes a second */

/* MHD_NotifyConnectionCallback; the context is a struct http. */
void http_arrival_notify(void *context, struct MHD_Connection *connection, void **arrival,
			 enum MHD_ConnectionNotificationCode code);

/* The headers are complete, and a body follows. @is_wanted  false: it is refused. */
void http_arrival_begin_body(struct http *h, struct MHD_Connection *connection, bool is_wanted);

/* The reply begins. @has_key  its request has a key. */
void http_arrival_begin_reply(struct http *h, struct MHD_Connection *connection, bool has_key);

/* So many bytes of the body have arrived, or of the reply were sent. */
void http_arrival_move(struct MHD_Connection *connection, uint64_t bytes);

/* The body is complete, or the reply is sent: no deadline applies. */
void http_arrival_end(struct http *h, struct MHD_Connection *connection);

/* The reply is over: the next request may arrive. */
void http_arrival_begin(struct http *h, struct MHD_Connection *connection);

/*
 * http_arrival_is_stuck - whether bytes of a body wait that the library never reads: 0.9.75 keeps a
 * line of chunks that is longer than the memory of a connection, and asks to be run again at once,
 * for ever. Ask again and again: true, and the library closes the connection within a second, when
 * none has moved for long enough.
 */
bool http_arrival_is_stuck(struct MHD_Connection *connection);

/* Whether the kernel still holds bytes of an earlier reply that the client has not read. */
bool http_arrival_has_unread(struct MHD_Connection *connection);

/* Shut the connection down: the library then ends its request. */
void http_arrival_cut(struct http *h, struct MHD_Connection *connection);

/* The server is draining: ring h->arrival_timer when no connection may bring a request. */
void http_arrival_quiesce(struct http *h);

/* Whether a connection may still bring a request. */
bool http_arrival_is_expected(const struct http *h);

/* hub_timer; the context is a struct http. */
void http_arrival_ring(void *context);

#endif
