/*
 * told - what the code of a cell tells while it runs, and the replies to what it asks.
 */
#include "kernel/told.h"

#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/json_strict.h"
#include "base/own.h"

#define EVENT_MAX   (64u << 20)
#define EVENT_PARTS 200000
#define REPLIES_MAX (1 << 20) /* bytes of their pipe; what the kernel grants may be less */

/* -- events ---------------------------------------------------------------------------------- */

/* Read no more of it. */
static void told_end(struct told *t)
{
	hub_unwatch(t->hub, &t->watch);
	own_close(&t->events);
}

static void told_parse(struct told *t)
{
	struct buf *text = &t->frame.body;
	struct err ignored;

	if (!json_check_strict(buf_string(text), text->length, EVENT_PARTS, &ignored))
		t->event = json_parse_in_place(text->data, text->length);
	if (!t->event)
		told_end(t);
}

/* Read until an event is whole, but no byte of the next one. */
static void told_read(struct told *t)
{
	char bytes[65536];
	struct err ignored;

	while (!t->event && t->events >= 0) {
		const bool in_body = t->frame.header_have == FRAME_HEADER;
		const size_t left = in_body ? t->frame.size - t->frame.body.length
					    : FRAME_HEADER - t->frame.header_have;
		const ssize_t n =
			read(t->events, bytes, left < sizeof(bytes) ? left : sizeof(bytes));
		size_t used;
		int done;

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		done = n > 0 ? frame_add(&t->frame, bytes, (size_t)n, EVENT_MAX, &used, &ignored)
			     : -1;
		if (done < 0)
			told_end(t);
		else if (done)
			told_parse(t);
	}
}

static void told_forget(struct told *t)
{
	json_free(t->event);
	t->event = NULL;
	frame_fini(&t->frame);
	t->frame = (struct frame){0};
}

static void told_deliver(struct told *t)
{
	t->take(t->context, t->event);
	told_forget(t);
	if (t->events >= 0)
		(void)hub_rewatch(t->hub, &t->watch, EPOLLIN);
}

bool told_take(struct told *t)
{
	told_read(t);
	if (!t->event)
		return false;
	told_deliver(t);
	return true;
}

/* One that no mark follows is due now. */
static void told_ready(void *context, uint32_t events)
{
	struct told *t = context;

	(void)events;
	told_read(t);
	if (t->event && json_is_object(t->event) && json_is_true(json_get(t->event, "unplaced")))
		told_deliver(t);
	else if (t->event)
		(void)hub_rewatch(t->hub, &t->watch, 0);
}

/* -- replies --------------------------------------------------------------------------------- */

/* One reply is under way at most: the pipe is empty, unless the code does not read. */
void told_reply(struct told *t, const char *text)
{
	auto_buf struct buf line = {0};
	const int room = t->replies < 0 ? 0 : fcntl(t->replies, F_GETPIPE_SZ);

	buf_json_text(&line, text);
	if (room <= 0 || line.length >= (size_t)room)
		buf_cut(&line, 0);
	if (!line.length)
		buf_text(&line, "null");
	buf_text(&line, "\n");
	if (t->replies >= 0)
		(void)!write(t->replies, line.data, line.length);
}

/* -- both ------------------------------------------------------------------------------------ */

static int told_open_replies(struct told *t, int *theirs, struct err *e)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return err_sys(e, "make a pipe");
	*theirs = ends[0];
	t->replies = ends[1];
	(void)fcntl(t->replies, F_SETPIPE_SZ, REPLIES_MAX);
	return fcntl(t->replies, F_SETFL, O_NONBLOCK) ? err_sys(e, "make a pipe") : 0;
}

int told_open(struct told *t, bool asks, int theirs[EXCHANGE_HANDED], unsigned *count,
	      struct err *e)
{
	t->events = t->replies = -1;
	t->watch = (struct hub_watch){.ready = told_ready, .context = t, .fd = -1};
	*count = 0;
	if (frame_pipe(&t->events, &theirs[0]))
		return err_sys(e, "make a pipe");
	*count = 1;
	if (asks && told_open_replies(t, &theirs[1], e))
		return -1;
	*count += asks;
	return hub_watch(t->hub, &t->watch, t->events, EPOLLIN, e);
}

void told_close(struct told *t)
{
	told_end(t);
	told_forget(t);
	own_close(&t->replies);
}
