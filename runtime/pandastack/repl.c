/*
 * repl - contexts: names of a sandbox's interpreter apart from others, and code that runs in them.
 */
#include "pandastack/calls.h"

#include <string.h>

#include "base/json_put.h"
#include "box/box_code.h"
#include "pandastack/panda.h"
#include "request/execute_result.h"
#include "request/terms.h"

#define REPL_CLOSED "session '%s' not found: it was closed, or the server began anew"
#define REPL_LATE   "timeout: the code ran for longer than it may, and was interrupted"

/* -- contexts -------------------------------------------------------------------------------- */

/* The context that the path names; NULL: refused and answered. */
static struct box_context *repl_named(struct request *r)
{
	struct box_context *c = NULL;
	struct box *b;

	if (!panda_is_theirs(r))
		return NULL;
	b = panda_find(r->server, r->segments[0]);
	if (b)
		c = box_context(b, r->segments[1]);
	if (!c)
		request_refuse(r, 404, REPL_CLOSED, r->segments[1]);
	return c;
}

static bool repl_answer_opened(struct session_work *w)
{
	struct box *b = panda_meet(w);
	const struct box_context *c = box_context_add(b, "python", PANDA_HOME);
	auto_buf struct buf reply = {0};

	box_ages(b, w->result.life.age_ms, w->result.life.ttl_ms);
	if (!c) {
		request_refuse(w->request, 400, "a sandbox has %d sessions: close one",
			       BOX_CONTEXTS);
		return true;
	}
	json_put(&reply, "{id:%s, language:'python'}", c->id);
	request_reply(w->request, 201, PANDA_JSON, &reply);
	return true;
}

/* Asking how long the sandbox lives tells whether it does. */
void repl_run_open(struct request *r)
{
	struct session_work *w = panda_work(r, NOTEBOOK_LIFE, repl_answer_opened);
	const char *language;

	if (!w)
		return;
	session_work_read(w);
	language = json_string_at(w->body.document, "language");
	if (!language || !strncmp(language, "python", 6)) {
		session_work_start(w);
		return;
	}
	request_refuse(r, 400, "language: python has sessions here; exec runs a shell");
	session_work_free(w);
}

void repl_run_close(struct request *r)
{
	struct box_context *c = repl_named(r);

	if (!c)
		return;
	box_context_drop(c);
	request_reply(r, 204, NULL, NULL);
}

/* -- results --------------------------------------------------------------------------------- */

/* A bundle of representations; foreign code may send anything. */
static void repl_put_bundle(const struct json *bundle, struct buf *out)
{
	if (!json_is_object(bundle))
		return;
	json_put_begin(out, NULL, '{');
	for (const struct json *n = json_first(bundle); n; n = json_next(n)) {
		if (json_string(n) && strcmp(json_key(n), "type") != 0)
			json_put_text(out, json_key(n), json_string(n));
	}
	json_put_end(out, '}');
}

static void repl_put_bundles(const struct json *list, struct buf *out)
{
	for (const struct json *n = json_first(list); n; n = json_next(n))
		repl_put_bundle(n, out);
}

static void repl_put_results(const struct json *answer, struct buf *out)
{
	json_put_begin(out, "results", '[');
	if (json_is_object(answer)) {
		repl_put_bundles(json_get(answer, "displays"), out);
		repl_put_bundle(json_get(answer, "value"), out);
		repl_put_bundles(json_get(answer, "figures"), out);
	}
	json_put_end(out, ']');
}

static bool repl_reply(struct session_work *w)
{
	const struct call_result *outcome = &w->result.outcome;
	const struct session_call *call = &w->result.call;
	auto_buf struct buf traceback = {0};
	auto_buf struct buf reply = {0};

	json_put_begin(&reply, NULL, '{');
	for (int i = 0; i < 2; i++) {
		execute_result_mark_cut(&w->out[i], call->truncated[i], w->ask.call.output_max);
		json_put_bytes(&reply, i ? "stderr" : "stdout", w->out[i].data, w->out[i].length);
	}
	json_put(&reply, "exit:%d, duration_ms:%lu", outcome->exit_code,
		 (unsigned long)(call->duration_us / 1000));
	if (outcome->has_traceback) {
		call_result_traceback(outcome, call_result_add, &traceback);
		json_put_bytes(&reply, "error", traceback.data, traceback.length);
	}
	repl_put_results(outcome->answer, &reply);
	json_put_end(&reply, '}');
	request_reply(w->request, 200, PANDA_JSON, &reply);
	return true;
}

static bool repl_answer(struct session_work *w)
{
	panda_meet(w)->is_asleep = false;
	if (w->result.call.lost) {
		request_refuse(w->request, 502, "%sthe sandbox has ended: %s",
			       w->result.outcome.verdict == CODE_TIMEOUT ? "timeout: " : "",
			       w->result.error.text);
		box_forget_named(w->server, &panda_face, w->name);
		return true;
	}
	if (w->result.outcome.verdict != CODE_TIMEOUT)
		return repl_reply(w);
	request_refuse(w->request, 504, REPL_LATE);
	return true;
}

/* -- the request ----------------------------------------------------------------------------- */

static void repl_go(struct session_work *w)
{
	struct box *b = panda_find(w->server, w->name);

	if (b && box_code_go(w, b))
		return;
	request_refuse(w->request, 404, REPL_CLOSED, w->to);
	session_work_free(w);
}

void repl_run_code(struct request *r)
{
	uint64_t timeout_ms = r->server->options.timeout_max_ms;
	const struct box_context *c = repl_named(r);
	struct session_work *w = c ? panda_work(r, NOTEBOOK_RUN, repl_answer) : NULL;
	const char *code;
	struct err e;

	if (!w)
		return;
	account_open(&w->permit.account, r, METRICS_SESSION_PYTHON);
	session_work_read(w);
	code = json_string_at(w->body.document, "code");
	if (!code) {
		request_refuse(r, 400, "code: a text is needed");
	} else if (terms_read(r, NULL, &w->terms, &e)) {
		request_refuse(r, 400, "%s", e.text);
	} else if (!panda_read_time(r, w->body.document, "timeout_ms", 1, timeout_ms,
				    &timeout_ms)) {
		box_code_plan(w, c, code, timeout_ms);
		session_work_queue(w, repl_go);
		return;
	}
	session_work_free(w);
}
