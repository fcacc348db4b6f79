/*
 * event_json - the events of a task for programs.
 */
#include "agent/show/event_json.h"

#include <stdlib.h>
#include <string.h>

#include "agent/show/event_fields.h"
#include "base/escape.h"
#include "base/io.h"

/* The end of a piece that is the beginning of a character. */
struct cut {
	char held[4];
	size_t count;
};

struct event_json {
	struct event_sink sink; /* first: a sink is this */
	int fd;
	struct cut cuts[2]; /* by enum chat_piece */
};

static void write_line(struct event_json *j, const struct event *event, const struct buf *members)
{
	auto_buf struct buf line = {0};

	if (j->sink.error)
		return;
	buf_printf(&line, "{\"event\":\"%s\",\"iteration\":%u,\"iterations\":%u,",
		   event_kind_name(event->kind), event->iteration, event->iterations);
	buf_add(&line, members->data, members->length);
	buf_text(&line, "}\n");
	if (io_write_all(j->fd, line.data, line.length))
		j->sink.error = errno;
}

static void request(struct buf *out, const struct chat_request *r)
{
	buf_text(out, "\"model\":");
	buf_json_text(out, r->model);
	buf_printf(out, ",\"messages\":%zu,\"tools\":%s,\"stream\":%s", r->message_count,
		   r->offer_tools ? "true" : "false", r->stream ? "true" : "false");
}

static void piece(struct event_json *j, const struct event *event, const char *text, size_t length)
{
	auto_buf struct buf members = {0};

	if (!length)
		return;
	buf_printf(&members, "\"kind\":\"%s\",\"text\":",
		   event->piece == CHAT_THINKING ? "thinking" : "content");
	buf_json_string(&members, text, length);
	write_line(j, event, &members);
}

static void take_piece(struct event_json *j, const struct event *event)
{
	struct cut *cut = &j->cuts[event->piece];
	auto_buf struct buf text = {0};
	size_t whole;

	if (!event->length)
		return;
	buf_add(&text, cut->held, cut->count);
	buf_add(&text, event->text, event->length);
	whole = escape_whole(text.data, text.length);
	cut->count = text.length - whole;
	memcpy(cut->held, text.data + whole, cut->count);
	piece(j, event, text.data, whole);
}

/* What was held back is no character: the stream is over. */
static void end_pieces(struct event_json *j, const struct event *event)
{
	for (int kind = CHAT_CONTENT; kind <= CHAT_THINKING; kind++) {
		struct event last = *event;

		last.kind = EVENT_PIECE;
		last.piece = (enum chat_piece)kind;
		piece(j, &last, j->cuts[kind].held, j->cuts[kind].count);
		j->cuts[kind].count = 0;
	}
}

static void take(struct event_sink *sink, const struct event *event)
{
	struct event_json *j = (struct event_json *)sink;
	auto_buf struct buf members = {0};

	if (event->kind == EVENT_PIECE) {
		take_piece(j, event);
		return;
	}
	if (event->kind == EVENT_REQUEST) {
		memset(j->cuts, 0, sizeof(j->cuts));
		request(&members, event->request);
	}
	if (event->kind == EVENT_REPLY)
		end_pieces(j, event);
	event_fields(&members, event);
	write_line(j, event, &members);
}

struct event_sink *event_json_new(int fd)
{
	struct event_json *j = calloc(1, sizeof(*j));

	if (!j)
		abort();
	j->sink.take = take;
	j->fd = fd;
	return &j->sink;
}

void event_json_free(struct event_sink *sink)
{
	free(sink);
}
