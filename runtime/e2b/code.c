/*
 * code - POST /execute: run code in a context, its output and results as lines of JSON.
 *
 *   number_of_executions | stdout | stderr | result | error | end_of_execution
 *
 * To clients a body without the last line is a run without results. If the sandbox dies, there is a
 * line of an error. All of it is ASCII (base/json_put.h): a client that decodes each piece by
 * itself would break a character that is cut.
 */
#include "e2b/calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_put.h"
#include "base/json_strict.h"
#include "base/own.h"
#include "box/box_code.h"
#include "e2b/e2b_box.h"
#include "e2b/entry.h"
#include "e2b/running.h"
#include "loop/clock.h"
#include "request/server.h"
#include "request/session_account.h"
#include "request/session_work.h"
#include "request/terms.h"

#define NO_CONTEXT "Context %s not found"
#define KEEPALIVE  "{\"type\":\"keepalive\"}\n"
#define VALUES_MAX 100000 /* in one value as JSON */
#define SHELL_MAX  100000 /* bytes of code in a word of a command */
#define END        "{\"type\":\"end_of_execution\"}\n"

/* -- lines ----------------------------------------------------------------------------------- */

static void code_put_output(struct buf *out, int i, const struct buf *text)
{
	char now[CLOCK_UTC_SIZE];

	clock_utc_ms(now);
	json_put(out, "{type:%s, text:%.*s, timestamp:%s}", i ? "stderr" : "stdout",
		 (int)text->length, text->data, now);
	buf_text(out, "\n");
}

static void code_put_lines(struct buf *out, const struct buf *lines)
{
	buf_add(out, lines->data, lines->length);
}

static void code_put_failure(struct buf *out, const char *name, const char *value,
			     const char *traceback)
{
	json_put(out, "{type:'error', name:%s, value:%s, traceback:%s}", name, value, traceback);
	buf_text(out, "\n");
}

static void code_put_error(struct buf *out, const char *message)
{
	code_put_failure(out, "SandboxError", message, message);
	buf_text(out, END);
}

static const struct stream_form code_form = {
	.type = "application/json",
	.heartbeat = KEEPALIVE,
	.output = code_put_output,
	.result = code_put_lines,
	.error = code_put_error,
};

/* -- results --------------------------------------------------------------------------------- */

/* Representations by their MIME types (rootfs/guest/display.py), as clients call them. */
static const struct {
	const char *type;
	const char *name;
} code_forms[] = {
	{"text/html",              "html"      },
        {"text/markdown",          "markdown"  },
	{"image/svg+xml",          "svg"       },
        {"image/png",              "png"       },
	{"image/jpeg",             "jpeg"      },
        {"application/pdf",        "pdf"       },
	{"text/latex",             "latex"     },
        {"application/javascript", "javascript"},
};

/* A text as a value is shown without its quotes. */
static void code_put_text(const char *text, struct buf *out)
{
	const size_t length = strlen(text);
	const bool quoted =
		length > 1 && (*text == '\'' || *text == '"') && text[length - 1] == *text;

	json_put_bytes(out, "text", text + quoted, length - 2u * quoted);
}

static void code_put_result(const struct json *bundle, bool is_main, struct buf *out)
{
	const char *text = json_string_at(bundle, "text/plain");
	const char *json = json_string_at(bundle, "application/json");
	struct err ignored;
	auto_json struct json *value = NULL;

	if (json && !json_check_strict(json, strlen(json), VALUES_MAX, &ignored))
		value = json_parse(json, strlen(json), &ignored);
	json_put(out, "{type:'result', is_main_result:%i, extra:{}", is_main);
	if (text)
		code_put_text(text, out);
	for (size_t i = 0; i < sizeof(code_forms) / sizeof(code_forms[0]); i++) {
		const char *form = json_string_at(bundle, code_forms[i].type);

		if (form)
			json_put_text(out, code_forms[i].name, form);
	}
	if (value) /* written anew: foreign code may have put line ends into it */
		json_put(out, "json:%p", value);
	buf_text(out, "}\n");
}

static void code_put_results(const struct json *list, struct buf *out)
{
	for (const struct json *n = json_first(list); n; n = json_next(n)) {
		if (json_is_object(n))
			code_put_result(n, false, out);
	}
}

/* The lines of a traceback lose no line ends. */
static void code_put_raised(const struct json *error, struct buf *out)
{
	auto_buf struct buf traceback = {0};

	for (const struct json *n = json_first(json_get(error, "traceback")); n; n = json_next(n)) {
		const char *line = json_string(n);

		buf_printf(&traceback, "%s%s", traceback.length ? "\n" : "", line ? line : "");
	}
	code_put_failure(out, json_text_at(error, "name"), json_text_at(error, "value"),
			 buf_string(&traceback));
}

/* The interpreter shares its process with foreign code: its answer may be any. */
static void code_put_answer(const struct session_work *w, struct buf *out)
{
	const struct call_result *outcome = &w->result.outcome;
	const struct json *answer = json_is_object(outcome->answer) ? outcome->answer : NULL;
	const struct json *value = answer ? json_get(answer, "value") : NULL;
	const struct json *error = answer ? json_get(answer, "error") : NULL;
	char status[12];

	if (answer) {
		code_put_results(json_get(answer, "displays"), out);
		if (json_is_object(value))
			code_put_result(value, true, out);
		code_put_results(json_get(answer, "figures"), out);
	}
	if (w->result.call.lost) {
		code_put_failure(out, "SandboxError", w->result.error.text, w->result.error.text);
	} else if (json_is_object(error)) {
		code_put_raised(error, out);
	} else if (outcome->verdict == CODE_EXIT && w->ask.action == NOTEBOOK_RUN) {
		snprintf(status, sizeof(status), "%d", outcome->exit_code);
		code_put_failure(out, "SystemExit", status, "");
	}
}

/* Clients would not notice that a stream was cut. */
static void code_put_cuts(const struct session_work *w, struct buf *out)
{
	auto_buf struct buf said = {0};

	if (!w->result.call.truncated[0] && !w->result.call.truncated[1])
		return;
	buf_printf(&said, "glovebox: the output was cut at %llu bytes\n",
		   (unsigned long long)w->ask.call.output_max);
	code_put_output(out, 1, &said);
}

static bool code_answer(struct session_work *w)
{
	struct e2b_box *b = e2b_box_find(w->server, w->name);
	auto_buf struct buf lines = {0};

	if (!b && w->result.call.lost) { /* killed meanwhile: clients ask /health why it was cut */
		w->stream.request = NULL;
		request_cut(w->request);
		return true;
	}
	if (b)
		b->executions++;
	json_put(&lines, "{type:'number_of_executions', execution_count:%lu}",
		 b ? (unsigned long)b->executions : 1ul);
	buf_text(&lines, "\n");
	code_put_cuts(w, &lines);
	code_put_answer(w, &lines);
	buf_text(&lines, END);
	execute_stream_end(&w->stream, &lines);
	if (b && w->result.call.lost)
		box_forget(&b->box);
	return true;
}

/* -- the request ----------------------------------------------------------------------------- */

static void code_refuse(struct session_work *w, const struct err *e)
{
	if ((e->kind == ERR_NOT_FOUND || e->kind == ERR_GONE) && !w->result.was_there)
		running_gone(w, e);
	else
		request_refuse(w->request, e->kind == ERR_BUSY ? 409 : 500, "%s", e->text);
}

/* A text in a shell's single quotes. */
static void code_put_quoted(struct buf *out, const char *text)
{
	buf_text(out, "'");
	for (; *text; text++) {
		if (*text == '\'')
			buf_text(out, "'\\''");
		else
			buf_add(out, text, 1);
	}
	buf_text(out, "'");
}

/* Shells, and programs that they start, begin where their context does. */
static const char *code_put_shell(const struct box_context *c, const char *code, struct buf *line)
{
	buf_text(line, "cd ");
	code_put_quoted(line, c->cwd);
	buf_text(line, "\n");
	if (strcmp(c->language, "bash") != 0) {
		buf_text(line, "exec node -e ");
		code_put_quoted(line, code);
	} else {
		buf_text(line, code);
	}
	return buf_string(line);
}

/* The work may wait for its place: it has copies of what it needs of the box. */
static void code_plan(struct session_work *w, const struct box_context *c, const char *code,
		      const struct list *env)
{
	e2b_box_put_env(env, 0, &w->env);
	w->streams = true;
	w->stream.form = &code_form;
	w->refuse = code_refuse;
	w->ask.call.env = buf_string(&w->env);
	w->ask.call.json = true;
	if (strcmp(c->language, E2B_BOX_DEFAULT) != 0)
		code = code_put_shell(c, code, &w->source);
	box_code_plan(w, c, code, w->server->options.timeout_max_ms);
}

static void code_go(struct session_work *w)
{
	struct e2b_box *b = e2b_box_find(w->server, w->name);

	if (b && box_code_go(w, &b->box))
		return;
	if (b)
		request_refuse(w->request, 404, NO_CONTEXT, w->to);
	else
		entry_refuse_gone(w->request);
	session_work_free(w);
}

/* The context that a body names, or one for its language; NULL: refused and answered. */
static struct box_context *code_context(struct request *r, struct e2b_box *b,
					const struct json *body, struct box_context *other)
{
	const char *id = json_string_at(body, "context_id");
	const char *language = json_string_at(body, "language");
	struct box_context *c = id ? box_context(&b->box, id) : &b->box.contexts[0];

	if (id && language) {
		request_refuse(r, 400, "say context_id or language, not both");
		return NULL;
	}
	if (!c) {
		request_refuse(r, 404, NO_CONTEXT, id);
		return NULL;
	}
	if (!language || !strcmp(language, E2B_BOX_DEFAULT))
		return c;
	if (!contexts_language(language)) {
		request_refuse(r, 400, "language %s: " CONTEXTS_LANGUAGES, language);
		return NULL;
	}
	*other = (struct box_context){.cwd = (char *)E2B_BOX_HOME};
	snprintf(other->language, sizeof(other->language), "%s", contexts_language(language));
	return other;
}

static int code_read(struct session_work *w, struct e2b_box *b, struct list *env, struct err *e)
{
	const struct json *body = w->body.document;

	if (!json_string_at(body, "code"))
		return err_input(e, "code: a text is needed");
	for (size_t i = 0; i < b->env.count; i++)
		list_add(env, b->env.items[i]);
	return e2b_box_read_env(env, json_get(body, "env_vars"), e) ||
			       terms_read(w->request, NULL, &w->terms, e)
		       ? -1
		       : 0;
}

/* A shell has its code as a word. Returns whether it may go on; otherwise it has been refused. */
static bool code_fits(struct session_work *w, const struct box_context *c)
{
	const char *code = json_string_at(w->body.document, "code");

	if (!strcmp(c->language, E2B_BOX_DEFAULT))
		return true;
	w->ask.action = NOTEBOOK_BASH;
	if (strlen(code) <= SHELL_MAX)
		return true;
	request_refuse(w->request, 400, "code: more than %d bytes of %s", SHELL_MAX, c->language);
	return false;
}

void code_run(struct request *r)
{
	struct e2b_box *b = entry_box(r);
	auto_list struct list env = {0};
	struct box_context other;
	struct box_context *c;
	struct session_work *w;
	struct err e;

	if (!b)
		return;
	w = session_work_named(r, b->box.name, NOTEBOOK_RUN, code_answer);
	account_open(&w->permit.account, r, METRICS_SESSION_PYTHON);
	session_work_read(w);
	if (code_read(w, b, &env, &e)) {
		request_refuse(r, 400, "%s", e.text);
	} else if ((c = code_context(r, b, w->body.document, &other)) && code_fits(w, c)) {
		code_plan(w, c, json_string_at(w->body.document, "code"), &env);
		session_work_queue(w, code_go);
		return;
	}
	session_work_free(w);
}
