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
#include "engine/streaming.h"

#define LINE_MAX_BYTES (64u << 10)
#define OURS           "glovebox: " /* before lines of ours for people */

struct progress {
	struct progress_wish wish;
	struct buf lines[2]; /* what has come of a line of each stream */
	struct buf errors;   /* standard error, for the cause of a failure */
	struct list pending; /* lines that are the error, if the command fails */
	bool has_said;       /* the reply has begun */
};

static void progress_free(void *context)
{
	struct progress *p = context;

	buf_fini(&p->lines[0]);
	buf_fini(&p->lines[1]);
	buf_fini(&p->errors);
	list_fini(&p->pending);
	free(p->wish.lost);
	free(p);
}

static bool progress_is_ours(const char *line)
{
	return !strncmp(line, OURS, strlen(OURS));
}

static void progress_say(struct progress *p, const char *line, struct buf *out)
{
	auto_free char *text =
		own_printf("%s%s", line + (progress_is_ours(line) ? strlen(OURS) : 0),
			   p->wish.has_ends ? "\n" : "");

	json_put(out, "{%s:%s}", p->wish.key, text);
	buf_text(out, "\r\n");
	p->has_said = true;
}

/* One of ours, or of skopeo, may be the error: before the reply has begun, that would be its
 * status. */
static bool progress_may_fail(const struct progress *p, const char *line)
{
	return !p->has_said && (progress_is_ours(line) || !strncmp(line, "time=\"", 6));
}

static void progress_flush(struct progress *p, struct buf *out)
{
	for (size_t i = 0; i < p->pending.count; i++)
		progress_say(p, p->pending.items[i], out);
	list_fini(&p->pending);
	p->pending = (struct list){0};
}

/* A carriage return begins a line anew. */
static void progress_end_line(struct progress *p, struct buf *line, struct buf *out)
{
	const char *text = buf_string(line);
	const char *last = strrchr(text, '\r');
	auto_free char *said = NULL;

	text = last && last[1] ? last + 1 : text;
	said = own_strndup(text, strcspn(text, "\r"));
	if (p->pending.count && progress_is_ours(p->pending.items[p->pending.count - 1]))
		progress_flush(p, out);
	if (progress_may_fail(p, said)) {
		list_add(&p->pending, said);
	} else if (*said) {
		progress_flush(p, out);
		progress_say(p, said, out);
	}
	buf_cut(line, 0);
}

static void progress_take(void *context, int stream, const char *bytes, size_t length,
			  struct buf *out)
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
			progress_end_line(p, line, out);
	}
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
static void progress_judge(struct progress *p, const struct verb_result *result, struct err *e)
{
	auto_free char *cause = progress_cause(p);
	char text[sizeof(e->text) + 100];
	int length;
	const char *said = say_heard(buf_string(&p->errors), &length);

	*e = result->error;
	if (e->kind == ERR_NONE)
		err_fill(e, ERR_SYSTEM, "%.*s", length > 400 ? 400 : length, said);
	if (!p->wish.lost)
		return;
	err_string(e, text, sizeof(text));
	err_fill(e, ERR_NOT_FOUND, "%.200s: %.290s", p->wish.lost, cause ? cause : text);
}

static void progress_end(void *context, const struct verb_result *result, struct buf *out,
			 struct err *e)
{
	struct progress *p = context;
	char text[sizeof(e->text) + 100];

	if (!result->status && result->error.kind == ERR_NONE) {
		progress_end_line(p, &p->lines[0], out);
		progress_flush(p, out);
		return;
	}
	progress_judge(p, result, e);
	if (!p->has_said)
		return;
	err_string(e, text, sizeof(text));
	json_put(out, "{errorDetail:{message:%s}, error:%s}", text, text);
	buf_text(out, "\r\n");
	e->kind = ERR_NONE;
}

void progress_run(struct request *r, struct list *words, int in, const struct progress_wish *wish)
{
	struct progress *p = own_zeroed(1, sizeof(*p));

	p->wish = *wish;
	streaming_run(r, words,
		      &(const struct streaming_wish){.type = ANSWER_JSON,
						     .in = in < 0 ? 0 : in,
						     .filter = progress_take,
						     .filter_end = progress_end,
						     .drop = progress_free,
						     .context = p});
}
