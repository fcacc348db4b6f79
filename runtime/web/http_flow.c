/*
 * http_flow - move the bytes of a connection between its channel and its buffers.
 */
#include "web/http_flow.h"

#include <errno.h>
#include <string.h>

#define MOST_READS 8 /* and writes, in one turn: the next connection has its own then */

/* Whether this turn may read or write once more; else the next one does. */
static bool http_flow_may_go_on(struct http_connection *c)
{
	if (c->reads++ < MOST_READS)
		return true;
	hub_ring(c->http->hub, &c->wake, 0);
	return false;
}

enum step http_flow_fill(struct http_connection *c, size_t room)
{
	char bytes[HTTP_FLOW_BYTES];
	ssize_t n;

	if (!http_flow_may_go_on(c))
		return STEP_WAIT;
	n = channel_read(&c->channel, bytes, room < sizeof(bytes) ? room : sizeof(bytes));
	if (n > 0)
		buf_add(&c->in, bytes, (size_t)n);
	if (n > 0)
		return STEP_ON;
	return n < 0 && errno == EAGAIN ? STEP_WAIT : STEP_END;
}

void http_flow_use(struct http_connection *c, size_t length)
{
	size_t left = c->in.length - length;

	if (left)
		memmove(c->in.data, c->in.data + length, left);
	if (left)
		buf_cut(&c->in, left);
	else
		buf_fini(&c->in); /* an idle connection holds no memory for requests */
	c->seen = 0;
}

enum step http_flow_flush(struct http_connection *c)
{
	while (c->sent < c->out.length) {
		ssize_t n;

		if (!http_flow_may_go_on(c))
			return STEP_WAIT;
		n = channel_write(&c->channel, c->out.data + c->sent, c->out.length - c->sent);
		if (n < 0)
			return errno == EAGAIN ? STEP_WAIT : STEP_END;
		c->sent += (size_t)n;
	}
	buf_cut(&c->out, 0);
	c->sent = 0;
	return STEP_ON;
}
