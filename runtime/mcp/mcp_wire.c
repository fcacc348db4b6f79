/*
 * mcp_wire - MCP over two descriptors: one message a line, in both directions.
 */
#include "mcp/mcp_wire.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "loop/clock.h"

#define PIECE       65536
#define ENOUGH_WAIT (8u << 20) /* bytes waiting to be written above which we stop reading */
#define POLL_US     1000

static void mcp_wire_end(struct mcp_wire *w)
{
	if (w->has_ended)
		return;
	w->has_ended = true;
	hub_unwatch(w->hub, &w->reading);
	hub_silence(w->hub, &w->polling);
	w->ended(w->context);
}

/* -- writing --------------------------------------------------------------------------------- */

static bool mcp_wire_is_full(const struct mcp_wire *w)
{
	return w->waiting.length - w->sent > ENOUGH_WAIT;
}

static void mcp_wire_listen(struct mcp_wire *w);

/* The reader is gone (EPIPE): drop what waits and end the connection, since answers go nowhere. */
static void mcp_wire_lose_reader(struct mcp_wire *w)
{
	hub_unwatch(w->hub, &w->writing);
	buf_fini(&w->waiting);
	w->sent = 0;
	mcp_wire_end(w);
}

static void mcp_wire_write(struct mcp_wire *w, size_t most)
{
	size_t left = w->waiting.length - w->sent;
	ssize_t n = write(w->out, w->waiting.data + w->sent, left < most ? left : most);

	if (n < 0 && errno != EINTR && errno != EAGAIN) {
		mcp_wire_lose_reader(w);
		return;
	}
	w->sent += n > 0 ? (size_t)n : 0;
	if (w->sent < w->waiting.length)
		return;
	w->sent = 0;
	buf_fini(&w->waiting);
	hub_unwatch(w->hub, &w->writing);
	mcp_wire_listen(w);
}

static void mcp_wire_ready_to_write(void *context, uint32_t events)
{
	struct mcp_wire *w = context;

	if (events & EPOLLOUT)
		mcp_wire_write(w, PIPE_BUF);
	else
		mcp_wire_lose_reader(w);
}

/* A file takes every write at once. */
static void mcp_wire_begin_to_write(struct mcp_wire *w)
{
	struct err e;

	if (w->writing.fd >= 0 || !hub_watch(w->hub, &w->writing, w->out, EPOLLOUT, &e))
		return;
	while (w->waiting.length)
		mcp_wire_write(w, PIECE);
}

/* Drop bytes already written while others still wait. */
static void mcp_wire_forget_sent(struct mcp_wire *w)
{
	if (w->sent <= ENOUGH_WAIT)
		return;
	memmove(w->waiting.data, w->waiting.data + w->sent, w->waiting.length - w->sent);
	buf_cut(&w->waiting, w->waiting.length - w->sent);
	w->sent = 0;
}

void mcp_wire_send(struct mcp_wire *w, const struct buf *message)
{
	mcp_wire_forget_sent(w);
	buf_add(&w->waiting, message->data, message->length);
	buf_add(&w->waiting, "\n", 1);
	mcp_wire_begin_to_write(w);
}

bool mcp_wire_is_idle(const struct mcp_wire *w)
{
	return !w->waiting.length;
}

/* -- reading --------------------------------------------------------------------------------- */

/* Called when epoll reports data or the end, so read(2) does not block. */
static void mcp_wire_read(struct mcp_wire *w)
{
	char piece[PIECE];
	ssize_t n = read(w->in, piece, sizeof(piece));

	if (n > 0)
		mcp_lines_add(&w->lines, piece, (size_t)n);
	else if (!n || (errno != EINTR && errno != EAGAIN))
		mcp_wire_end(w);
	if (mcp_wire_is_full(w))
		hub_unwatch(w->hub, &w->reading);
}

static void mcp_wire_ready_to_read(void *context, uint32_t events)
{
	(void)events;
	mcp_wire_read(context);
}

static void mcp_wire_read_file(void *context)
{
	struct mcp_wire *w = context;

	if (!mcp_wire_is_full(w))
		mcp_wire_read(w);
	if (!w->has_ended)
		hub_ring(w->hub, &w->polling, monotonic_us() + POLL_US);
}

/* Resume reading after the client has read enough. */
static void mcp_wire_listen(struct mcp_wire *w)
{
	struct err e;

	if (w->has_ended || w->is_file || w->reading.fd >= 0)
		return;
	if (hub_watch(w->hub, &w->reading, w->in, EPOLLIN, &e))
		mcp_wire_end(w);
}

int mcp_wire_open(struct mcp_wire *w, struct hub *hub, int in, int out, struct err *e)
{
	w->hub = hub;
	w->in = in;
	w->out = out;
	w->reading = (struct hub_watch){.ready = mcp_wire_ready_to_read, .context = w, .fd = -1};
	w->writing = (struct hub_watch){.ready = mcp_wire_ready_to_write, .context = w, .fd = -1};
	w->polling = (struct hub_timer){.ring = mcp_wire_read_file, .context = w};
	if (!hub_watch(hub, &w->reading, in, EPOLLIN, e))
		return 0;
	w->is_file = e->number == EPERM; /* epoll_ctl(2): a regular file */
	if (w->is_file)
		hub_ring(hub, &w->polling, monotonic_us());
	return w->is_file ? 0 : -1;
}

void mcp_wire_close(struct mcp_wire *w)
{
	if (!w->hub)
		return;
	hub_unwatch(w->hub, &w->reading);
	hub_unwatch(w->hub, &w->writing);
	hub_silence(w->hub, &w->polling);
	mcp_lines_fini(&w->lines);
	buf_fini(&w->waiting);
	w->hub = NULL;
}
