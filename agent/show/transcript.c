/*
 * transcript - everything that happened in a task or a conversation, as JSON lines.
 */
#include "agent/show/transcript.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agent/data/sha256.h"
#include "agent/show/event_fields.h"
#include "base/io.h"
#include "base/own.h"
#include "base/trusted_path.h"

struct hash {
	char text[SHA256_HEX];
};

struct transcript {
	struct event_sink sink; /* first: a sink is this */
	int fd;                 /* owned */
	char *path;
	struct hash previous; /* line */
	struct hash *sent;    /* the messages of the last request */
	size_t sent_count;
	bool failed;
	struct err error;
};

/* Since the epoch: when it was, not how long it took. */
static uint64_t wall_clock_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* One line of this kind; `members` has a comma before each of its members. */
static void write_line(struct transcript *t, const char *kind, const struct buf *members)
{
	auto_buf struct buf line = {0};

	if (t->failed)
		return;
	buf_printf(&line, "{\"kind\":\"%s\",\"previous\":\"%s\",\"time_ms\":%" PRIu64, kind,
		   t->previous.text, wall_clock_ms());
	buf_add(&line, members->data, members->length);
	buf_text(&line, "}\n");
	sha256_text(line.data, line.length - 1, t->previous.text);
	if (io_write_all(t->fd, line.data, line.length)) {
		err_sys(&t->error, "write %s", t->path);
		t->failed = true;
	}
}

static void settings(struct buf *out, const struct chat_request *r)
{
	static const char *const think[] = {
		[CHAT_THINK_UNSET] = "unset",
		[CHAT_THINK_OFF] = "off",
		[CHAT_THINK_ON] = "on",
	};

	buf_text(out, "\"model\":");
	buf_json_text(out, r->model);
	buf_printf(out, ",\"tools\":%s,\"think\":\"%s\",\"stream\":%s,\"num_ctx\":%" PRIu64,
		   r->offer_tools ? "true" : "false", think[r->think], r->stream ? "true" : "false",
		   r->num_ctx);
	buf_printf(out, ",\"num_predict\":%" PRIu64, r->num_predict);
	if (r->temperature >= 0 && r->temperature < 1000)
		buf_printf(out, ",\"temperature\":%.6f", r->temperature);
	else
		buf_text(out, ",\"temperature\":null");
	buf_printf(out, ",\"seed\":%" PRId64 ",\"keep_alive\":", r->seed);
	buf_json_text(out, r->keep_alive);
}

static size_t find_sent(const struct transcript *t, const struct hash *hash, size_t from)
{
	while (from < t->sent_count && memcmp(&t->sent[from], hash, sizeof(*hash)) != 0)
		from++;
	return from;
}

/* What is new in full, and in between what was sent before, by its place there. */
static void messages(struct transcript *t, struct buf *out, const struct chat_request *r)
{
	struct hash *sent = calloc(r->message_count + 1, sizeof(*sent));
	size_t next = 0; /* of the last request's messages: those before are used up */
	size_t run = 0;  /* messages before that one that are not told yet */
	const char *comma = "";

	if (!sent)
		abort();
	buf_text(out, ",\"messages\":[");
	for (size_t i = 0; i <= r->message_count; i++) {
		auto_buf struct buf text = {0};
		size_t at = t->sent_count;

		if (i < r->message_count) {
			event_fields_message(&text, &r->messages[i]);
			sha256_text(text.data, text.length, sent[i].text);
			at = find_sent(t, &sent[i], next);
		}
		if (run && (at != next || at == t->sent_count)) {
			buf_printf(out, "%s{\"from\":%zu,\"count\":%zu}", comma, next - run, run);
			comma = ",";
			run = 0;
		}
		if (at < t->sent_count) {
			next = at + 1;
			run++;
		} else if (i < r->message_count) {
			buf_text(out, comma);
			buf_add(out, text.data, text.length);
			comma = ",";
		}
	}
	buf_text(out, "]");
	free(t->sent);
	t->sent = sent;
	t->sent_count = r->message_count;
}

static void take(struct event_sink *sink, const struct event *event)
{
	struct transcript *t = (struct transcript *)sink;
	auto_buf struct buf members = {0};

	if (event->kind == EVENT_PIECE)
		return;
	buf_printf(&members, ",\"iteration\":%u,\"iterations\":%u,", event->iteration,
		   event->iterations);
	if (event->kind == EVENT_REQUEST) {
		settings(&members, event->request);
		messages(t, &members, event->request);
	}
	event_fields(&members, event);
	write_line(t, event_kind_name(event->kind), &members);
}

struct event_sink *transcript_open(const char *path, struct err *e)
{
	auto_fd int fd = trusted_path_file(path, O_WRONLY | O_CREAT | O_TRUNC, e);
	auto_buf struct buf members = {0};
	struct transcript *t;

	if (fd < 0)
		return NULL;
	t = calloc(1, sizeof(*t));
	if (!t)
		abort();
	t->path = own_strdup(path);
	t->sink.take = take;
	t->fd = take_fd(&fd);
	memset(t->previous.text, '0', sizeof(t->previous.text) - 1);
	buf_printf(&members, ",\"iteration\":0,\"iterations\":0,\"version\":%d,\"glovebox\":\"%s\"",
		   TRANSCRIPT_VERSION, GLOVEBOX_VERSION);
	write_line(t, "transcript", &members);
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
