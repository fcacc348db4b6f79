/*
 * http_tunnel - a connection after an upgrade: bytes go both ways, and each half ends by itself.
 */
#include "web/http_tunnel.h"

#include "web/http_arrival.h"
#include "web/http_reply.h"

bool http_tunnel_hears(const struct http_connection *c)
{
	const struct exchange_state *x = c->exchange;

	return !x->is_paused && !x->is_deaf && x->stage != STAGE_ENDED;
}

/* Offer the route what the client has sent. */
static enum step http_tunnel_hear(struct http_connection *c)
{
	struct exchange_state *x = c->exchange;
	size_t taken;

	if (!http_tunnel_hears(c))
		return STEP_WAIT;
	if (c->in.length) {
		taken = x->duplex->take(&x->request, c->in.data, c->in.length);
		x->is_paused = !taken;
		http_flow_use(c, taken);
		return STEP_ON;
	}
	if (http_flow_fill(c, HTTP_FLOW_BYTES) == STEP_END) {
		x->is_deaf = true;
		(void)x->duplex->take(&x->request, NULL, 0);
		return STEP_ON;
	}
	return c->in.length ? STEP_ON : STEP_WAIT;
}

/* STEP_WAIT: the route has sent nothing more. */
static enum step http_tunnel_speak(struct http_connection *c)
{
	struct exchange_state *x = c->exchange;

	switch (http_reply_piece(x, &c->out)) {
	case REPLY_GOES_ON:
		http_arrival_begin_reply(c, true);
		return STEP_ON;
	case REPLY_OVER:
		c->state = HTTP_SENDS; /* which ends it */
		return STEP_ON;
	default:
		http_arrival_end(c);
	}
	if (!x->is_undrained || !x->duplex->drained)
		return STEP_WAIT;
	x->is_undrained = false;
	x->duplex->drained(&x->request);
	return STEP_ON;
}

/* Output that waits does not hold input up. */
enum step http_tunnel_step(struct http_connection *c)
{
	enum step step = http_flow_flush(c);

	if (step == STEP_ON)
		step = http_tunnel_speak(c);
	return step == STEP_WAIT ? http_tunnel_hear(c) : step;
}
