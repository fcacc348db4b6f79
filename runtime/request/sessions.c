/*
 * sessions - /v1/sessions: begin, list, renew and end sessions.
 */
#include "request/sessions.h"

#include <fcntl.h>
#include <inttypes.h>

#include "base/json_put.h"
#include "base/own.h"
#include "fs/private_dir.h"
#include "loop/clock.h"
#include "request/files.h"
#include "request/gate.h"
#include "request/server.h"
#include "request/session_account.h"
#include "request/session_work.h"
#include "request/terms.h"

#define TTL_S     900
#define TTL_MOST  86400
#define TTL_TEXT  "ttl_seconds exceeds maximum of %" PRIu64 " s"
#define SECOND_MS 1000

int sessions_open(struct sessions *s, const char *path, struct err *e)
{
	auto_fd int fd = private_dir_open(path, e);

	return fd < 0 ? -1 : handle_secret_open(fd, &s->secret, e);
}

static double sessions_expiry(uint64_t age_ms, uint64_t ttl_ms)
{
	return clock_now_s() + ((double)ttl_ms - (double)age_ms) / SECOND_MS;
}

/* To the millisecond: a clock's nanoseconds are no news. */
static void sessions_put_time(struct buf *out, const char *key, double time)
{
	json_put_key(out, key);
	json_write_number((double)(int64_t)(time * 1000) / 1000, out);
}

/* -- a new one ------------------------------------------------------------------------------- */

static bool sessions_answer_begun(struct session_work *w)
{
	auto_buf struct buf body = {0};

	json_put_begin(&body, NULL, '{');
	json_put_text(&body, "session_id", w->name);
	sessions_put_time(&body, "expires_at", sessions_expiry(0, w->ask.begin.life.ttl_ms));
	json_put_end(&body, '}');
	request_reply(w->request, 201, "application/json", &body);
	return true;
}

/* The key may have one more: begin it. */
static void sessions_begin(struct session_work *w)
{
	struct err e;

	if (staging_open(w->server->files, w->key->id, &w->staging, &e))
		files_refuse(w->request, &e);
	else if (session_account_admit(w)) {
		session_work_start(w);
		return;
	}
	session_work_free(w);
}

static void sessions_counted(void *context, const struct err *refusal, uint64_t seconds)
{
	struct session_work *w = context;

	if (!refusal) {
		sessions_begin(w);
		return;
	}
	account_reject(&w->permit.account, seconds ? METRICS_QUOTA : METRICS_CAPACITY);
	if (seconds) {
		gate_advise(w->request, seconds);
		request_refuse(w->request, 429, "%s", refusal->text);
	} else {
		session_work_refuse(w, refusal);
	}
	session_work_free(w);
}

void sessions_go(struct session_work *w)
{
	if (!*w->name)
		handle_make(&w->server->sessions.secret, w->key->id, w->server->options.node,
			    w->name);
	permit_count(&w->permit, w->name, sessions_counted, w);
}

/* Read the limits asked for, within the key's. */
static bool sessions_read_terms(struct session_work *w, uint64_t ttl_s, const struct json *limits)
{
	const uint64_t most_ms = w->key->ceiling.quota.ttl_ms;
	struct err e;

	if (ttl_s > most_ms / SECOND_MS) {
		request_refuse(w->request, 422, TTL_TEXT, most_ms / SECOND_MS);
		return false;
	}
	if (!ttl_s)
		ttl_s = TTL_S < most_ms / SECOND_MS ? TTL_S : most_ms / SECOND_MS;
	w->ask.begin.life.ttl_ms = ttl_s * SECOND_MS;
	w->ask.begin.image = w->server->image;
	w->ask.begin.terms = &w->terms;
	if (!terms_read(w->request, limits, &w->terms, &e) &&
	    !terms_reach(w->request, json_get(w->body.document, "egress"), &w->terms, &e))
		return true;
	request_refuse(w->request, 422, "%s", e.text);
	return false;
}

static bool sessions_plan_files(struct session_work *w, const struct staging_names *names,
				size_t count)
{
	struct err e;

	if (staging_plan(w->server->files, w->key->id, names, count, false, &w->staging, &e)) {
		files_refuse(w->request, &e);
		return false;
	}
	w->ask.begin.files = w->staging.files;
	w->ask.begin.file_count = w->staging.count;
	return true;
}

static bool sessions_read(struct session_work *w)
{
	auto_free struct staging_names *names = NULL;
	const struct json *limits;
	uint64_t ttl_s = 0;
	size_t count;

	session_work_read(w);
	schema_whole_within(&w->body, "ttl_seconds", 1, TTL_MOST, &ttl_s);
	limits = schema_object(&w->body, "limits");
	count = staging_read(&w->body, &names);
	return session_work_is_right(w) && sessions_read_terms(w, ttl_s, limits) &&
	       sessions_plan_files(w, names, count);
}

void sessions_run_create(struct request *r)
{
	struct session_work *w = session_work_new(r, NOTEBOOK_BEGIN, sessions_answer_begun);

	account_open(&w->permit.account, r, METRICS_SESSION_CREATE);
	if (sessions_read(w))
		session_work_queue(w, sessions_go);
	else
		session_work_free(w);
}

/* -- list ------------------------------------------------------------------------------------ */

static void sessions_put(struct buf *out, const struct session_entry *session)
{
	json_put_begin(out, NULL, '{');
	json_put_text(out, "session_id", session->name);
	sessions_put_time(out, "created_at", clock_now_s() - (double)session->age_ms / SECOND_MS);
	if (session->ttl_ms)
		sessions_put_time(out, "expires_at",
				  sessions_expiry(session->age_ms, session->ttl_ms));
	else
		json_put_null(out, "expires_at");
	json_put_uint(out, "idle_ms", session->idle_ms);
	json_put_uint(out, "calls", session->calls);
	json_put_uint(out, "checkpoints", session->checkpoints);
	json_put_bool(out, "busy", session->busy);
	json_put_bool(out, "frozen", session->frozen);
	json_put_end(out, '}');
}

static bool sessions_answer_list(struct session_work *w)
{
	auto_buf struct buf body = {0};

	json_put_begin(&body, NULL, '{');
	json_put_begin(&body, "sessions", '[');
	for (size_t i = 0; i < w->result.session_count; i++) {
		const struct session_entry *session = &w->result.sessions[i];

		if (handle_check(&w->server->sessions.secret, w->key->id, session->name))
			sessions_put(&body, session);
	}
	json_put_end(&body, ']');
	json_put_end(&body, '}');
	request_reply(w->request, 200, "application/json", &body);
	return true;
}

void sessions_run_list(struct request *r)
{
	session_work_start(session_work_new(r, NOTEBOOK_SESSIONS, sessions_answer_list));
}

/* -- renew ----------------------------------------------------------------------------------- */

static bool sessions_answer_prolonged(struct session_work *w)
{
	auto_buf struct buf body = {0};

	json_put_begin(&body, NULL, '{');
	json_put_text(&body, "session_id", w->name);
	sessions_put_time(&body, "expires_at",
			  sessions_expiry(w->result.life.age_ms, w->result.life.ttl_ms));
	json_put_end(&body, '}');
	request_reply(w->request, 200, "application/json", &body);
	return true;
}

/* Set the time to live from now on; the whole life stays within the key's ceiling. */
void sessions_run_patch(struct request *r)
{
	struct session_work *w = session_work_new(r, NOTEBOOK_LIFE, sessions_answer_prolonged);
	uint64_t ttl_s = 0;

	session_work_read(w);
	schema_require(&w->body, "ttl_seconds");
	schema_whole_within(&w->body, "ttl_seconds", 1, TTL_MOST, &ttl_s);
	w->ask.life.ttl_ms = ttl_s * SECOND_MS;
	w->ask.life.most_ms = w->key->ceiling.quota.ttl_ms;
	if (session_work_is_right(w) && session_work_is_theirs(w))
		session_work_start(w);
	else
		session_work_free(w);
}

/* -- its end --------------------------------------------------------------------------------- */

static bool sessions_answer_dropped(struct session_work *w)
{
	request_reply(w->request, 204, NULL, NULL);
	return true;
}

void sessions_run_delete(struct request *r)
{
	struct session_work *w = session_work_new(r, NOTEBOOK_DROP, sessions_answer_dropped);

	if (session_work_is_theirs(w))
		session_work_start(w);
	else
		session_work_free(w);
}
