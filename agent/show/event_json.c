/*
 * event_json - the events of a task for programs.
 */
#include "agent/show/event_json.h"

#include <stdlib.h>
#include <string.h>

#include "agent/show/event_fields.h"
#include "base/escape.h"
#include "base/io.h"
#include "base/json_put.h"
#include "base/own.h"

/* The beginning of a character at the end of a piece. */
struct cut {
	char held[4];
	size_t count;
};

struct event_json {
	struct event_sink sink; /* first: a sink is this */
	int fd;
	struct cut cuts[2]; /* by enum chat_piece */
};

static void event_json_begin_line(struct buf *line, const struct event *event)
{
	json_put_begin(line, NULL, '{');
	json_put_text(line, "event", event_kind_name(event->kind));
	json_put_uint(line, "iteration", event->iteration);
	json_put_uint(line, "iterations", event->iterations);
}

static void event_json_write_line(struct event_json *j, struct buf *line)
{
	json_put_end(line, '}');
	buf_text(line, "\n");
	if (!j->sink.error && io_write_all(j->fd, line->data, line->length))
		j->sink.error = errno;
}

static void event_json_request(struct buf *out, const struct chat_request *r)
{
	json_put_text(out, "model", r->model);
	json_put_uint(out, "messages", r->message_count);
	json_put_bool(out, "tools", r->offer_tools);
	json_put_bool(out, "stream", r->stream);
}

static void event_json_piece(struct event_json *j, const struct event *event, const char *text,
			     size_t length)
{
	auto_buf struct buf line = {0};

	if (!length)
		return;
	event_json_begin_line(&line, event);
	json_put_text(&line, "kind", event->piece == CHAT_THINKING ? "thinking" : "content");
	json_put_bytes(&line, "text", text, length);
	event_json_write_line(j, &line);
}

static void event_json_take_piece(struct event_json *j, const struct event *event)
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
	event_json_piece(j, event, text.data, whole);
}

/* The stream is over: bytes that were held back are no character. */
static void event_json_end_pieces(struct event_json *j, const struct event *event)
{
	for (int kind = CHAT_CONTENT; kind <= CHAT_THINKING; kind++) {
		struct event last = *event;

		last.kind = EVENT_PIECE;
		last.piece = (enum chat_piece)kind;
		event_json_piece(j, &last, j->cuts[kind].held, j->cuts[kind].count);
		j->cuts[kind].count = 0;
	}
}

static void event_json_take(struct event_sink *sink, const struct event *event)
{
	struct event_json *j = (struct event_json *)sink;
	auto_buf struct buf line = {0};

	if (event->kind == EVENT_PIECE) {
		event_json_take_piece(j, event);
		return;
	}
	event_json_begin_line(&line, event);
	if (event->kind == EVENT_REQUEST) {
		memset(j->cuts, 0, sizeof(j->cuts));
		event_json_request(&line, event->request);
	}
	if (event->kind == EVENT_REPLY)
		event_json_end_pieces(j, event);
	event_fields(&line, event);
	event_json_write_line(j, &line);
}

struct event_sink *event_json_new(int fd)
{
	struct event_json *j = own_zeroed(1, sizeof(*j));

	j->sink.take = event_json_take;
	j->fd = fd;
	return &j->sink;
}

void event_json_free(struct event_sink *sink)
{
	free(sink);
}
