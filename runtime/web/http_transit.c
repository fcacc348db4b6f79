/*
 * http_transit - charge bodies and replies to the key of their request.
 */
#include "web/http_transit.h"

#include <string.h>

#include "base/io.h"
#include "base/own.h"
#include "web/flight.h"

static bool http_transit_grow(struct exchange_state *x, uint64_t *charged, uint64_t bytes)
{
	if (!x->request.payer || bytes <= *charged)
		return true;
	if (!flight_take(x->http->options.flights, x->request.payer, FLIGHT_MEMORY,
			 bytes - *charged))
		return false;
	*charged = bytes;
	return true;
}

static void http_transit_give(struct exchange_state *x, enum flight_kind kind, uint64_t *charged)
{
	if (*charged)
		flight_give(x->http->options.flights, x->request.payer, kind, *charged);
	*charged = 0;
}

bool http_transit_take_body(struct exchange_state *x, uint64_t bytes)
{
	return http_transit_grow(x, &x->body_charged, bytes);
}

bool http_transit_take_stream(struct exchange_state *x, uint64_t bytes)
{
	return http_transit_grow(x, &x->reply_charged, bytes);
}

void http_transit_give_stream(struct exchange_state *x)
{
	http_transit_give(x, FLIGHT_MEMORY, &x->reply_charged);
}

/* -- replies --------------------------------------------------------------------------------- */

/* Returns whether the reply is in a file now. */
static bool http_transit_spool(struct exchange_state *x)
{
	struct flight_pool *pool = x->http->options.flights;
	const uint64_t bytes = x->body.length;

	if (!flight_take(pool, x->request.payer, FLIGHT_FILES, bytes))
		return false;
	x->file_charged = bytes;
	x->file = x->site->spool(&x->request, bytes);
	if (x->file >= 0 && !io_write_all(x->file, x->body.data, bytes)) {
		x->file_size = bytes;
		buf_fini(&x->body);
		return true;
	}
	own_close(&x->file);
	http_transit_give(x, FLIGHT_FILES, &x->file_charged);
	return false;
}

static bool http_transit_keep(struct exchange_state *x)
{
	const uint64_t bytes = x->body.length;

	if (bytes <= HTTP_TRANSIT_MEMORY)
		return http_transit_grow(x, &x->reply_charged, bytes) || http_transit_spool(x);
	return http_transit_spool(x) || http_transit_grow(x, &x->reply_charged, bytes);
}

void http_transit_take_reply(struct exchange_state *x)
{
	if (!x->request.payer || x->is_stream)
		return;
	http_transit_give(x, FLIGHT_MEMORY, &x->body_charged); /* the route has consumed the body */
	if (x->file >= 0 || http_transit_keep(x))
		return;
	x->site->turn_away(&x->request);
}

void http_transit_end(struct exchange_state *x)
{
	http_transit_give(x, FLIGHT_MEMORY, &x->body_charged);
	http_transit_give(x, FLIGHT_MEMORY, &x->reply_charged);
	http_transit_give(x, FLIGHT_FILES, &x->file_charged);
}
