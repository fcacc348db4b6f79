/*
 * session_calls - run code in a session: /v1/sessions/ID/bash, /python and /python/stream;
 * interrupt it.
 *
 * Code that fails, or that ends its session, is a reply of 200, as with /v1/execute; errors of the
 * request are reported before the session is looked up.
 */
#include "serve/routes.h"

#include <inttypes.h>
#include <string.h>

#include "base/json_put.h"
#include "loop/clock.h"
#include "request/execute_result.h"
#include "request/server.h"
#include "request/session_account.h"
#include "request/session_work.h"
#include "request/terms.h"
#include "spec/verdict.h"

#define ANSWER_MAX   (8u << 20) /* bytes of value, displays, figures and error together */
#define CMD_MAX      131071     /* the kernel's MAX_ARG_STRLEN, without the NUL */
#define TIMEOUT_MS   30000
#define CMD_TEXT     "cmd exceeds maximum of %d bytes"
#define TIMEOUT_TEXT "timeout_ms exceeds maximum of %" PRIu64 " ms"

/* -- results --------------------------------------------------------------------------------- */

static void session_calls_put_output(struct session_work *w, const char *key, int i,
				     struct buf *out)
{
	execute_result_mark_cut(&w->out[i], w->result.call.truncated[i],
				(size_t)w->ask.call.output_max);
	json_put_bytes(out, key, w->out[i].data, w->out[i].length);
}

/* Put the members that both kinds share; the object is left open. */
static void session_calls_put(struct session_work *w, struct buf *out)
{
	const struct call_result *outcome = &w->result.outcome;
	const struct session_call *call = &w->result.call;
	const enum verdict_kind verdict = session_account_verdict(outcome);

	json_put_begin(out, NULL, '{');
	if (!w->streams) {
		session_calls_put_output(w, "stdout", 0, out);
		session_calls_put_output(w, "stderr", 1, out);
	}
	if (outcome->verdict == CODE_TIMEOUT)
		json_put_null(out, "exit_code");
	else
		json_put_int(out, "exit_code", outcome->exit_code);
	json_put_bool(out, "timed_out", outcome->verdict == CODE_TIMEOUT);
	json_put_uint(out, "duration_ms", call->duration_us / 1000);
	json_put_text(out, "verdict", verdict_name(verdict));
	json_put_bool(out, "oom", verdict == VERDICT_MEMORY);
	json_put_bool(out, "lost", call->lost);
	json_put_text(out, "lost_because", call->lost ? w->result.error.text : NULL);
}

/* @is_cut  something beside the output was cut. */
static bool session_calls_reply(struct session_work *w, bool is_cut, struct buf *body)
{
	const bool *truncated = w->result.call.truncated;

	json_put_bool(body, "truncated", is_cut || truncated[0] || truncated[1]);
	json_put_end(body, '}');
	if (w->streams)
		execute_stream_end(&w->stream, body);
	else
		request_reply(w->request, 200, "application/json", body);
	return true;
}

static bool session_calls_answer_bash(struct session_work *w)
{
	const struct call_result *outcome = &w->result.outcome;
	auto_buf struct buf body = {0};

	if (outcome->verdict == CODE_ERROR) /* the shell did not start */
		call_result_traceback(outcome, call_result_add, &w->out[1]);
	w->result.call.truncated[1] |= w->out[1].length > w->ask.call.output_max;
	session_calls_put(w, &body);
	return session_calls_reply(w, false, &body);
}

/* Foreign code may send anything: a member of the wrong form is left out. */
static void session_calls_put_member(const struct json *answer, const char *key,
				     bool (*is_right)(const struct json *node),
				     const char *otherwise, struct buf *out)
{
	const struct json *node = answer ? json_get(answer, key) : NULL;

	json_put_key(out, key);
	if (node && is_right(node))
		json_write(node, out);
	else
		buf_text(out, otherwise);
}

static void session_calls_put_answer(const struct json *answer, struct buf *out)
{
	session_calls_put_member(answer, "value", json_is_object, "null", out);
	session_calls_put_member(answer, "displays", json_is_array, "[]", out);
	session_calls_put_member(answer, "figures", json_is_array, "[]", out);
	session_calls_put_member(answer, "error", json_is_object, "null", out);
}

/*
 * An honest interpreter sends ASCII, which keeps its length when written again. Foreign code may
 * send text that grows six times: leave it out. Returns whether that was done.
 */
static bool session_calls_cut_answer(struct session_work *w, struct buf *body)
{
	const struct json *answer = w->result.outcome.answer;
	const size_t begin = body->length;
	bool is_cut;

	body->cap = begin + ANSWER_MAX;
	session_calls_put_answer(json_is_object(answer) ? answer : NULL, body);
	is_cut = body->truncated;
	body->cap = 0;
	body->truncated = false;
	if (is_cut) {
		buf_cut(body, begin);
		session_calls_put_answer(NULL, body);
	}
	return is_cut;
}

static bool session_calls_answer_python(struct session_work *w)
{
	auto_buf struct buf body = {0};
	bool is_cut;

	session_calls_put(w, &body);
	if (!w->streams)
		display_places_put(&w->places, &body);
	is_cut = session_calls_cut_answer(w, &body) || w->result.outcome.is_cut;
	return session_calls_reply(w, is_cut, &body);
}

/* -- requests -------------------------------------------------------------------------------- */

static void session_calls_plan(struct session_work *w, const char *source, uint64_t timeout_ms)
{
	w->ask.call.source = source;
	w->ask.call.length = strlen(source);
	w->ask.call.timeout_ms = clock_earlier(timeout_ms, w->terms.limits.wall_time_ms);
	w->terms.limits.wall_time_ms = w->ask.call.timeout_ms;
	w->ask.call.output_max = w->terms.limits.output_bytes;
	w->ask.call.answer_max = ANSWER_MAX;
	session_work_plan_output(w);
}

/* Returns whether the request may go on; otherwise it has been answered. */
static bool session_calls_read(struct session_work *w, const char *member)
{
	const uint64_t most = w->server->options.timeout_max_ms;
	uint64_t timeout_ms = TIMEOUT_MS;
	const char *source = "";
	struct err e;

	session_work_read(w);
	schema_string(&w->body, member, true, &source);
	schema_whole(&w->body, "timeout_ms", 1, &timeout_ms);
	if (!session_work_is_right(w))
		return false;
	if (timeout_ms > most) {
		request_refuse(w->request, 422, TIMEOUT_TEXT, most);
		return false;
	}
	if (w->ask.action == NOTEBOOK_BASH && strlen(source) > CMD_MAX) {
		request_refuse(w->request, 422, CMD_TEXT, CMD_MAX);
		return false;
	}
	if (terms_read(w->request, NULL, &w->terms, &e)) {
		request_refuse(w->request, 422, "%s", e.text);
		return false;
	}
	session_calls_plan(w, source, timeout_ms);
	return session_work_is_theirs(w);
}

static void session_calls_go(struct session_work *w)
{
	if (session_account_admit(w))
		session_work_start(w);
	else
		session_work_free(w);
}

static void session_calls_begin(struct session_work *w, enum metrics_operation operation,
				const char *member)
{
	account_open(&w->permit.account, w->request, operation);
	if (session_calls_read(w, member))
		session_work_queue(w, session_calls_go);
	else
		session_work_free(w);
}

void session_calls_run_bash(struct request *r)
{
	session_calls_begin(session_work_new(r, NOTEBOOK_BASH, session_calls_answer_bash),
			    METRICS_SESSION_BASH, "cmd");
}

static void session_calls_begin_python(struct request *r, bool streams)
{
	struct session_work *w = session_work_new(r, NOTEBOOK_RUN, session_calls_answer_python);

	w->streams = streams;
	session_calls_begin(w, METRICS_SESSION_PYTHON, "code");
}

void session_calls_run_python(struct request *r)
{
	session_calls_begin_python(r, false);
}

void session_calls_run_python_streamed(struct request *r)
{
	session_calls_begin_python(r, true);
}

/* -- interrupts ------------------------------------------------------------------------------ */

static bool session_calls_answer_idle(struct session_work *w)
{
	request_refuse(w->request, 409, "Session '%s' runs no call", w->name);
	return true;
}

/* Without a running call, the supervisor tells whether the session exists. */
void session_calls_run_interrupt(struct request *r)
{
	struct session_work *w = session_work_new(r, NOTEBOOK_LIFE, session_calls_answer_idle);

	w->ask.life.most_ms = SPEC_UNLIMITED;
	if (session_work_is_theirs(w)) {
		if (!session_work_interrupt(w->server, w->name)) {
			session_work_start(w);
			return;
		}
		request_reply(r, 204, NULL, NULL);
	}
	session_work_free(w);
}
