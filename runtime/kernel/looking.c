/*
 * looking - what an editor asks of the session's interpreter (rootfs/guest/look.py).
 */
#include "kernel/looking.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_put.h"
#include "base/own.h"
#include "base/say.h"
#include "kernel/work.h"

#define AT_END  UINT64_MAX
#define LOOK_MS 3000 /* it may run code of the session's: properties, __dir__() */

/* The answer may be any JSON; NULL: there is none. */
static const struct json *looking_answer(const struct work *w, const struct err *failed)
{
	const struct json *answer = failed ? NULL : w->result.outcome.answer;

	return answer && json_is_object(answer) ? answer : NULL;
}

static uint64_t looking_cursor(const struct work *w)
{
	return json_uint_at(w->kernel->request.content, "cursor_pos", AT_END);
}

/* -- replies --------------------------------------------------------------------------------- */

static void looking_reply(struct work *w, const struct buf *content)
{
	kernel_reply(w->kernel, SOCKET_SHELL, &w->kernel->request, content);
}

static void looking_completed(struct work *w, const struct err *failed)
{
	const struct json *answer = looking_answer(w, failed);
	const struct json *matches = answer ? json_get(answer, "matches") : NULL;
	const uint64_t end = answer ? json_uint_at(answer, "end", 0) : 0;
	const uint64_t start = answer ? json_uint_at(answer, "start", end) : 0;
	auto_buf struct buf content = {0};

	json_put(&content, "{status:'ok', metadata:{}, cursor_start:%lu, cursor_end:%lu",
		 (unsigned long)start, (unsigned long)end);
	json_put_begin(&content, "matches", '[');
	for (const struct json *n = matches && json_is_array(matches) ? json_first(matches) : NULL;
	     n; n = json_next(n))
		json_put_text(&content, NULL, json_string(n) ? json_string(n) : "");
	buf_text(&content, "]}");
	looking_reply(w, &content);
}

static void looking_inspected(struct work *w, const struct err *failed)
{
	const struct json *answer = looking_answer(w, failed);
	const char *text = answer ? json_string_at(answer, "text") : NULL;
	auto_buf struct buf content = {0};

	json_put(&content, "{status:'ok', found:%i, metadata:{}", text != NULL);
	json_put_begin(&content, "data", '{');
	if (text)
		json_put_text(&content, "text/plain", text);
	buf_text(&content, "}}");
	looking_reply(w, &content);
}

static void looking_judged(struct work *w, const struct err *failed)
{
	const struct json *answer = looking_answer(w, failed);
	const char *state = answer ? json_string_at(answer, "state") : NULL;
	auto_buf struct buf content = {0};

	json_put(&content, "{status:%s, indent:%s}", state ? state : "unknown",
		 answer ? json_text_at(answer, "indent") : "");
	looking_reply(w, &content);
}

static void looking_learnt(struct work *w, const struct err *failed)
{
	const struct json *answer = looking_answer(w, failed);

	if (failed)
		say_error(failed);
	free(w->kernel->version);
	w->kernel->version = answer ? own_strdup(json_string_at(answer, "version")) : NULL;
}

/* -- requests -------------------------------------------------------------------------------- */

static struct work *looking_new(struct kernel *k, const char *what,
				void (*done)(struct work *w, const struct err *failed))
{
	struct work *w = own_zeroed(1, sizeof(*w));

	work_init(w, k, done);
	w->request.call.timeout_ms = LOOK_MS;
	w->request.call.persists = false;
	w->request.call.spares = true;
	buf_text(&w->members, "\"op\":\"look\"");
	json_put_text(&w->members, "what", what);
	return w;
}

static void looking_start(struct kernel *k, const char *what,
			  void (*done)(struct work *w, const struct err *failed))
{
	struct work *w = looking_new(k, what, done);

	json_put_text(&w->members, "source", json_text_at(k->request.content, "code"));
	if (looking_cursor(w) != AT_END)
		json_put_uint(&w->members, "cursor", looking_cursor(w));
	json_put_uint(&w->members, "detail", json_uint_at(k->request.content, "detail_level", 0));
	work_start(w);
}

void looking_complete(struct kernel *k)
{
	looking_start(k, "completions", looking_completed);
}

void looking_inspect(struct kernel *k)
{
	looking_start(k, "inspection", looking_inspected);
}

void looking_judge(struct kernel *k)
{
	looking_start(k, "state", looking_judged);
}

void looking_learn(struct kernel *k)
{
	work_start(looking_new(k, "version", looking_learnt));
}
