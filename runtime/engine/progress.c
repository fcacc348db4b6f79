/*
 * progress - a command whose lines go to the client as JSON.
 */
#include "engine/progress.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_put.h"
#include "base/own.h"
#include "base/say.h"
#include "engine/answer.h"

#define LINE_MAX_BYTES (64u << 10)
#define OURS           "glovebox: " /* before lines of ours for people */
#define UNSENT         (256u << 10) /* of a client: beyond, its command is held up */

struct progress {
	struct hub *hub;
	struct request *request;
	struct progress_wish wish;
	struct list words;
	struct verb *verb;
	struct verb_result result;
	struct buf lines[2]; /* what has come of a line of each stream */
	struct buf errors;   /* standard error, for the cause of a failure */
	struct list pending; /* lines that are the error, if the command fails */
	bool is_open;        /* the reply has begun */
};

static void progress_free(struct progress *p)
{
	verb_free(p->verb);
	verb_result_fini(&p->result);
	list_fini(&p->words);
	buf_fini(&p->lines[0]);
	buf_fini(&p->lines[1]);
	buf_fini(&p->errors);
	list_fini(&p->pending);
	free(p->wish.lost);
	free(p);
}

static size_t progress_hear(struct request *r, const char *bytes, size_t length)
{
	(void)r;
	(void)bytes;
	return length;
}

static void progress_drained(struct request *r)
{
	struct progress *p = r->work;

	if (p)
		verb_hold(p->verb, false);
}

/* docker-py takes lines that are not in chunks for one document. */
static const struct duplex progress_duplex = {
	.take = progress_hear, .drained = progress_drained, .chunks = true};

static void progress_send(struct progress *p, struct buf *json)
{
	buf_text(json, "\r\n");
	if (!p->is_open)
		request_upgrade(p->request, NULL, ANSWER_JSON, &progress_duplex);
	p->is_open = true;
	request_send(p->request, json->data, json->length);
}

static bool progress_is_ours(const char *line)
{
	return !strncmp(line, OURS, strlen(OURS));
}

static void progress_say(struct progress *p, const char *line, size_t length)
{
	auto_buf struct buf json = {0};
	auto_buf struct buf text = {0};

	if (progress_is_ours(line)) {
		line += strlen(OURS);
		length -= strlen(OURS);
	}
	buf_add(&text, line, length);
	if (p->wish.has_ends)
		buf_text(&text, "\n");
	json_put_begin(&json, NULL, '{');
	json_put_bytes(&json, p->wish.key, buf_string(&text), text.length);
	json_put_end(&json, '}');
	progress_send(p, &json);
}

/* One of ours, or of skopeo, may be the error: before the reply has begun, that would be its
 * status. */
static bool progress_may_fail(const struct progress *p, const char *line)
{
	return !p->is_open && (progress_is_ours(line) || !strncmp(line, "time=\"", 6));
}

static void progress_flush(struct progress *p)
{
	for (size_t i = 0; i < p->pending.count; i++)
		progress_say(p, p->pending.items[i], strlen(p->pending.items[i]));
	list_fini(&p->pending);
	p->pending = (struct list){0};
}

/* A carriage return begins a line anew. */
static void progress_end_line(struct progress *p, struct buf *line)
{
	const char *text = buf_string(line);
	const char *last = strrchr(text, '\r');
	auto_free char *said = NULL;

	text = last && last[1] ? last + 1 : text;
	said = own_strndup(text, strcspn(text, "\r"));
	if (p->pending.count && progress_is_ours(p->pending.items[p->pending.count - 1]))
		progress_flush(p);
	if (progress_may_fail(p, said)) {
		list_add(&p->pending, said);
	} else if (*said) {
		progress_flush(p);
		progress_say(p, said, strlen(said));
	}
	buf_cut(line, 0);
}

static void progress_take(void *context, int stream, const char *bytes, size_t length)
{
	struct progress *p = context;
	struct buf *line = &p->lines[stream - 1];

	if (stream == 2 && p->errors.length < LINE_MAX_BYTES)
		buf_add(&p->errors, bytes, length);
	if (stream == 2 && p->wish.is_quiet)
		return;
	for (size_t i = 0; i < length; i++) {
		if (bytes[i] != '\n' && line->length < LINE_MAX_BYTES)
			buf_add(line, bytes + i, 1);
		if (bytes[i] == '\n')
			progress_end_line(p, line);
	}
	if (p->is_open && request_unsent(p->request) > UNSENT)
		verb_hold(p->verb, true);
}

/* skopeo's last word, msg="...", of a command that calls it. NULL: there is none; owned. */
static char *progress_cause(const struct progress *p)
{
	for (size_t i = p->pending.count; i-- > 0;) {
		const char *begin = strstr(p->pending.items[i], " msg=\"");
		const char *end = strrchr(p->pending.items[i], '"');

		if (begin && end > begin + 6)
			return own_strndup(begin + 6, (size_t)(end - begin) - 6);
	}
	return NULL;
}

/* The error of a command that has failed. */
static void progress_judge(struct progress *p, struct err *e)
{
	auto_free char *cause = progress_cause(p);
	char text[sizeof(e->text) + 100];
	int length;
	const char *said = say_heard(buf_string(&p->errors), &length);

	*e = p->result.error;
	if (e->kind == ERR_NONE)
		err_fill(e, ERR_SYSTEM, "%.*s", length > 400 ? 400 : length, said);
	if (!p->wish.lost)
		return;
	err_string(e, text, sizeof(text));
	err_fill(e, ERR_NOT_FOUND, "%.200s: %.290s", p->wish.lost, cause ? cause : text);
}

static void progress_fail(struct progress *p)
{
	auto_buf struct buf json = {0};
	struct err e;
	char text[sizeof(e.text) + 100];

	progress_judge(p, &e);
	if (!p->is_open) {
		answer_error(p->request, &e);
		return;
	}
	err_string(&e, text, sizeof(text));
	json_put_begin(&json, NULL, '{');
	json_put_begin(&json, "errorDetail", '{');
	json_put_text(&json, "message", text);
	json_put_end(&json, '}');
	json_put_text(&json, "error", text);
	json_put_end(&json, '}');
	progress_send(p, &json);
	request_end(p->request);
}

static void progress_done(void *context)
{
	struct progress *p = context;
	struct buf none = {0};

	p->request->work = NULL;
	p->request->abandon = NULL;
	if (p->result.status || p->result.error.kind != ERR_NONE) {
		progress_fail(p);
	} else {
		progress_end_line(p, &p->lines[0]);
		progress_flush(p);
		if (p->is_open)
			request_end(p->request);
		else
			request_reply(p->request, 200, ANSWER_JSON, &none);
	}
	progress_free(p);
}

static void progress_abandon(struct request *r)
{
	struct progress *p = r->work;

	r->work = NULL;
	progress_free(p);
}

void progress_run(struct request *r, struct list *words, int in, const struct progress_wish *wish)
{
	struct progress *p = own_zeroed(1, sizeof(*p));
	struct verb_request asked = {.command = {.in = in}, .take = progress_take};
	struct err e;

	*p = (struct progress){.hub = r->server->hub, .request = r, .wish = *wish, .words = *words};
	*words = (struct list){0};
	asked.command.words = &p->words;
	if (verb_start(p->hub, &asked, &p->result, progress_done, p, &p->verb, &e)) {
		answer_error(r, &e);
		progress_free(p);
		return;
	}
	r->work = p;
	r->abandon = progress_abandon;
}
