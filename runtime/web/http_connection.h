/*
 * http_connection - one connection of a client: requests come in, one after the other, and replies
 * go out.
 *
 * A connection has its turn when its socket is ready or when it was woken; what happens on it
 * meanwhile only changes the stage of its request. So a route may do anything within a call of it.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_WEB_HTTP_CONNECTION_H
#define GLOVEBOX_WEB_HTTP_CONNECTION_H

#include "web/channel.h"
#include "web/chunks.h"
#include "web/http_arrival.h"
#include "web/http_exchange.h"
#include "web/http_peer.h"

struct http {
	struct hub *hub;
	struct http_options options;
	struct hub_watch listen;
	struct hub_timer listen_again; /* there was no descriptor for a connection */
	struct hub_timer arrival_timer;
	bool is_quiet;                 /* draining: not listening */
	unsigned connections;          /* open */
	struct http_connection *all;   /* of them */
	struct http_peers peers;       /* their addresses */
	struct http_connection *waits; /* those with a deadline, oldest first (http_arrival.h) */
	struct http_connection **last_wait; /* end of the list */
	struct exchange_state *first;       /* all that have not ended */
};

enum http_state {
	HTTP_SHAKES, /* the handshake of TLS */
	HTTP_READS_HEAD,
	HTTP_READS_BODY,
	HTTP_WORKS, /* its route has the request */
	HTTP_SENDS,
	HTTP_WAITS,   /* its route adds to the stream later */
	HTTP_LINGERS, /* all is sent; what still comes is dropped, or a reset could take the reply
		       */
};

struct http_connection {
	struct http *http;
	struct http_connection *next;
	struct http_connection **at;
	struct channel channel;
	struct hub_watch watch;
	struct hub_timer wake;
	enum http_state state;
	uint32_t events; /* watched for */
	bool is_running; /* in its turn */
	unsigned reads;  /* and writes, in this turn */
	struct buf in;   /* received, not yet used */
	size_t seen;     /* bytes of it in which no head ends */
	struct buf out;  /* to be sent */
	size_t sent;     /* bytes of it */
	uint64_t dropped;
	struct exchange_state *exchange; /* NULL: between requests */
	struct chunks chunks;            /* of its body */
	uint64_t left;                   /* bytes of its body; without chunks */
	struct arrival arrival;
};

/* http_connection_open - begin. @fd  taken over. */
void http_connection_open(struct http *h, int fd);

/* Its request, if any, ends incomplete. Not within its turn. */
void http_connection_close(struct http_connection *c);

/* The stage of its request has changed: have a turn soon. */
void http_connection_wake(struct http_connection *c);

/* Go on as far as that is possible now. It may be freed. */
void http_connection_turn(struct http_connection *c);

/* A connection has ended: accept the next one, if there was no room for it (http.c). */
void http_accept_again(struct http *h);

#endif
