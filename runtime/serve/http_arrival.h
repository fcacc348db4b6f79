/*
 * http_arrival - connections on which a request has not come whole yet.
 *
 * The library ends those on which nothing moves; a byte now and then is enough for it. So each has
 * a moment by which its headers are there, counted from its beginning (a handshake counts) or from
 * the end of the last reply, or it is shut down; where hardly any connection is free, that moment
 * comes much sooner. Then a body that is wanted has to bring so many bytes a second, or is shut
 * down when it has been too slow for as long as one may stand still; one that nobody wants has to
 * be over in that time.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_HTTP_ARRIVAL_H
#define GLOVEBOX_SERVE_HTTP_ARRIVAL_H

#include <stdint.h>

#include "serve/http_exchange.h"

/* MHD_NotifyConnectionCallback; the context is a struct http. */
void http_arrival_notify(void *context, struct MHD_Connection *connection, void **arrival,
			 enum MHD_ConnectionNotificationCode code);

/* The headers are there, and a body comes. @is_wanted  else it was refused. */
void http_arrival_begin_body(struct http *h, struct MHD_Connection *connection, bool is_wanted);

/* So much of it has come. */
void http_arrival_take(struct MHD_Connection *connection, uint64_t bytes);

/* All of the request is there, or no more is read of it. */
void http_arrival_end(struct http *h, struct MHD_Connection *connection);

/* The reply is, too: the next request may come. */
void http_arrival_begin(struct http *h, struct MHD_Connection *connection);

/* hub_timer; the context is a struct http. */
void http_arrival_ring(void *context);

#endif
