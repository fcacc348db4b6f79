/*
 * sandboxes - E2B's control API: sandboxes from their beginning to their end.
 */
#include "e2b/calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_put.h"
#include "base/own.h"
#include "e2b/box.h"
#include "e2b/entry.h"
#include "e2b/running.h"
#include "e2b/sandbox_json.h"
#include "loop/clock.h"
#include "request/capacity.h"
#include "request/server.h"
#include "request/session_work.h"
#include "request/terms.h"
#include "session/session_spec.h"

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

	if (!box_name(r->segments[0], name) ||
	    !handle_check(&r->server->sessions.secret, r->key->id, name)) {
		request_refuse(r, 404, NOT_FOUND, r->segments[0]);
		return NULL;
	}
	w = session_work_named(r, name, action, answer);
	w->refuse = sandboxes_refuse;
	w->ask.life.most_ms = r->key->ceiling.quota.ttl_ms;
	return w;
}

static struct box *sandboxes_box(const struct session_work *w)
{
	return box_meet(w->server, w->name, w->key);
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

static void sandboxes_lives(struct box *b, uint64_t ms)
{
	b->ends_us = ms < LONG_MS ? monotonic_us() + ms * 1000 : UINT64_MAX;
}

/* -- its beginning --------------------------------------------------------------------------- */

static bool sandboxes_answer_created(struct session_work *w)
{
	const struct json *body = w->body.document;
	struct box *b;
	struct err ignored;
	auto_buf struct buf reply = {0};

	running_sweep(w->server);
	b = sandboxes_box(w);
	free(b->template);
	b->template = own_strdup(json_text_at(body, "templateID"));
	if (json_get(body, "metadata")) {
		b->metadata.length = 0;
		json_write(json_get(body, "metadata"), &b->metadata);
	}
	(void)box_read_env(&b->env, json_get(body, "envVars"), &ignored);
	/* The first version of the API gives no token unless it is asked for one. */
	b->is_open = strncmp(w->request->path, "/v2/", 4) != 0 &&
		     !json_is_true(json_get(body, "secure"));
	sandboxes_lives(b, w->ask.begin.life.ttl_ms);
	sandbox_json_put_access(w->server, b, &reply);
	request_reply(w->request, 201, JSON, &reply);
	return true;
}

/* Refuse members that would have no effect here. */
static int sandboxes_check(const struct json *body, struct err *e)
{
	static const char *const refused[] = {"autoPause", "autoResume", "mcp", "iam",
					      "volumeMounts"};

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		const struct json *member = json_get(body, refused[i]);
		const bool is_off =
			json_is_bool(member) ? !json_is_true(member) : !json_count(member);

		if (member && !is_off)
			return err_set(e, ERR_UNSUPPORTED, "%s: not served here", refused[i]);
	}
	return 0;
}

static bool sandboxes_is_template(const struct server *s, const char *text)
{
	const size_t length = strcspn(s->image, ":");

	return !*text || !strcmp(text, "base") || !strncmp(text, "code-interpreter", 16) ||
	       !strcmp(text, s->image) ||
	       (strlen(text) == length && !strncmp(text, s->image, length));
}

/* A network is asked for by default: it is what the key's ceiling names. */
static int sandboxes_reach(struct session_work *w, const struct json *body, struct err *e)
{
	const struct json *internet = json_get(body, "allow_internet_access");
	const struct json *hosts = json_get(json_get(body, "network"), "allowOut");

	if (json_count(hosts))
		return terms_reach(w->request, hosts, &w->terms, e);
	return internet && !json_is_true(internet) ? 0 : terms_reach_all(w->request, &w->terms, e);
}

/* They are set for each call and program: a warm Python has read some of them already. */
static int sandboxes_check_env(const struct json *body, struct err *e)
{
	auto_list struct list env = {0};

	return box_read_env(&env, json_get(body, "envVars"), e);
}

static int sandboxes_plan(struct session_work *w, const struct json *body, struct err *e)
{
	struct sandbox_spec *spec = &w->terms;
	struct mount_spec *home;

	if (!sandboxes_is_template(w->server, json_text_at(body, "templateID")))
		return err_set(e, ERR_NOT_FOUND,
			       "template '%.100s' not found: this server has base, "
			       "code-interpreter-v1 and %.100s",
			       json_text_at(body, "templateID"), w->server->image);
	if (sandboxes_check(body, e) || terms_read(w->request, NULL, spec, e) ||
	    sandboxes_reach(w, body, e) || sandboxes_check_env(body, e))
		return -1;
	home = spec_add_mount(spec, MOUNT_TMPFS, BOX_HOME);
	home->size_bytes = WORKSPACE_BYTES;
	home->inodes = 65536;
	home->mode = 0755;
	home->uid = home->gid = -1;
	home->exec = true;
	spec->workdir = spec_strdup(spec, BOX_HOME);
	spec->warm = WARM_REQUIRE;
	w->ask.begin.spec = spec;
	return session_spec_finish(spec, w->server->image, e);
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
	} else if (sandboxes_plan(w, body, &e)) {
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
	auto_buf struct buf reply = {0};

	sandbox_json_put(w->server, sandboxes_box(w), w->result.life.age_ms, w->result.life.ttl_ms,
			 &reply);
	request_reply(w->request, 200, JSON, &reply);
	return true;
}

void sandboxes_run_info(struct request *r)
{
	struct session_work *w = sandboxes_work(r, NOTEBOOK_LIFE, sandboxes_answer_info);

	if (w)
		session_work_start(w);
}

static bool sandboxes_answer_killed(struct session_work *w)
{
	struct box *b = box_find(w->server, w->name);

	request_reply(w->request, 204, NULL, NULL);
	if (b)
		running_forget(b);
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
	sandboxes_lives(sandboxes_box(w), w->ask.life.ttl_ms);
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
	sandboxes_lives(sandboxes_box(w), w->ask.life.ttl_ms);
	request_reply(w->request, 204, NULL, NULL);
	return true;
}

/* It stands still: its timeout does, too, so it lives as long as the key's sessions may. */
static bool sandboxes_answer_paused(struct session_work *w)
{
	const uint64_t most_ms = clock_earlier(w->key->ceiling.quota.ttl_ms, LONG_MS);

	sandboxes_box(w)->is_paused = true;
	w->ask.action = NOTEBOOK_LIFE;
	w->ask.life.ttl_ms = most_ms - clock_earlier(most_ms - 1, w->life_age_ms);
	w->answer = sandboxes_answer_kept;
	session_work_start(w);
	return false;
}

static bool sandboxes_pause(struct session_work *w)
{
	w->life_age_ms = w->result.life.age_ms + 1000;
	w->ask.action = NOTEBOOK_FREEZE;
	w->answer = sandboxes_answer_paused;
	session_work_queue(w, session_work_start);
	return false;
}

void sandboxes_run_pause(struct request *r)
{
	struct session_work *w = sandboxes_work(r, NOTEBOOK_LIFE, sandboxes_pause);
	const struct box *b = w ? box_find(r->server, w->name) : NULL;

	if (b && b->is_paused) {
		request_refuse(r, 409, "the sandbox is paused already");
		session_work_free(w);
	} else if (w) {
		session_work_start(w);
	}
}

static bool sandboxes_answer_connected(struct session_work *w)
{
	struct box *b = sandboxes_box(w);
	const bool was_paused = b->is_paused;
	auto_buf struct buf reply = {0};

	b->is_paused = false;
	if (w->ask.life.ttl_ms)
		sandboxes_lives(b, w->ask.life.ttl_ms);
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
	struct box *b = sandboxes_box(w);

	w->ask.life.ttl_ms = w->life_age_ms;
	if (!b->is_paused && left_ms > w->ask.life.ttl_ms)
		w->ask.life.ttl_ms = 0;
	if (!b->is_paused)
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
	if (!sandboxes_read_timeout(r, w->body.document, TIMEOUT_S, &w->life_age_ms))
		session_work_start(w);
	else
		session_work_free(w);
}

/* -- whether it is there --------------------------------------------------------------------- */

static bool sandboxes_answer_health(struct session_work *w)
{
	request_reply(w->request, 204, NULL, NULL);
	return true;
}

static void sandboxes_refuse_health(struct session_work *w, const struct err *e)
{
	struct box *b = box_find(w->server, w->name);
	const bool gone = e->kind == ERR_NOT_FOUND || e->kind == ERR_GONE;

	entry_refuse_gone(w->request);
	if (b && gone)
		running_forget(b);
}

void sandboxes_run_health(struct request *r)
{
	const struct box *b = entry_box(r);
	struct session_work *w;

	if (!b)
		return;
	w = session_work_named(r, b->name, NOTEBOOK_LIFE, sandboxes_answer_health);
	w->refuse = sandboxes_refuse_health;
	w->ask.life.most_ms = SPEC_UNLIMITED;
	session_work_start(w);
}
