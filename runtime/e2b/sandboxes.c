/*
 * sandboxes - E2B's control API: sandboxes from their beginning to their end.
 */
#include "e2b/calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_put.h"
#include "base/own.h"
#include "e2b/e2b_box.h"
#include "e2b/entry.h"
#include "e2b/running.h"
#include "e2b/sandbox_json.h"
#include "e2b/wish.h"
#include "loop/clock.h"
#include "request/capacity.h"
#include "request/server.h"
#include "request/session_work.h"

#define TIMEOUT_S  300                        /* where a client says none */
#define LONG_MS    (30 * 24 * 3600 * 1000ull) /* the longest pause */
#define JSON       "application/json"
#define NOT_FOUND  "sandbox \"%s\" does not exist or you don't have access to it"
#define NO_TIMEOUT "timeout: a whole number of seconds, %llu at most"

/* -- work ------------------------------------------------------------------------------------ */

static void sandboxes_refuse(struct session_work *w, const struct err *e)
{
	if (e->kind == ERR_NOT_FOUND || e->kind == ERR_GONE)
		request_refuse(w->request, 404, NOT_FOUND, w->request->segments[0]);
	else if (e->kind == ERR_BUSY)
		request_refuse(w->request, 409, "%s", e->text);
	else if (e->kind == ERR_INPUT || e->kind == ERR_LIMIT || e->kind == ERR_UNSUPPORTED)
		request_refuse(w->request, 400, "%s", e->text);
	else
		capacity_refuse(w->request, e);
}

/* Work on the sandbox of the path; NULL: it is not the key's, and that was answered. */
static struct session_work *sandboxes_work(struct request *r, enum notebook_action action,
					   bool (*answer)(struct session_work *w))
{
	char name[HANDLE_BYTES];
	struct session_work *w;

	if (!e2b_box_name(r->segments[0], name) ||
	    !handle_check(&r->server->sessions.secret, r->key->id, name)) {
		request_refuse(r, 404, NOT_FOUND, r->segments[0]);
		return NULL;
	}
	w = session_work_named(r, name, action, answer);
	w->refuse = sandboxes_refuse;
	w->ask.life.most_ms = r->key->ceiling.quota.ttl_ms;
	return w;
}

static struct e2b_box *sandboxes_box(const struct session_work *w)
{
	return e2b_box_meet(w->server, w->name, w->key);
}

/* Read `timeout`, seconds. Returns -1: refused and answered. */
static int sandboxes_read_timeout(struct request *r, const struct json *body, uint64_t otherwise_s,
				  uint64_t *ms)
{
	const uint64_t most_s = r->key->ceiling.quota.ttl_ms / 1000;
	const struct json *timeout = json_get(body, "timeout");
	uint64_t seconds = clock_earlier(otherwise_s, most_s);

	if (timeout && (json_number(timeout, &seconds) || seconds > most_s)) {
		request_refuse(r, 400, NO_TIMEOUT, (unsigned long long)most_s);
		return -1;
	}
	*ms = seconds ? seconds * 1000 : 1;
	return 0;
}

/* -- its beginning --------------------------------------------------------------------------- */

static bool sandboxes_answer_created(struct session_work *w)
{
	const struct json *body = w->body.document;
	struct e2b_box *b;
	struct err ignored;
	auto_buf struct buf reply = {0};

	box_sweep(w->server);
	b = sandboxes_box(w);
	box_describe(&b->box, json_text_at(body, "templateID"), json_get(body, "metadata"));
	(void)e2b_box_read_env(&b->env, json_get(body, "envVars"), &ignored);
	/* The first version of the API gives no token unless it is asked for one. */
	b->is_first_version = strncmp(w->request->path, "/v2/", 4) != 0;
	b->is_open = b->is_first_version && !json_is_true(json_get(body, "secure"));
	box_lives(&b->box, w->ask.begin.life.ttl_ms);
	sandbox_json_put_access(w->server, b, &reply);
	request_reply(w->request, 201, JSON, &reply);
	return true;
}

void sandboxes_run_create(struct request *r)
{
	struct session_work *w =
		session_work_named(r, "", NOTEBOOK_BEGIN, sandboxes_answer_created);
	const struct json *body;
	struct err e;

	account_open(&w->permit.account, r, METRICS_SESSION_CREATE);
	session_work_read(w);
	body = w->body.document;
	if (!json_is_object(body)) {
		request_refuse(r, 400, "the body must be a JSON object");
	} else if (wish_plan(w, body, &e)) {
		request_refuse(r, e.kind == ERR_NOT_FOUND ? 404 : 400, "%s", e.text);
	} else if (!sandboxes_read_timeout(r, body, TIMEOUT_S, &w->ask.begin.life.ttl_ms)) {
		session_work_queue(w, sessions_go);
		return;
	}
	session_work_free(w);
}

/* -- its life -------------------------------------------------------------------------------- */

static bool sandboxes_answer_info(struct session_work *w)
{
	const struct session_entry *s = box_session(w, w->name);
	auto_buf struct buf reply = {0};
	struct e2b_box *b;

	if (!s) {
		sandboxes_refuse(w, &(struct err){.kind = ERR_NOT_FOUND});
		return true;
	}
	b = sandboxes_box(w);
	b->box.is_asleep = s->frozen;
	sandbox_json_put(w->server, b, s->age_ms, s->ttl_ms, &reply);
	request_reply(w->request, 200, JSON, &reply);
	return true;
}

void sandboxes_run_info(struct request *r)
{
	struct session_work *w = sandboxes_work(r, NOTEBOOK_SESSIONS, sandboxes_answer_info);

	if (w)
		session_work_start(w);
}

static bool sandboxes_answer_killed(struct session_work *w)
{
	request_reply(w->request, 204, NULL, NULL);
	box_forget_named(w->server, &e2b_face, w->name);
	return true;
}

void sandboxes_run_kill(struct request *r)
{
	struct session_work *w = sandboxes_work(r, NOTEBOOK_DROP, sandboxes_answer_killed);

	if (w)
		session_work_start(w);
}

static bool sandboxes_answer_timeout(struct session_work *w)
{
	box_lives(&sandboxes_box(w)->box, w->ask.life.ttl_ms);
	request_reply(w->request, 204, NULL, NULL);
	return true;
}

void sandboxes_run_timeout(struct request *r)
{
	struct session_work *w = sandboxes_work(r, NOTEBOOK_LIFE, sandboxes_answer_timeout);

	if (!w)
		return;
	session_work_read(w);
	if (!sandboxes_read_timeout(r, w->body.document, TIMEOUT_S, &w->ask.life.ttl_ms))
		session_work_start(w);
	else
		session_work_free(w);
}

/* -- a pause, and its end -------------------------------------------------------------------- */

static bool sandboxes_answer_kept(struct session_work *w)
{
	box_lives(&sandboxes_box(w)->box, w->ask.life.ttl_ms);
	request_reply(w->request, 204, NULL, NULL);
	return true;
}

/* It stands still: its timeout does, too, so it lives as long as the key's sessions may. */
static bool sandboxes_answer_paused(struct session_work *w)
{
	const uint64_t most_ms = clock_earlier(w->key->ceiling.quota.ttl_ms, LONG_MS);

	w->ask.action = NOTEBOOK_LIFE;
	w->ask.life.ttl_ms = most_ms - clock_earlier(most_ms - 1, w->carried_ms);
	w->answer = sandboxes_answer_kept;
	session_work_start(w);
	return false;
}

static void sandboxes_refuse_pause(struct session_work *w, const struct err *e)
{
	if (w->ask.action == NOTEBOOK_FREEZE && e->kind != ERR_BUSY)
		sandboxes_box(w)->box.is_asleep = false;
	sandboxes_refuse(w, e);
}

/* It counts as paused also if its client leaves before it stands still. */
static void sandboxes_freeze(struct session_work *w)
{
	sandboxes_box(w)->box.is_asleep = true;
	session_work_start(w);
}

static bool sandboxes_pause(struct session_work *w)
{
	w->carried_ms = w->result.life.age_ms + 1000;
	w->refuse = sandboxes_refuse_pause;
	w->ask.action = NOTEBOOK_FREEZE;
	w->answer = sandboxes_answer_paused;
	session_work_queue(w, sandboxes_freeze);
	return false;
}

void sandboxes_run_pause(struct request *r)
{
	struct session_work *w = sandboxes_work(r, NOTEBOOK_LIFE, sandboxes_pause);
	const struct e2b_box *b = w ? e2b_box_find(r->server, w->name) : NULL;

	if (b && b->box.is_asleep) {
		request_refuse(r, 409, "the sandbox is paused already");
		session_work_free(w);
	} else if (w) {
		session_work_start(w);
	}
}

static bool sandboxes_answer_connected(struct session_work *w)
{
	struct e2b_box *b = sandboxes_box(w);
	const bool was_paused = b->box.is_asleep;
	auto_buf struct buf reply = {0};

	b->box.is_asleep = false;
	if (w->ask.life.ttl_ms)
		box_lives(&b->box, w->ask.life.ttl_ms);
	sandbox_json_put_access(w->server, b, &reply);
	request_reply(w->request, was_paused ? 201 : 200, JSON, &reply);
	return true;
}

/* It runs: from now on it lives as long as was asked for, or longer if it did already. */
static bool sandboxes_answer_thawed(struct session_work *w)
{
	w->ask.action = NOTEBOOK_LIFE;
	w->answer = sandboxes_answer_connected;
	session_work_start(w);
	return false;
}

static bool sandboxes_connect(struct session_work *w)
{
	const uint64_t left_ms = w->result.life.ttl_ms - w->result.life.age_ms;
	struct e2b_box *b = sandboxes_box(w);

	w->ask.life.ttl_ms = w->carried_ms;
	if (!b->box.is_asleep && left_ms > w->ask.life.ttl_ms)
		w->ask.life.ttl_ms = 0;
	if (!b->box.is_asleep)
		return sandboxes_answer_thawed(w);
	w->ask.action = NOTEBOOK_THAW;
	w->answer = sandboxes_answer_thawed;
	session_work_queue(w, session_work_start);
	return false;
}

void sandboxes_run_connect(struct request *r)
{
	struct session_work *w = sandboxes_work(r, NOTEBOOK_LIFE, sandboxes_connect);

	if (!w)
		return;
	session_work_read(w);
	if (!sandboxes_read_timeout(r, w->body.document, TIMEOUT_S, &w->carried_ms))
		session_work_start(w);
	else
		session_work_free(w);
}

/* -- what it uses ---------------------------------------------------------------------------- */

/* The share of a CPU since the last time; the first time is a beginning. */
static unsigned long sandboxes_cpu_percent(struct e2b_box *b, const struct session_entry *s)
{
	const uint64_t now_us = monotonic_us();
	const uint64_t since_us = b->cpu_at_us ? now_us - b->cpu_at_us : 0;
	const uint64_t used_us = s->cpu_us > b->cpu_us ? s->cpu_us - b->cpu_us : 0;

	b->cpu_us = s->cpu_us;
	b->cpu_at_us = now_us;
	return since_us ? (unsigned long)((100 * used_us + since_us / 2) / since_us) : 0;
}

/* Its files are in memory, and counted there. */
static bool sandboxes_answer_metrics(struct session_work *w)
{
	const struct session_entry *s = box_session(w, w->name);
	auto_buf struct buf body = {0};
	char now[CLOCK_UTC_SIZE];

	if (!s) {
		sandboxes_refuse(w, &(struct err){.kind = ERR_NOT_FOUND});
		return true;
	}
	clock_utc_at(clock_now_ms(), now);
	json_put(&body,
		 "[{timestamp:%s, timestampUnix:%llu, cpuCount:%lu, cpuUsedPct:%lu, memUsed:%llu, "
		 "memTotal:%llu, memCache:0, diskUsed:0, diskTotal:0}]",
		 now, (unsigned long long)(clock_now_ms() / 1000), box_cpus(w->server),
		 sandboxes_cpu_percent(sandboxes_box(w), s), (unsigned long long)s->memory_bytes,
		 (unsigned long long)box_memory_mib(w->server) << 20);
	request_reply(w->request, 200, JSON, &body);
	return true;
}

void sandboxes_run_metrics(struct request *r)
{
	struct session_work *w = sandboxes_work(r, NOTEBOOK_SESSIONS, sandboxes_answer_metrics);

	if (!w)
		return;
	w->ask.usage = true;
	session_work_start(w);
}

/* -- whether it is there --------------------------------------------------------------------- */

static bool sandboxes_answer_health(struct session_work *w)
{
	request_reply(w->request, 204, NULL, NULL);
	return true;
}

void sandboxes_run_health(struct request *r)
{
	const struct e2b_box *b = entry_box(r);
	struct session_work *w;

	if (!b)
		return;
	w = session_work_named(r, b->box.name, NOTEBOOK_LIFE, sandboxes_answer_health);
	w->refuse = running_gone;
	w->ask.life.most_ms = SPEC_UNLIMITED;
	session_work_start(w);
}
