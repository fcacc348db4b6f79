/*
 * replay_file - the model's side of a transcript, read.
 */
#include "agent/show/replay_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "agent/data/text.h"
#include "agent/show/replay.h"
#include "agent/show/transcript.h"
#include "base/io.h"
#include "base/json.h"
#include "base/json_escape.h"
#include "base/own.h"
#include "base/trusted_path.h"

#define CALLS_MAX      64
#define MESSAGES_MAX   10000
#define COMPLAINTS_MAX 3

/* The messages of one request, with system texts, because the next request counts them. */
struct sent {
	struct heard *items;
	size_t count;
	bool offered_tools;
	bool there;
};

struct reader {
	struct recording *out;
	struct sent sent;
	char previous[DIGEST_HEX]; /* of the last line; zeros: there was none */
	unsigned complaints;
	void (*warn)(void *context, const char *text);
	void *context;
};

static struct heard replay_file_hear(enum chat_role role, const char *content)
{
	struct heard h = {.role = role};

	digest_hex(content, strlen(content), h.hash);
	return h;
}

struct heard recording_hear(const struct chat_message *m)
{
	return replay_file_hear(m->role, m->content ? m->content : "");
}

bool recording_is_same(const struct heard *a, const struct heard *b)
{
	return a->role == b->role && !strcmp(a->hash, b->hash);
}

static enum chat_role replay_file_role_of(const char *name)
{
	for (int role = CHAT_SYSTEM; role < CHAT_TOOL; role++)
		if (name && !strcmp(name, chat_role_name((enum chat_role)role)))
			return (enum chat_role)role;
	return CHAT_TOOL;
}

static void replay_file_add_heard(struct sent *s, struct heard h)
{
	s->items = own_resize(s->items, s->count + 1, sizeof(*s->items));
	s->items[s->count++] = h;
}

/* One element of "messages": a message, or a range of the previous request. */
static void replay_file_add_message(struct sent *s, const struct sent *before,
				    const struct json *node)
{
	uint64_t from = json_uint_at(node, "from", 0);
	uint64_t count = json_uint_at(node, "count", 0);
	const char *content = json_string_at(node, "content");

	if (!json_get(node, "from")) {
		replay_file_add_heard(
			s, replay_file_hear(replay_file_role_of(json_string_at(node, "role")),
					    content ? content : ""));
		return;
	}
	for (uint64_t i = 0; i < count && from + i < before->count; i++)
		if (s->count < MESSAGES_MAX)
			replay_file_add_heard(s, before->items[from + i]);
}

static void replay_file_take_request(struct reader *r, const struct json *line)
{
	const struct json *messages = json_get(line, "messages");
	const struct json *tools = json_get(line, "tools");
	struct sent now = {.there = true, .offered_tools = tools && json_is_true(tools)};

	if (!r->out->model)
		r->out->model = own_strdup(json_string_at(line, "model"));
	for (const struct json *n = json_first(messages); n; n = json_next(n))
		if (now.count < MESSAGES_MAX)
			replay_file_add_message(&now, &r->sent, n);
	free(r->sent.items);
	r->sent = now;
}

static void replay_file_take_calls(struct chat_message *m, const struct json *calls)
{
	for (const struct json *n = json_first(calls); n; n = json_next(n)) {
		const char *name = json_string_at(n, "name");
		const char *arguments = json_string_at(n, "arguments");

		if (!name || m->call_count == CALLS_MAX)
			continue;
		m->calls = own_resize(m->calls, m->call_count + 1, sizeof(*m->calls));
		m->calls[m->call_count++] =
			(struct chat_call){.id = own_strdup(json_string_at(n, "id")),
					   .name = own_strdup(name),
					   .arguments = own_strdup(arguments ? arguments : "{}")};
	}
}

static struct chat_stats replay_file_stats_of(const struct json *stats)
{
	return (struct chat_stats){.prompt_tokens = json_uint_at(stats, "prompt_tokens", 0),
				   .reply_tokens = json_uint_at(stats, "reply_tokens", 0),
				   .load_us = json_uint_at(stats, "load_us", 0),
				   .prompt_us = json_uint_at(stats, "prompt_us", 0),
				   .reply_us = json_uint_at(stats, "reply_us", 0),
				   .total_us = json_uint_at(stats, "total_us", 0)};
}

/* Keep what had been sent for it, except system texts. */
static void replay_file_keep_heard(struct recorded_reply *reply, const struct sent *sent)
{
	reply->asked = sent->there;
	reply->heard = own_resize(NULL, sent->count + 1, sizeof(*reply->heard));
	for (size_t i = 0; i < sent->count; i++)
		if (sent->items[i].role != CHAT_SYSTEM)
			reply->heard[reply->heard_count++] = sent->items[i];
}

static void replay_file_take_reply(struct reader *r, const struct json *line)
{
	struct recording *out = r->out;
	const char *content = json_string_at(line, "content");
	const char *reason = json_string_at(line, "done_reason");
	struct recorded_reply reply = {0};
	struct chat_message *m = &reply.reply.message;

	m->role = CHAT_ASSISTANT;
	m->content = own_strdup(content ? content : "");
	m->thinking = own_strdup(json_string_at(line, "thinking"));
	replay_file_take_calls(m, json_get(line, "calls"));
	reply.reply.model = own_strdup(json_string_at(line, "model"));
	snprintf(reply.reply.done_reason, sizeof(reply.reply.done_reason), "%s",
		 reason ? reason : "");
	reply.reply.stats = replay_file_stats_of(json_get(line, "stats"));
	replay_file_keep_heard(&reply, &r->sent);
	out->tools = out->tools || r->sent.offered_tools || m->call_count;
	out->thinking = out->thinking || m->thinking;
	out->replies = own_resize(out->replies, out->reply_count + 1, sizeof(*out->replies));
	out->replies[out->reply_count++] = reply;
}

static void replay_file_take_task(struct reader *r, const struct json *line)
{
	struct recording *out = r->out;
	const char *text = json_string_at(line, "text");

	if (!text)
		return;
	/* A task without a reply cannot be played. */
	if (out->task_count && out->tasks[out->task_count - 1].first == out->reply_count)
		free(out->tasks[--out->task_count].text);
	out->tasks = own_resize(out->tasks, out->task_count + 1, sizeof(*out->tasks));
	out->tasks[out->task_count++] =
		(struct recorded_task){.text = own_strdup(text), .first = out->reply_count};
}

static void replay_file_take_header(struct reader *r, const struct json *line)
{
	if (json_uint_at(line, "version", 0) != TRANSCRIPT_VERSION)
		r->warn(r->context, "it is of another version");
}

static const struct kind {
	const char *name;
	void (*take)(struct reader *r, const struct json *line);
} kinds[] = {
	{"transcript", replay_file_take_header },
	{"task",       replay_file_take_task   },
	{"request",    replay_file_take_request},
	{"reply",      replay_file_take_reply  },
};

static void replay_file_complain(struct reader *r, size_t number_of_line, const char *what)
{
	char text[100];

	if (r->complaints++ >= COMPLAINTS_MAX)
		return;
	snprintf(text, sizeof(text), "line %zu %s", number_of_line, what);
	r->warn(r->context, text);
}

static void replay_file_take_line(struct reader *r, char *line, size_t length,
				  size_t number_of_line)
{
	auto_json struct json *document = NULL;
	char hash[DIGEST_HEX];
	const char *kind;
	const char *previous;
	struct err e;

	digest_hex(line, length, hash);
	/* A program's output may contain NUL, which our documents may not. */
	json_repair(line, length);
	document = json_parse(line, length, &e);
	kind = document ? json_string_at(document, "kind") : NULL;
	previous = document ? json_string_at(document, "previous") : NULL;
	if (!kind)
		replay_file_complain(r, number_of_line, "cannot be read");
	else if (number_of_line == 1 && strcmp(kind, kinds[0].name) != 0)
		replay_file_complain(r, number_of_line, "is not the beginning of a transcript");
	else if (!previous || strcmp(previous, r->previous) != 0)
		replay_file_complain(r, number_of_line,
				     "does not follow the one before: it was changed");
	memcpy(r->previous, hash, sizeof(hash));
	for (size_t i = 0; kind && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(kind, kinds[i].name))
			kinds[i].take(r, document);
}

int recording_parse(const char *text, size_t length, struct recording *out,
		    void (*warn)(void *context, const char *text), void *context, struct err *e)
{
	struct reader r = {.out = out, .warn = warn, .context = context};
	size_t number_of_line = 0;

	memset(r.previous, '0', sizeof(r.previous) - 1);
	for (size_t at = 0; at < length; at = text_next_line(text, at, length)) {
		size_t n = text_line_end(text, at, length) - at;
		auto_buf struct buf line = {0};

		buf_add(&line, text + at, n);
		if (n)
			replay_file_take_line(&r, line.data, n, ++number_of_line);
	}
	free(r.sent.items);
	if (!out->reply_count)
		return err_input(e, "there is no reply of a model in it");
	return 0;
}

int recording_read(const char *path, struct recording *out,
		   void (*warn)(void *context, const char *text), void *context, struct err *e)
{
	auto_fd int fd = trusted_path_read(path, e);
	auto_buf struct buf text = {0};

	if (fd < 0 || io_read_fd(fd, path, REPLAY_BYTES, &text, e))
		return -1;
	if (recording_parse(buf_string(&text), text.length, out, warn, context, e))
		return err_prefix(e, "%s", path);
	return 0;
}

void recording_fini(struct recording *r)
{
	for (size_t i = 0; i < r->reply_count; i++) {
		chat_reply_fini(&r->replies[i].reply);
		free(r->replies[i].heard);
	}
	free(r->replies);
	free(r->model);
	for (size_t i = 0; i < r->task_count; i++)
		free(r->tasks[i].text);
	free(r->tasks);
	*r = (struct recording){0};
}
