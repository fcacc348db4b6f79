/*
 * execute_stream - the output and the result of a run as server-sent events, as they come.
 */
#include "request/execute_stream.h"

#include <string.h>

#include "base/json_put.h"
#include "loop/clock.h"
#include "request/gate.h"
#include "request/server.h"

#define SILENCE_US 5000000
#define MOMENT_US  10000
#define PIECE_MAX  4096 /* bytes that wait */
#define HEARTBEAT  ": still there\n\n"

static void execute_stream_wait(struct execute_stream *s)
{
	hub_ring(s->hub, &s->heartbeat, monotonic_us() + SILENCE_US);
}

static void execute_stream_beat(void *context)
{
	struct execute_stream *s = context;

	if (!s->request) /* the client disconnected */
		return;
	request_send(s->request, HEARTBEAT, strlen(HEARTBEAT));
	execute_stream_wait(s);
}

static void execute_stream_send(struct execute_stream *s, const char *event, const struct buf *data)
{
	auto_buf struct buf frame = {0};

	buf_printf(&frame, "event: %s\ndata: ", event);
	buf_add(&frame, data->data, data->length);
	buf_text(&frame, "\n\n");
	request_send(s->request, frame.data, frame.length);
	execute_stream_wait(s);
}

static void execute_stream_say_ending(struct request *r)
{
	static const char event[] = "event: error\ndata: {\"message\":\"" GATE_ENDING "\"}\n\n";

	request_send(r, event, sizeof(event) - 1);
	request_end(r);
}

static void execute_stream_put(struct execute_stream *s, int i, const char *bytes, size_t length,
			       bool is_last)
{
	auto_buf struct buf text = {0};
	auto_buf struct buf data = {0};

	event_text_take(&s->texts[i], bytes, length, is_last, &text);
	if (!text.length || !s->request)
		return;
	json_put_begin(&data, NULL, '{');
	json_put_text(&data, "stream", i ? "stderr" : "stdout");
	json_put_bytes(&data, "data", text.data, text.length);
	json_put_end(&data, '}');
	execute_stream_send(s, "output", &data);
}

static void execute_stream_flush(void *context)
{
	struct execute_stream *s = context;
	auto_buf struct buf piece = s->piece;

	s->piece = (struct buf){0};
	hub_silence(s->hub, &s->moment);
	execute_stream_put(s, s->piece_of, piece.data, piece.length, false);
}

void execute_stream_begin(struct execute_stream *s, struct request *r)
{
	s->request = r;
	s->has_begun = true;
	s->hub = r->server->hub;
	s->heartbeat = (struct hub_timer){.ring = execute_stream_beat, .context = s};
	s->moment = (struct hub_timer){.ring = execute_stream_flush, .context = s};
	request_set_header(r, "Cache-Control", "no-cache");
	request_set_header(r, "X-Accel-Buffering", "no");
	r->end_stream = execute_stream_say_ending;
	request_stream(r, 200, "text/event-stream; charset=utf-8");
	execute_stream_wait(s);
}

void execute_stream_take(struct execute_stream *s, int i, const char *bytes, size_t length)
{
	bool is_first;

	if (!length || !s->hub)
		return;
	if (s->piece.length && s->piece_of != i)
		execute_stream_flush(s);
	is_first = !s->piece.length;
	s->piece_of = i;
	buf_add(&s->piece, bytes, length);
	if (s->piece.length >= PIECE_MAX || bytes[length - 1] == '\n')
		execute_stream_flush(s);
	else if (is_first)
		hub_ring(s->hub, &s->moment, monotonic_us() + MOMENT_US);
}

void execute_stream_display(struct execute_stream *s)
{
	auto_buf struct buf data = {0};

	execute_stream_flush(s);
	execute_stream_put(s, 0, NULL, 0, true);
	if (!s->request)
		return;
	json_put_begin(&data, NULL, '{');
	json_put_uint(&data, "index", s->displays++);
	json_put_end(&data, '}');
	execute_stream_send(s, "display", &data);
}

void execute_stream_end(struct execute_stream *s, const struct buf *result)
{
	execute_stream_flush(s);
	for (int i = 0; i < 2; i++)
		execute_stream_put(s, i, NULL, 0, true);
	execute_stream_send(s, "result", result);
	request_end(s->request);
}

void execute_stream_fail(struct execute_stream *s, const char *message)
{
	auto_buf struct buf data = {0};

	execute_stream_flush(s);
	json_put_begin(&data, NULL, '{');
	json_put_text(&data, "message", message);
	json_put_end(&data, '}');
	execute_stream_send(s, "error", &data);
	request_end(s->request);
}

void execute_stream_fini(struct execute_stream *s)
{
	if (s->hub) {
		hub_silence(s->hub, &s->heartbeat);
		hub_silence(s->hub, &s->moment);
	}
	buf_fini(&s->piece);
	for (int i = 0; i < 2; i++)
		event_text_fini(&s->texts[i]);
}
