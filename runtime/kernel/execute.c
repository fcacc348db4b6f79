/*
 * execute - execute a cell in the session, and tell clients what comes of it as it comes.
 */
#include "kernel/execute.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_put.h"
#include "base/own.h"
#include "base/parse.h"
#include "kernel/execution.h"
#include "kernel/magic.h"
#include "kernel/mime.h"

#define UNPLACED_MAX 16 /* events without a mark; processes that are left may write more */

static struct execution *execute_of(struct work *w)
{
	return (struct execution *)w;
}

/* -- its end --------------------------------------------------------------------------------- */

static void execute_fail(struct execution *x, const char *name, const char *value,
			 const char *traceback)
{
	x->failed = true;
	kernel_publish_error(x->work.kernel, name, value, traceback);
	json_put(&x->error, "ename:%s, evalue:%s", name, value);
	json_put_key(&x->error, "traceback");
	buf_text(&x->error, traceback);
}

/* The sandbox or its supervisor did not do it. */
static void execute_fail_outside(struct execution *x, const struct err *e)
{
	const bool lost = x->work.result.call.lost;
	auto_buf struct buf lines = {0};
	char text[1024];

	err_string(e, text, sizeof(text));
	buf_text(&lines, "[");
	buf_json_text(&lines, text);
	if (lost)
		buf_text(&lines, ",\"its variables are gone; the next cell begins a new session\"");
	buf_text(&lines, "]");
	execute_fail(x, lost ? "SandboxLost" : "SandboxError", text, lines.data);
}

static void execute_fail_inside(struct execution *x, const struct json *error)
{
	auto_buf struct buf lines = {0};

	mime_put_lines(json_get(error, "traceback"), &lines);
	execute_fail(x, json_text_at(error, "name"), json_text_at(error, "value"), lines.data);
}

static void execute_fail_exit(struct execution *x, int status)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", status);
	execute_fail(x, "SystemExit", text,
		     "[\"SystemExit: the session goes on; a kernel is ended by its client\"]");
}

static void execute_publish_results(struct execution *x, const struct json *answer)
{
	const struct json *value = json_get(answer, "value");
	const struct json *figures = json_get(answer, "figures");
	const bool has_figures = figures && json_is_array(figures);

	if (value && json_is_object(value) && !x->silent)
		execution_publish_bundle(x, "execute_result", value, NULL);
	if (value && json_is_object(value) && x->stores)
		history_add_result(&x->work.kernel->history, json_text_at(value, "text/plain"));
	for (const struct json *n = has_figures ? json_first(figures) : NULL; n; n = json_next(n))
		execution_publish_bundle(x, "display_data", n, NULL);
}

static void execute_say_limits(struct execution *x)
{
	auto_buf struct buf line = {0};
	char limit[32];

	if (!x->work.result.call.timed_out)
		return;
	format_duration(x->work.kernel->timeout_ms, limit);
	buf_printf(&line, "glovebox: the cell was interrupted after %s (--cell-timeout)\n", limit);
	execution_say(x, line.data);
}

static void execute_take_answer(struct execution *x)
{
	const struct call_result *outcome = &x->work.result.outcome;
	const struct json *answer = outcome->answer;
	const struct json *error;

	if (!answer || !json_is_object(answer))
		return;
	execute_publish_results(x, answer);
	execute_say_limits(x);
	error = json_get(answer, "error");
	if (error && json_is_object(error))
		execute_fail_inside(x, error);
	else if (outcome->verdict == CODE_EXIT)
		execute_fail_exit(x, outcome->exit_code);
}

/* -- its reply ------------------------------------------------------------------------------- */

static void execute_put_expression(const struct json *result, struct buf *out)
{
	const struct json *error = json_is_object(result) ? json_get(result, "error") : NULL;

	json_put_begin(out, json_key(result), '{');
	if (error && json_is_object(error)) {
		json_put(out, "status:'error', ename:%s, evalue:%s", json_text_at(error, "name"),
			 json_text_at(error, "value"));
		json_put_key(out, "traceback");
		mime_put_lines(json_get(error, "traceback"), out);
	} else {
		json_put_text(out, "status", "ok");
		mime_put(json_is_object(result) ? json_get(result, "value") : NULL, out);
	}
	json_put_end(out, '}');
}

static void execute_put_expressions(const struct execution *x, struct buf *out)
{
	const struct json *answer = x->work.result.outcome.answer;
	const struct json *all =
		answer && json_is_object(answer) ? json_get(answer, "expressions") : NULL;

	json_put_begin(out, "user_expressions", '{');
	for (const struct json *n = all && json_is_object(all) ? json_first(all) : NULL; n;
	     n = json_next(n))
		execute_put_expression(n, out);
	json_put_end(out, '}');
}

static void execute_reply(struct execution *x)
{
	struct kernel *k = x->work.kernel;
	auto_buf struct buf content = {0};

	json_put(&content, "{status:%s, execution_count:%u", x->failed ? "error" : "ok", x->number);
	execute_put_expressions(x, &content);
	json_put_begin(&content, "payload", '[');
	buf_add(&content, x->payload.data, x->payload.length);
	json_put_end(&content, ']');
	if (x->failed) {
		buf_text(&content, ",");
		buf_add(&content, x->error.data, x->error.length);
	}
	buf_text(&content, "}");
	if (x->failed && x->stops_on_error)
		kernel_abort_waiting(k);
	kernel_reply(k, SOCKET_SHELL, &k->request, &content);
}

static void execute_say_magic(struct execution *x)
{
	const struct notebook_request *r = &x->work.request;
	auto_buf struct buf line = {0};

	buf_printf(&line, "%s %s\n",
		   r->action == NOTEBOOK_CHECKPOINT ? "checkpoint" : "back at the checkpoint",
		   r->checkpoint);
	kernel_publish_stream(x->work.kernel, "stdout", line.data, line.length);
}

static void execute_done(struct work *w, const struct err *failed)
{
	struct execution *x = execute_of(w);

	execution_flush(x);
	for (int i = 0; i < UNPLACED_MAX && x->told.hub && told_take(&x->told); i++)
		;
	if (failed)
		execute_fail_outside(x, failed);
	else if (w->request.action == NOTEBOOK_ASK)
		execute_take_answer(x);
	else
		execute_say_magic(x);
	execute_reply(x);
}

static void execute_free(struct work *w)
{
	struct execution *x = execute_of(w);

	w->kernel->asked = NULL;
	if (x->told.hub)
		told_close(&x->told);
	for (int i = 0; i < EXCHANGE_HANDED; i++)
		own_close(&x->theirs[i]);
	hub_silence(w->kernel->hub, &x->soon);
	buf_fini(&x->printed);
	buf_fini(&x->error);
	buf_fini(&x->payload);
}

void execute_take_reply(struct kernel *k, const struct message *reply)
{
	const char *question = json_text_at(reply->parent, "msg_id");

	/* Some clients do not say which question they reply to. */
	if (!k->asked || (*question && strcmp(question, k->question) != 0))
		return;
	told_reply(k->asked, reply->content ? json_text_at(reply->content, "value") : NULL);
	k->asked = NULL;
}

/* -- its begin ------------------------------------------------------------------------------- */

static void execute_put_request(const struct json *content, size_t answer_max, struct buf *out)
{
	const struct json *expressions = json_get(content, "user_expressions");

	buf_text(out, "\"op\":\"run\",\"live\":true");
	json_put_uint(out, "answer_max", answer_max);
	if (expressions && json_is_object(expressions) && json_count(expressions)) {
		json_put_key(out, "expressions");
		json_write(expressions, out);
	}
	json_put_text(out, "source", json_text_at(content, "code"));
}

static int execute_open(struct execution *x, const struct json *content, struct err *e)
{
	struct notebook_request *r = &x->work.request;
	const bool asks = json_is_true(json_get(content, "allow_stdin"));

	x->told = (struct told){
		.hub = x->work.kernel->hub, .take = execution_take_event, .context = x};
	r->call.handed = x->theirs;
	r->call.timeout_ms = x->work.kernel->timeout_ms;
	r->call.out[0] = (struct sink){.fd = -1,
				       .take = execution_take_out,
				       .display = execution_take_mark,
				       .all_displays = true,
				       .context = x};
	r->call.out[1] = (struct sink){.fd = -1, .take = execution_take_err, .context = x};
	execute_put_request(content, r->call.answer_max, &x->work.members);
	return told_open(&x->told, asks, x->theirs, &r->call.handed_count, e);
}

static void execute_publish_input(struct execution *x, const char *code)
{
	auto_buf struct buf content = {0};

	json_put(&content, "{code:%s, execution_count:%u}", code, x->number);
	kernel_publish(x->work.kernel, &x->work.kernel->request, "execute_input", &content);
}

static struct execution *execute_new(struct kernel *k)
{
	struct execution *x = own_zeroed(1, sizeof(*x));

	work_init(&x->work, k, execute_done);
	x->work.free = execute_free;
	x->soon = (struct hub_timer){.ring = execution_is_due, .context = x};
	for (int i = 0; i < EXCHANGE_HANDED; i++)
		x->theirs[i] = -1;
	return x;
}

static void execute_read(struct execution *x, const struct json *content)
{
	struct kernel *k = x->work.kernel;
	const struct json *stores = json_get(content, "store_history");
	const struct json *stops = json_get(content, "stop_on_error");

	x->silent = json_is_true(json_get(content, "silent"));
	x->stops_on_error = !stops || json_is_true(stops);
	x->stores = !x->silent && (!stores || json_is_true(stores));
	if (x->stores)
		history_add(&k->history, ++k->execution_count, json_text_at(content, "code"));
	x->number = k->execution_count;
}

void execute_start(struct kernel *k)
{
	const struct json *content = k->request.content;
	const char *code = json_text_at(content, "code");
	struct execution *x = execute_new(k);
	struct err e;
	int magic;

	execute_read(x, content);
	if (!x->silent)
		execute_publish_input(x, code);
	magic = magic_read(code, &x->work.request, &x->work.members, &e);
	if (magic < 0 || (!magic && execute_open(x, content, &e)))
		work_finish(&x->work, &e);
	else
		work_start(&x->work);
}

void execute_abort(struct kernel *k)
{
	auto_buf struct buf content = {0};

	json_put(&content, "{status:'aborted', execution_count:%u}", k->execution_count);
	kernel_reply(k, SOCKET_SHELL, &k->request, &content);
}
