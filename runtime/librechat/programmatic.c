/*
 * programmatic - POST /exec/programmatic: a program that calls tools, which its client runs.
 *
 * A program that waits for answers is over: with them it begins anew in a fresh cell, and its
 * calls have their answers at once (tool_calls.py). So nothing runs between two requests, and what
 * it printed and left until then counts as if it had never been.
 */
#include <stdlib.h>
#include <string.h>

#include "base/encode.h"
#include "base/json_put.h"
#include "base/json_strict.h"
#include "base/own.h"
#include "base/random.h"
#include "librechat/calls.h"
#include "librechat/dialogue.h"
#include "librechat/exec.h"
#include "tool_calls_files.h"

#define JSON         "application/json"
#define TIMEOUT_MS   15000 /* where a client says none */
#define TOOLS_MOST   100
#define NAME_MOST    256    /* bytes */
#define VALUES_MAX   100000 /* in the calls of one run */
#define NO_TOOLS     "Missing required field: tools (1 to 100 objects with a name)"
#define NO_LANGUAGE  "Unsupported language \"%.40s\"; say python or bash"
#define GONE         "Execution not found or expired"
#define UNREGISTERED "Sandbox requested an unregistered tool: %.100s"

struct programmatic {
	struct exec exec; /* first */
	/* The dialogue's, which may end meanwhile; "": it is not ours any more. */
	char token[STORED_ID_SIZE];
	struct json *spec;     /* owned; the first request */
	char mark[DIGEST_HEX]; /* between two of it the program tells its calls */
	struct buf source;
	struct buf input;
	bool waits;         /* for `calls` */
	struct json *calls; /* owned; foreign code may have written anything: NULL */
};

static struct dialogue *programmatic_dialogue(const struct programmatic *p)
{
	return dialogue_find(p->exec.run.server, p->token);
}

/* The client may go on with it, if it knows of it. */
static void programmatic_hand_back(struct programmatic *p)
{
	struct dialogue *d = programmatic_dialogue(p);

	*p->token = '\0';
	if (d && d->is_told)
		d->is_running = false;
	else if (d)
		dialogue_end(d);
}

static void programmatic_release(struct execution *run)
{
	struct programmatic *p = (struct programmatic *)run;

	programmatic_hand_back(p);
	json_free(p->spec);
	json_free(p->calls);
	buf_fini(&p->source);
	buf_fini(&p->input);
	exec_fini(&p->exec);
	free(p);
}

/* -- its end --------------------------------------------------------------------------------- */

/* A process that outlives the program may print behind the second mark. */
static void programmatic_ended(struct execution *run)
{
	struct programmatic *p = (struct programmatic *)run;
	const size_t length = strlen(p->mark);
	struct buf *out = &run->out[0];
	const char *text = buf_string(out);
	const char *begin = memmem(text, out->length, p->mark, length);
	const char *end;
	struct err ignored;

	if (!begin)
		return;
	p->waits = true;
	run->keeps_outputs = false;
	text = begin + length;
	end = memmem(text, out->length - (size_t)(text - out->data), p->mark, length);
	if (end && !json_check_strict(text, (size_t)(end - text), VALUES_MAX, &ignored))
		p->calls = json_parse(text, (size_t)(end - text), &ignored);
	buf_cut(out, (size_t)(begin - out->data));
}

static const struct json *programmatic_tool(const struct programmatic *p, const char *name)
{
	const struct json *tools = json_get(p->spec, "tools");

	for (const struct json *n = json_first(tools); n; n = json_next(n)) {
		if (!strcmp(json_text_at(n, "name"), name))
			return n;
	}
	return NULL;
}

static int programmatic_check_calls(const struct programmatic *p, struct err *e)
{
	for (const struct json *n = json_first(p->calls); n; n = json_next(n)) {
		if (!programmatic_tool(p, json_text_at(n, "name")))
			return err_input(e, UNREGISTERED, json_text_at(n, "name"));
	}
	return 0;
}

/* Returns -1: the calls are not what they should be. */
static int programmatic_ask(struct programmatic *p, struct dialogue *d, struct err *e)
{
	struct execution *run = &p->exec.run;
	auto_buf struct buf calls = {0};
	auto_buf struct buf body = {0};

	if (programmatic_check_calls(p, e) || dialogue_ask(d, p->calls, &calls, e))
		return -1;
	json_put_begin(&body, NULL, '{');
	json_put(&body, "status:'tool_call_required', continuation_token:%s", d->token);
	json_put_key(&body, "tool_calls");
	buf_add(&body, calls.data, calls.length);
	json_put_bytes(&body, "partial_stdout", run->out[0].data, run->out[0].length);
	json_put_bytes(&body, "partial_stderr", run->out[1].data, run->out[1].length);
	json_put_end(&body, '}');
	programmatic_hand_back(p);
	request_reply(run->request, 200, JSON, &body);
	return 0;
}

/* @message  why it did not end by itself; NULL: it did. */
static void programmatic_tell(struct programmatic *p, const char *message)
{
	struct execution *run = &p->exec.run;
	const int code = run->result.verdict.exit_code;
	auto_free char *exited = own_printf("Sandbox exited with code %d", code);
	const char *error = message ? message : code ? exited : NULL;
	auto_buf struct buf body = {0};

	json_put_begin(&body, NULL, '{');
	json_put_text(&body, "status", error ? "error" : "completed");
	if (error)
		json_put_text(&body, "error", error);
	exec_result_put(&p->exec, message, &body);
	json_put_end(&body, '}');
	request_reply(run->request, 200, JSON, &body);
}

static void programmatic_reply(struct execution *run)
{
	struct programmatic *p = (struct programmatic *)run;
	struct dialogue *d = programmatic_dialogue(p);
	const char *message = exec_result_message(&run->result.verdict);
	struct err e = {.text = GONE};

	if (d && p->waits && !message && !programmatic_ask(p, d, &e))
		return;
	programmatic_tell(p, message ? message : p->waits ? e.text : NULL);
	if (d)
		dialogue_end(d);
	*p->token = '\0';
}

static const struct execution_face programmatic_face = {
	.ended = programmatic_ended,
	.reply = programmatic_reply,
	.fail = exec_fail,
	.crowd = exec_crowd,
	.release = programmatic_release,
};

/* -- the request ----------------------------------------------------------------------------- */

static int programmatic_check_tools(const struct json *tools, struct err *e)
{
	if (!json_is_array(tools) || !json_count(tools) || json_count(tools) > TOOLS_MOST)
		return err_input(e, NO_TOOLS);
	for (const struct json *n = json_first(tools); n; n = json_next(n)) {
		const size_t length = strlen(json_text_at(n, "name"));

		if (!length || length > NAME_MOST)
			return err_input(e, NO_TOOLS);
	}
	return 0;
}

static const char *programmatic_language(const struct json *body)
{
	const char *language = json_string_at(body, "language");

	language = language ? language : json_string_at(body, "lang");
	return language ? language : "python";
}

static int programmatic_check(const struct json *body, struct err *e)
{
	const char *language = programmatic_language(body);

	if (!*json_text_at(body, "code"))
		return err_input(e, "Missing required field: code");
	if (strcmp(language, "python") != 0 && strcmp(language, "py") != 0 &&
	    strcmp(language, "bash") != 0)
		return err_input(e, NO_LANGUAGE, language);
	return programmatic_check_tools(json_get(body, "tools"), e);
}

/* The dialogue that a request begins or goes on with; NULL: refused and answered. */
static struct dialogue *programmatic_enter(struct programmatic *p, const struct json *body)
{
	struct execution *run = &p->exec.run;
	const char *token = json_string_at(body, "continuation_token");
	struct dialogue *d = token ? dialogue_find(run->server, token) : NULL;
	struct err e;

	if (token && (!d || !d->is_told || strcmp(d->owner, run->key->id) != 0)) {
		request_refuse(run->request, 404, GONE);
		return NULL;
	}
	if (d && d->is_running) {
		request_refuse(run->request, 409, "the program is running");
		return NULL;
	}
	if (d && !dialogue_answer(d, json_get(body, "tool_results"), &e))
		return d;
	if (!d && !programmatic_check(body, &e) &&
	    (d = dialogue_begin(run->server, run->key, body, &e)))
		return d;
	request_refuse(run->request, e.kind == ERR_LIMIT ? 429 : 400, "%s", e.text);
	return NULL;
}

static void programmatic_plan(struct programmatic *p, const struct dialogue *d)
{
	struct script_request *r = &p->exec.run.script_request;
	uint8_t bytes[16];

	random_bytes(bytes, sizeof(bytes));
	encode_hex(bytes, sizeof(bytes), p->mark);
	json_put(&p->input, "{code:%s, tools:%p, bash:%i, mark:%s", json_text_at(p->spec, "code"),
		 json_get(p->spec, "tools"), !strcmp(programmatic_language(p->spec), "bash"),
		 p->mark);
	buf_text(&p->input, ",\"history\":[");
	buf_add(&p->input, d->history.data, d->history.length);
	buf_text(&p->input, "]}");
	buf_add(&p->source, files[0].bytes, files[0].length);
	r->source = buf_string(&p->source);
	r->input = buf_string(&p->input);
	p->exec.run.code = json_text_at(p->spec, "code");
}

static int programmatic_read(struct programmatic *p, struct dialogue *d, struct err *e)
{
	memcpy(p->token, d->token, sizeof(p->token));
	p->spec = json_parse(d->body.data, d->body.length, e);
	if (!p->spec || exec_read_terms(&p->exec, p->spec, TIMEOUT_MS, e))
		return -1;
	programmatic_plan(p, d);
	return 0;
}

void programmatic_run(struct request *r)
{
	struct programmatic *p = own_zeroed(1, sizeof(*p));
	struct dialogue *d;
	struct err e;

	exec_open(&p->exec, &programmatic_face, r);
	d = programmatic_enter(p, p->exec.run.body.document);
	if (d && !programmatic_read(p, d, &e)) {
		d->is_running = true;
		execution_begin(&p->exec.run);
		return;
	}
	if (d) {
		exec_refuse(r, &e);
		dialogue_end(d);
	}
	execution_close(&p->exec.run);
}
