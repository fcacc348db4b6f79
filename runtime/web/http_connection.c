/*
 * http_connection - one connection of a client: requests come in, one after the other, and replies
 * go out.
 */
#include "web/http_connection.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/own.h"
#include "web/http_arrival.h"
#include "web/http_exchange.h"
#include "web/http_flow.h"
#include "web/http_reply.h"
#include "web/http_tunnel.h"

#define LINGER_MAX 1000000
#define LEAVES     (EPOLLRDHUP | EPOLLHUP | EPOLLERR)
#define CONTINUE   "HTTP/1.1 100 Continue\r\n\r\n"

/* -- a request ------------------------------------------------------------------------------- */

static enum step http_connection_begin(struct http_connection *c, size_t size)
{
	char *text = size ? own_zeroed(size + 1, 1) : NULL;
	struct exchange_state *x;

	if (text) {
		memcpy(text, c->in.data, size);
		http_flow_use(c, size);
	}
	c->exchange = x = http_exchange_begin(c, text, size);
	c->left = x->head.length;
	c->chunks = (struct chunks){0};
	c->state = x->has_rest ? HTTP_WORKS : HTTP_READS_BODY;
	if (x->stage == STAGE_BODY && x->head.asks_first)
		buf_text(&c->out, CONTINUE);
	return STEP_ON;
}

/* Empty lines may precede a request (RFC 9112, 2.2). */
static void http_connection_skip_empty_lines(struct http_connection *c)
{
	size_t length = 0;

	while (length + 2 <= c->in.length && !memcmp(c->in.data + length, "\r\n", 2))
		length += 2;
	if (length)
		http_flow_use(c, length);
}

static enum step http_connection_read_head(struct http_connection *c)
{
	size_t size;

	http_connection_skip_empty_lines(c);
	size = head_size(c->in.data, c->in.length, &c->seen);
	if (!size && c->in.length < HEAD_BYTES)
		return http_flow_fill(c, HEAD_BYTES - c->in.length);
	return http_connection_begin(c, size <= HEAD_BYTES ? size : 0);
}

/* Returns whether the body is complete. */
static bool http_connection_take_plain(struct http_connection *c, enum step *step)
{
	size_t length = c->in.length < c->left ? c->in.length : (size_t)c->left;

	*step = STEP_ON;
	if (length && !http_exchange_take(c->exchange, c->in.data, length))
		*step = STEP_END;
	c->left -= length;
	http_flow_use(c, length);
	return !c->left;
}

static bool http_connection_take_chunks(struct http_connection *c, enum step *step)
{
	const char *bytes = c->in.data;
	size_t length = c->in.length;
	enum chunks_event event;
	const char *data;
	size_t size;

	*step = STEP_ON;
	while ((event = chunks_read(&c->chunks, &bytes, &length, &data, &size)) == CHUNKS_DATA) {
		if (!http_exchange_take(c->exchange, data, size)) {
			*step = STEP_END;
			return false;
		}
	}
	http_flow_use(c, c->in.length - length);
	if (event == CHUNKS_BAD)
		http_exchange_spoil(c->exchange, "the body is not in chunks");
	return event != CHUNKS_MORE;
}

static enum step http_connection_read_body(struct http_connection *c)
{
	enum step step = http_flow_flush(c);
	bool is_whole;

	if (step == STEP_END)
		return STEP_END;
	is_whole = c->exchange->head.is_chunked ? http_connection_take_chunks(c, &step)
						: http_connection_take_plain(c, &step);
	if (step == STEP_END)
		return STEP_END;
	if (!is_whole)
		return http_flow_fill(c, HTTP_FLOW_BYTES);
	http_arrival_end(c);
	c->state = HTTP_WORKS;
	http_exchange_run(c->exchange);
	return STEP_ON;
}

/* -- a reply --------------------------------------------------------------------------------- */

static enum step http_connection_reply(struct http_connection *c)
{
	struct exchange_state *x = c->exchange;

	if (x->stage == STAGE_WORK)
		return STEP_WAIT;
	if (c->http->is_quiet || (!x->request.payer && http_arrival_unread(c) > 0))
		x->is_last = true;
	http_arrival_begin_reply(c, x->request.payer);
	http_reply_head(x, &c->out);
	(void)http_reply_piece(x, &c->out); /* a short reply is one packet */
	c->state = x->duplex ? HTTP_TUNNELS : HTTP_SENDS;
	return STEP_ON;
}

/* Close it so that the client sees the reply: bytes that nobody reads would have it reset. */
static enum step http_connection_linger(struct http_connection *c, bool has_rest)
{
	channel_end(&c->channel);
	if (!has_rest)
		return STEP_END;
	http_arrival_begin_body(c, false);
	c->state = HTTP_LINGERS;
	return STEP_ON;
}

static enum step http_connection_next(struct http_connection *c)
{
	const bool is_last = c->exchange->is_last;
	const bool has_rest = c->exchange->has_rest || c->in.length ||
			      (c->exchange->duplex && !c->exchange->is_deaf) ||
			      channel_has_unread(&c->channel);

	http_exchange_end(c->exchange, true);
	c->exchange = NULL;
	buf_fini(&c->out);
	if (is_last)
		return http_connection_linger(c, has_rest);
	http_arrival_begin(c);
	c->state = HTTP_READS_HEAD;
	return STEP_ON;
}

static enum step http_connection_send(struct http_connection *c)
{
	struct exchange_state *x = c->exchange;
	enum step step = http_flow_flush(c);

	if (step != STEP_ON)
		return step;
	switch (http_reply_piece(x, &c->out)) {
	case REPLY_GOES_ON:
		if (c->state == HTTP_WAITS)
			http_arrival_begin_reply(c, x->request.payer);
		c->state = HTTP_SENDS;
		return STEP_ON;
	case REPLY_WAITS:
		http_arrival_end(c);
		c->state = HTTP_WAITS;
		return STEP_WAIT;
	case REPLY_OVER:
		return http_connection_next(c);
	case REPLY_BROKEN:
		break;
	}
	return STEP_END;
}

static enum step http_connection_drop(struct http_connection *c)
{
	c->dropped += c->in.length;
	http_flow_use(c, c->in.length);
	return c->dropped > LINGER_MAX ? STEP_END : http_flow_fill(c, HTTP_FLOW_BYTES);
}

/* -- turns ----------------------------------------------------------------------------------- */

static enum step http_connection_shake(struct http_connection *c)
{
	int done = channel_shake(&c->channel);

	if (done > 0)
		c->state = HTTP_READS_HEAD;
	return done > 0 ? STEP_ON : done < 0 ? STEP_END : STEP_WAIT;
}

static bool http_connection_is_left(const struct http_connection *c)
{
	const bool has_request = c->state > HTTP_READS_HEAD && c->state < HTTP_LINGERS;

	return c->is_leaving || (has_request && (!c->exchange || c->exchange->stage == STAGE_LEFT));
}

static enum step http_connection_step(struct http_connection *c)
{
	if (http_connection_is_left(c))
		return STEP_END;
	switch (c->state) {
	case HTTP_SHAKES:
		return http_connection_shake(c);
	case HTTP_READS_HEAD:
		return http_connection_read_head(c);
	case HTTP_READS_BODY:
		return http_connection_read_body(c);
	case HTTP_WORKS:
		return http_connection_reply(c);
	case HTTP_SENDS:
	case HTTP_WAITS:
		return http_connection_send(c);
	case HTTP_TUNNELS:
		return http_tunnel_step(c);
	case HTTP_LINGERS:
		return http_connection_drop(c);
	}
	return STEP_END;
}

/* A client whose request is worked on is watched only for leaving. */
static uint32_t http_connection_events(const struct http_connection *c)
{
	const bool has_output = c->out.length > c->sent;

	switch (c->state) {
	case HTTP_SHAKES:
		return c->channel.awaits_writes ? EPOLLOUT : EPOLLIN;
	case HTTP_WORKS:
	case HTTP_WAITS:
		return EPOLLRDHUP;
	case HTTP_SENDS:
		return EPOLLOUT;
	case HTTP_TUNNELS:
		return (http_tunnel_hears(c) ? EPOLLIN : 0u) | (has_output ? EPOLLOUT : 0u);
	default:
		return EPOLLIN | (has_output ? EPOLLOUT : 0u);
	}
}

static int http_connection_watch(struct http_connection *c)
{
	uint32_t events = http_connection_events(c);
	struct err ignored;

	if (events == c->events)
		return 0;
	c->events = events;
	if (c->watch.fd >= 0)
		return hub_rewatch(c->http->hub, &c->watch, events);
	return hub_watch(c->http->hub, &c->watch, c->channel.fd, events, &ignored);
}

void http_connection_turn(struct http_connection *c)
{
	enum step step;

	c->is_running = true;
	c->reads = 0;
	do
		step = http_connection_step(c);
	while (step == STEP_ON);
	c->is_running = false;
	if (step == STEP_END || http_connection_watch(c))
		http_connection_close(c);
}

static void http_connection_ready(void *context, uint32_t events)
{
	struct http_connection *c = context;

	/* The client has ended its half, or all: then nobody waits for the reply. */
	if ((c->state == HTTP_WORKS || c->state == HTTP_WAITS) && (events & LEAVES))
		c->exchange->stage = STAGE_LEFT;
	if (c->state == HTTP_TUNNELS && (events & (EPOLLHUP | EPOLLERR)))
		c->exchange->stage = STAGE_LEFT;
	http_connection_turn(c);
}

static void http_connection_woken(void *context)
{
	http_connection_turn(context);
}

/* -- beginning and end ----------------------------------------------------------------------- */

void http_connection_open(struct http *h, const struct http_listener *listener, int fd)
{
	struct http_connection *c = own_zeroed(1, sizeof(*c));

	c->http = h;
	c->listener = listener;
	c->watch = (struct hub_watch){.ready = http_connection_ready, .context = c, .fd = -1};
	c->wake = (struct hub_timer){.ring = http_connection_woken, .context = c};
	if (channel_open(&c->channel, fd, h->options.tls)) {
		free(c);
		return;
	}
	LIST_INSERT_HEAD(&h->all, c, link);
	h->connections++;
	http_arrival_enter(c);
	http_wake(c);
}

void http_connection_close(struct http_connection *c)
{
	struct http *h = c->http;

	hub_unwatch(h->hub, &c->watch);
	if (c->exchange)
		http_exchange_end(c->exchange, false);
	hub_silence(h->hub, &c->wake);
	http_arrival_leave(c);
	LIST_REMOVE(c, link);
	h->connections--;
	h->leaving -= c->is_leaving;
	channel_close(&c->channel);
	buf_fini(&c->in);
	buf_fini(&c->out);
	free(c);
	if (h->is_full)
		hub_ring(h->hub, &h->listen_again, 0); /* there is room for another one */
}
