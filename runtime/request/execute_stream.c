/*
 * execute_stream - the output and the result of a run as events, as they come.
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

/* -- serve's own form ------------------------------------------------------------------------ */

void execute_stream_put_event(struct buf *out, const char *event, const struct buf *data)
{
	buf_printf(out, "event: %s\ndata: ", event);
	buf_add(out, data->data, data->length);
	buf_text(out, "\n\n");
}

static void execute_stream_put_output(struct buf *out, int i, const struct buf *text)
{
	auto_buf struct buf data = {0};

	json_put(&data, "{stream:%s, data:%.*s}", i ? "stderr" : "stdout", (int)text->length,
		 text->data);
	execute_stream_put_event(out, "output", &data);
}

static void execute_stream_put_display(struct buf *out, unsigned index)
{
	auto_buf struct buf data = {0};

	json_put(&data, "{index:%u}", index);
	execute_stream_put_event(out, "display", &data);
}

static void execute_stream_put_result(struct buf *out, const struct buf *result)
{
	execute_stream_put_event(out, "result", result);
}

static void execute_stream_put_error(struct buf *out, const char *message)
{
	auto_buf struct buf data = {0};

	json_put(&data, "{message:%s}", message);
	execute_stream_put_event(out, "error", &data);
}

static void execute_stream_say_ending(struct request *r)
{
	auto_buf struct buf event = {0};

	execute_stream_put_error(&event, GATE_ENDING);
	request_send(r, event.data, event.length);
	request_end(r);
}

static const struct stream_form execute_stream_events = {
	.type = "text/event-stream; charset=utf-8",
	.heartbeat = ": still there\n\n",
	.output = execute_stream_put_output,
	.display = execute_stream_put_display,
	.result = execute_stream_put_result,
	.error = execute_stream_put_error,
	.say_ending = execute_stream_say_ending,
};

/* -- sending --------------------------------------------------------------------------------- */

static void execute_stream_wait(struct execute_stream *s)
{
	hub_ring(s->hub, &s->heartbeat, monotonic_us() + SILENCE_US);
}

static void execute_stream_beat(void *context)
{
	struct execute_stream *s = context;

	if (!s->request) /* the client disconnected */
		return;
	request_send(s->request, s->form->heartbeat, strlen(s->form->heartbeat));
	execute_stream_wait(s);
}

static void execute_stream_send(struct execute_stream *s, const struct buf *event)
{
	request_send(s->request, event->data, event->length);
	execute_stream_wait(s);
}

static void execute_stream_put(struct execute_stream *s, int i, const char *bytes, size_t length,
			       bool is_last)
{
	auto_buf struct buf text = {0};
	auto_buf struct buf event = {0};

	event_text_take(&s->texts[i], bytes, length, is_last, &text);
	if (!text.length || !s->request)
		return;
	s->form->output(&event, i, &text);
	execute_stream_send(s, &event);
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
	s->form = s->form ? s->form : &execute_stream_events;
	s->has_begun = true;
	s->hub = r->server->hub;
	s->heartbeat = (struct hub_timer){.ring = execute_stream_beat, .context = s};
	s->moment = (struct hub_timer){.ring = execute_stream_flush, .context = s};
	request_set_header(r, "Cache-Control", "no-cache");
	request_set_header(r, "X-Accel-Buffering", "no");
	r->end_stream = s->form->say_ending;
	request_stream(r, 200, s->form->type);
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
	auto_buf struct buf event = {0};

	execute_stream_flush(s);
	execute_stream_put(s, 0, NULL, 0, true);
	if (!s->request || !s->form->display)
		return;
	s->form->display(&event, s->displays++);
	execute_stream_send(s, &event);
}

void execute_stream_end(struct execute_stream *s, const struct buf *result)
{
	auto_buf struct buf event = {0};

	execute_stream_flush(s);
	for (int i = 0; i < 2; i++)
		execute_stream_put(s, i, NULL, 0, true);
	s->form->result(&event, result);
	execute_stream_send(s, &event);
	request_end(s->request);
}

void execute_stream_fail(struct execute_stream *s, const char *message)
{
	auto_buf struct buf event = {0};

	execute_stream_flush(s);
	s->form->error(&event, message);
	execute_stream_send(s, &event);
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
