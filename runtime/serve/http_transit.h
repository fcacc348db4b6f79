/*
 * http_transit - the bytes of a body and of a reply are charged to the key of their request
 * (serve/flight.h) before they are held.
 *
 * A body is refused at its headers if its length is known, else when it becomes too much. A reply
 * of more than HTTP_TRANSIT_MEMORY bytes lies in a file. A request without a key is charged for
 * nothing: routes that need none read no body, and answer with what is compiled in.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_HTTP_TRANSIT_H
#define GLOVEBOX_SERVE_HTTP_TRANSIT_H

#include "serve/http_exchange.h"

#define HTTP_TRANSIT_MEMORY (1u << 20)

/* The body has, or will have, so many bytes. Returns whether they may be held in memory. */
bool http_transit_take_body(struct exchange_state *x, uint64_t bytes);

/* The same for a stream: bytes that have been added to it, and are not sent. */
bool http_transit_take_stream(struct exchange_state *x, uint64_t bytes);

/* All of a stream has been sent, so far. */
void http_transit_give_stream(struct exchange_state *x);

/* The reply is whole: move it into a file, or replace it by a refusal, where it must be. */
void http_transit_take_reply(struct exchange_state *x);

/* The request is over. */
void http_transit_end(struct exchange_state *x);

#endif
