/*
 * transcript - record the events of a task or a conversation as JSON lines.
 */
#include "agent/show/transcript.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agent/show/event_json.h"
#include "base/encode.h"
#include "base/io.h"
#include "base/json_put.h"
#include "base/own.h"
#include "fs/trusted_path.h"

struct hash {
	char text[DIGEST_HEX];
};

struct transcript {
	struct event_sink sink; /* first: a sink is this */
	int fd;                 /* owned */
	char *path;
	struct hash previous; /* of the previous line */
	struct hash *sent;    /* the messages of the last request */
	size_t sent_count;
	bool failed;
	struct err error;
};

/* Return milliseconds since the epoch: a date, not a duration. */
static uint64_t transcript_wall_clock_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static void transcript_begin_line(const struct transcript *t, const char *kind, unsigned iteration,
				  unsigned iterations, struct buf *line)
{
	json_put_begin(line, NULL, '{');
	json_put_text(line, "kind", kind);
	json_put_text(line, "previous", t->previous.text);
	json_put_uint(line, "time_ms", transcript_wall_clock_ms());
	json_put_uint(line, "iteration", iteration);
	json_put_uint(line, "iterations", iterations);
}

static void transcript_write_line(struct transcript *t, struct buf *line)
{
	if (t->failed)
		return;
	json_put_end(line, '}');
	digest_hex(line->data, line->length, t->previous.text);
	buf_text(line, "\n");
	if (io_write_all(t->fd, line->data, line->length)) {
		err_sys(&t->error, "write %s", t->path);
		t->failed = true;
	}
}

static void transcript_settings(struct buf *out, const struct chat_request *r)
{
	static const char *const think[] = {
		[CHAT_THINK_UNSET] = "unset",
		[CHAT_THINK_OFF] = "off",
		[CHAT_THINK_ON] = "on",
	};

	json_put_text(out, "model", r->model);
	json_put_bool(out, "tools", r->offer_tools);
	json_put_text(out, "think", think[r->think]);
	json_put_bool(out, "stream", r->stream);
	json_put_uint(out, "num_ctx", r->num_ctx);
	json_put_uint(out, "num_predict", r->num_predict);
	json_put_key(out, "temperature");
	if (r->temperature >= 0 && r->temperature < 1000)
		buf_printf(out, "%.6f", r->temperature);
	else
		buf_text(out, "null");
	json_put_int(out, "seed", r->seed);
	json_put_text(out, "keep_alive", r->keep_alive);
}

static size_t transcript_find_sent(const struct transcript *t, const struct hash *hash, size_t from)
{
	while (from < t->sent_count && memcmp(&t->sent[from], hash, sizeof(*hash)) != 0)
		from++;
	return from;
}

/* Write new messages in full, and repeated ones as references to the previous request. */
static void transcript_messages(struct transcript *t, struct buf *out, const struct chat_request *r)
{
	struct hash *sent = own_zeroed(r->message_count + 1, sizeof(*sent));
	size_t next = 0; /* next candidate in the last request; earlier ones are used */
	size_t run = 0;  /* length of the pending reference, which ends before `next` */

	json_put_begin(out, "messages", '[');
	for (size_t i = 0; i <= r->message_count; i++) {
		auto_buf struct buf text = {0};
		size_t at = t->sent_count;

		if (i < r->message_count) {
			event_json_message(&text, &r->messages[i]);
			digest_hex(text.data, text.length, sent[i].text);
			at = transcript_find_sent(t, &sent[i], next);
		}
		if (run && (at != next || at == t->sent_count)) {
			json_put_begin(out, NULL, '{');
			json_put_uint(out, "from", next - run);
			json_put_uint(out, "count", run);
			json_put_end(out, '}');
			run = 0;
		}
		if (at < t->sent_count) {
			next = at + 1;
			run++;
		} else if (i < r->message_count) {
			json_put_key(out, NULL);
			buf_add(out, text.data, text.length);
		}
	}
	json_put_end(out, ']');
	free(t->sent);
	t->sent = sent;
	t->sent_count = r->message_count;
}

static void transcript_take(struct event_sink *sink, const struct event *event)
{
	struct transcript *t = (struct transcript *)sink;
	auto_buf struct buf line = {0};

	if (event->kind == EVENT_PIECE || event->kind == EVENT_BEGIN || event->kind == EVENT_OUTPUT)
		return;
	transcript_begin_line(t, event_kind_name(event->kind), event->iteration, event->iterations,
			      &line);
	if (event->kind == EVENT_REQUEST) {
		transcript_settings(&line, event->request);
		transcript_messages(t, &line, event->request);
	}
	event_json_fields(&line, event);
	transcript_write_line(t, &line);
}

struct event_sink *transcript_open(struct written_path path, struct err *e)
{
	auto_fd int fd = trusted_path_write(path, LINKS_OF_SYSTEM, O_TRUNC, 0600, e);
	auto_buf struct buf line = {0};
	struct transcript *t;

	if (fd < 0)
		return NULL;
	t = own_zeroed(1, sizeof(*t));
	t->path = own_strdup(path.text);
	t->sink.take = transcript_take;
	t->fd = take_fd(&fd);
	memset(t->previous.text, '0', sizeof(t->previous.text) - 1);
	transcript_begin_line(t, "transcript", 0, 0, &line);
	json_put_uint(&line, "version", TRANSCRIPT_VERSION);
	json_put_text(&line, "glovebox", GLOVEBOX_VERSION);
	transcript_write_line(t, &line);
	return &t->sink;
}

int transcript_close(struct event_sink *sink, struct err *e)
{
	struct transcript *t = (struct transcript *)sink;
	int status = 0;

	if (close(t->fd) && !t->failed) {
		err_sys(&t->error, "write %s", t->path);
		t->failed = true;
	}
	if (t->failed) {
		*e = t->error;
		status = -1;
	}
	free(t->sent);
	free(t->path);
	free(t);
	return status;
}
