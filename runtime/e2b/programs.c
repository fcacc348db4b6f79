/*
 * programs - process.Process: start programs in a sandbox, listen to them, feed and signal them.
 */
#include "e2b/calls.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/encode.h"
#include "base/json_put.h"
#include "base/own.h"
#include "e2b/connect.h"
#include "e2b/entry.h"
#include "e2b/running.h"

#define NO_SUCH    "no process of the sandbox has this pid or tag"
#define NO_ROOM    "too much input waits for the process already"
#define NO_SIGNAL  "signal: SIGNAL_SIGTERM or SIGNAL_SIGKILL"
#define NO_MESSAGE "a message of the stream is malformed"

void programs_run_start(struct request *r)
{
	struct e2b_box *b = entry_box(r);
	auto_json struct json *wish = b ? connect_read_stream(r) : NULL;

	if (wish)
		running_start(r, b, wish);
}

void programs_run_connect(struct request *r)
{
	struct e2b_box *b = entry_box(r);
	auto_json struct json *wish = b ? connect_read_stream(r) : NULL;
	struct running *p = wish ? running_find(b, json_get(wish, "process")) : NULL;

	if (p)
		listener_add(&p->audience, r);
	else if (wish)
		connect_refuse_stream(r, CONNECT_NOT_FOUND, NO_SUCH);
}

static void programs_put(const struct running *p, struct buf *out)
{
	json_put_begin(out, NULL, '{');
	json_put(out, "pid:%u", running_pid(p));
	if (p->tag)
		json_put_text(out, "tag", p->tag);
	json_put_begin(out, "config", '{');
	json_put_text(out, "cmd", p->words.items[0]);
	json_put_begin(out, "args", '[');
	for (size_t i = 1; i < p->words.count; i++)
		json_put_text(out, NULL, p->words.items[i]);
	json_put_end(out, ']');
	json_put_key(out, "envs");
	e2b_box_put_env(&p->env, p->env_own, out);
	json_put_text(out, "cwd", p->cwd);
	buf_text(out, "}}");
}

void programs_run_list(struct request *r)
{
	struct e2b_box *b = entry_box(r);
	auto_buf struct buf body = {0};
	const struct running *p;

	if (!b)
		return;
	json_put_begin(&body, NULL, '{');
	json_put_begin(&body, "processes", '[');
	LIST_FOREACH (p, &b->programs, link) {
		if (p->has_started)
			programs_put(p, &body);
	}
	buf_text(&body, "]}");
	connect_reply(r, &body);
}

/* -- calls to one of them -------------------------------------------------------------------- */

/* The message of a call, and the process that it names; NULL: refused and answered. */
static struct running *programs_named(struct request *r, struct json **message)
{
	const struct e2b_box *b = entry_box(r);
	struct running *p = NULL;

	if (b)
		*message = connect_read(r);
	if (*message)
		p = running_find(b, json_get(*message, "process"));
	if (*message && !p)
		connect_refuse(r, CONNECT_NOT_FOUND, NO_SUCH);
	return p;
}

static void programs_answer(struct request *r)
{
	auto_buf struct buf body = {0};

	buf_text(&body, "{}");
	connect_reply(r, &body);
}

/* Feed the bytes of an `input`. false: malformed, or too many wait already. */
static bool programs_feed(struct running *p, const struct json *input)
{
	const char *text = json_string_at(input, "stdin");
	auto_buf struct buf bytes = {0};

	text = text ? text : json_text_at(input, "pty");
	return !decode_base64(text, &bytes) && running_feed(p, buf_string(&bytes), bytes.length);
}

void programs_run_input(struct request *r)
{
	auto_json struct json *message = NULL;
	struct running *p = programs_named(r, &message);

	if (!p)
		return;
	if (programs_feed(p, json_get(message, "input")))
		programs_answer(r);
	else
		connect_refuse(r, CONNECT_EXHAUSTED, NO_ROOM);
}

void programs_run_close(struct request *r)
{
	auto_json struct json *message = NULL;
	struct running *p = programs_named(r, &message);

	if (!p)
		return;
	if (!p->request.tty)
		running_feed_end(p);
	programs_answer(r);
}

void programs_run_signal(struct request *r)
{
	auto_json struct json *message = NULL;
	struct running *p = programs_named(r, &message);
	const char *name = json_text_at(message, "signal");

	if (!p)
		return;
	if (strcmp(name, "SIGNAL_SIGTERM") != 0 && strcmp(name, "SIGNAL_SIGKILL") != 0) {
		connect_refuse(r, CONNECT_INVALID, NO_SIGNAL);
		return;
	}
	further_signal(p->further, strcmp(name, "SIGNAL_SIGTERM") ? SIGKILL : SIGTERM);
	programs_answer(r);
}

void programs_run_update(struct request *r)
{
	auto_json struct json *message = NULL;
	struct running *p = programs_named(r, &message);
	const struct json *size = json_get(json_get(message, "pty"), "size");

	if (!p)
		return;
	if (size)
		further_resize(p->further, (uint16_t)json_uint_at(size, "rows", 24),
			       (uint16_t)json_uint_at(size, "cols", 80));
	programs_answer(r);
}

/* -- input as a stream ----------------------------------------------------------------------- */

/* Messages of a client as they come; the request's work. */
struct programs_stream {
	struct buf in;
	uint64_t pid; /* 0: no process is named yet */
	enum connect_code code;
	const char *wrong; /* NULL: nothing */
};

static void programs_abandon(struct request *r)
{
	struct programs_stream *s = r->work;

	buf_fini(&s->in);
	free(s);
}

/* A message names the process, or has input for it, which ends before this one if it does. */
static void programs_stream_message(struct request *r, struct programs_stream *s,
				    const struct json *message)
{
	const struct json *start = json_get(message, "start");
	const struct json *data = json_get(message, "data");
	struct running *p = NULL;
	char name[HANDLE_BYTES];
	const struct e2b_box *b = entry_name(r, name) ? e2b_box_find(r->server, name) : NULL;

	if (start)
		s->pid = json_uint_at(json_get(start, "process"), "pid", 0);
	if (b)
		p = running_named(b, s->pid, NULL);
	if (!p || (data && !programs_feed(p, json_get(data, "input")))) {
		s->code = p ? CONNECT_EXHAUSTED : CONNECT_NOT_FOUND;
		s->wrong = p ? NO_ROOM : NO_SUCH;
	}
}

bool programs_take_stream(struct request *r, const char *bytes, size_t length)
{
	struct programs_stream *s = r->work ? r->work : own_zeroed(1, sizeof(*s));
	struct json *message;
	int n = 0;

	r->work = s;
	r->abandon = programs_abandon;
	buf_add(&s->in, bytes, length);
	while (!s->wrong && (n = connect_take(&s->in, &message)) == 1) {
		programs_stream_message(r, s, message);
		json_free(message);
	}
	if (n < 0) {
		s->code = CONNECT_INVALID;
		s->wrong = NO_MESSAGE;
	}
	return !s->wrong;
}

void programs_run_stream(struct request *r)
{
	struct programs_stream *s = r->work;
	auto_buf struct buf body = {0};
	auto_buf struct buf empty = {0};

	r->work = NULL;
	r->abandon = NULL;
	buf_text(&empty, "{}");
	if (!s->wrong)
		connect_put(&body, 0, &empty);
	connect_put_end(&body, s->code, s->wrong);
	request_reply(r, 200, CONNECT_STREAM, &body);
	buf_fini(&s->in);
	free(s);
}
