/*
 * http_transit - charge the bytes of a body and of a reply to the key of their request
 * (web/flight.h) before they are held.
 *
 * A body of known length is refused at its headers, another one once it becomes too large. A reply
 * of more than HTTP_TRANSIT_MEMORY bytes is moved to a file. A request without a key is not
 * charged: its route ignores bodies, and replies with compiled-in bytes.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_WEB_HTTP_TRANSIT_H
#define GLOVEBOX_WEB_HTTP_TRANSIT_H

#include "web/http_parts.h"

#define HTTP_TRANSIT_MEMORY (1u << 20)

/*
 * Charge for so many bytes of the body in total. Returns false if they must not be held in memory.
 */
bool http_transit_take_body(struct exchange_state *x, uint64_t bytes);

/* Charge for so many unsent bytes of a stream. Returns false as above. */
bool http_transit_take_stream(struct exchange_state *x, uint64_t bytes);

/* All bytes of a stream so far have been sent: release their charge. */
void http_transit_give_stream(struct exchange_state *x);

/*
 * The reply is complete: move it to a file, or replace it by a refusal, if the charge demands it.
 */
void http_transit_take_reply(struct exchange_state *x);

/* Release all charges of a request. */
void http_transit_end(struct exchange_state *x);

#endif
