/*
 * sandboxes - /v1/sandboxes: begin, describe and end sandboxes.
 */
#include "pandastack/calls.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json_put.h"
#include "base/own.h"
#include "loop/clock.h"
#include "pandastack/panda.h"
#include "request/terms.h"

#define TTL_MS 900000 /* where a client says none */
#define MIB    (1u << 20)
#define PANDA_NO_TEMPLATE                                                                          \
	"template '%.100s' not found: this server has base, code-interpreter and %.100s"
#define PANDA_NO_METADATA "metadata: an object of texts"

/* -- what it is ------------------------------------------------------------------------------ */

static uint64_t sandboxes_cpus(const struct limits *l)
{
	const long online = sysconf(_SC_NPROCESSORS_ONLN);

	if (l->cpu_quota_us == SPEC_UNLIMITED || !l->cpu_period_us)
		return online > 0 ? (uint64_t)online : 1;
	return (l->cpu_quota_us + l->cpu_period_us - 1) / l->cpu_period_us;
}

/* 0: unlimited. */
static uint64_t sandboxes_memory_mb(const struct limits *l)
{
	return l->memory_bytes == SPEC_UNLIMITED ? 0 : l->memory_bytes / MIB;
}

static void sandboxes_put(const struct server *s, struct panda *p, uint64_t age_ms, bool is_frozen,
			  struct buf *out)
{
	const struct limits *l = &s->terms.limits;
	char began[CLOCK_UTC_SIZE];

	p->began_ms = p->began_ms ? p->began_ms : clock_now_ms() - age_ms;
	clock_utc_ms_at(p->began_ms, began);
	json_put_begin(out, NULL, '{');
	json_put(out, "id:%s, template:%s, cpu:%lu, memory_mb:%lu, status:%s, created_at:%s",
		 p->name, p->template, (unsigned long)sandboxes_cpus(l),
		 (unsigned long)sandboxes_memory_mb(l),
		 !is_frozen         ? "running"
		 : p->is_hibernated ? "hibernated"
				    : "paused",
		 began);
	json_put(out, "persistent:false, boot_ms:%lu, boot_mode:'warm'", (unsigned long)p->boot_ms);
	json_put_key(out, "metadata");
	buf_add(out, p->metadata.data, p->metadata.length);
	json_put_end(out, '}');
}

/* -- a new one ------------------------------------------------------------------------------- */

static bool sandboxes_answer_begun(struct session_work *w)
{
	const struct json *body = w->body.document;
	const struct json *metadata = json_get(body, "metadata");
	const char *template = json_string_at(body, "template");
	auto_buf struct buf reply = {0};
	struct panda *p;

	panda_sweep(w->server);
	p = panda_meet(w->server, w->name, w->key);
	if (template) {
		free(p->template);
		p->template = own_strdup(template);
	}
	if (metadata) {
		buf_cut(&p->metadata, 0);
		json_write(metadata, &p->metadata);
	}
	p->boot_ms = (monotonic_us() - w->request->began_us) / 1000;
	panda_lives(p, 0, w->ask.begin.life.ttl_ms);
	sandboxes_put(w->server, p, 0, false, &reply);
	request_reply(w->request, 201, PANDA_JSON, &reply);
	return true;
}

static bool sandboxes_is_template(const struct server *s, const char *text)
{
	const size_t length = strcspn(s->image, ":");

	return !text || !strcmp(text, "base") || !strcmp(text, "code-interpreter") ||
	       !strcmp(text, s->image) ||
	       (strlen(text) == length && !strncmp(text, s->image, length));
}

static int sandboxes_check_metadata(const struct json *body, struct err *e)
{
	const struct json *metadata = json_get(body, "metadata");

	if (metadata && !json_is_object(metadata))
		return err_input(e, PANDA_NO_METADATA);
	for (const struct json *n = json_first(metadata); n; n = json_next(n)) {
		if (!json_string(n))
			return err_input(e, PANDA_NO_METADATA);
	}
	return 0;
}

/* Refuse what would have no effect here. */
static int sandboxes_check(const struct session_work *w, const struct json *body, struct err *e)
{
	const struct limits *l = &w->server->terms.limits;
	const uint64_t memory = sandboxes_memory_mb(l);

	if (json_is_true(json_get(body, "persistent")))
		return err_input(e, PANDA_NO_PERSISTENT);
	if (json_string_at(body, "from_snapshot"))
		return err_input(e, "from_snapshot: there are no snapshots here");
	if (json_count(json_get(body, "volumes")))
		return err_input(e, "volumes: a sandbox has none here: upload its files");
	if (json_uint_at(body, "cpu", 0) > sandboxes_cpus(l))
		return err_set(e, ERR_LIMIT, "cpu: a sandbox has %lu here",
			       (unsigned long)sandboxes_cpus(l));
	if (memory && json_uint_at(body, "memory_mb", 0) > memory)
		return err_set(e, ERR_LIMIT, "memory_mb: a sandbox has %lu here",
			       (unsigned long)memory);
	return sandboxes_check_metadata(body, e);
}

static int sandboxes_plan(struct session_work *w, struct err *e)
{
	const struct json *body = w->body.document;
	const char *template = json_string_at(body, "template");

	if (!json_is_object(body))
		return err_input(e, "the body must be a JSON object");
	if (!sandboxes_is_template(w->server, template))
		return err_set(e, ERR_NOT_FOUND, PANDA_NO_TEMPLATE, template, w->server->image);
	w->ask.begin.image = w->server->image;
	w->ask.begin.terms = &w->terms;
	return sandboxes_check(w, body, e) || terms_read(w->request, NULL, &w->terms, e) ||
			       terms_reach_all(w->request, &w->terms, e)
		       ? -1
		       : 0;
}

void sandboxes_run_begin(struct request *r)
{
	struct session_work *w = session_work_named(r, "", NOTEBOOK_BEGIN, sandboxes_answer_begun);
	const uint64_t most_ms = r->key->ceiling.quota.ttl_ms;
	uint64_t *ttl_ms = &w->ask.begin.life.ttl_ms;
	struct err e;

	account_open(&w->permit.account, r, METRICS_SESSION_CREATE);
	session_work_read(w);
	*ttl_ms = clock_earlier(TTL_MS, most_ms);
	if (sandboxes_plan(w, &e)) {
		request_refuse(r, e.kind == ERR_NOT_FOUND ? 404 : 400, "%s", e.text);
	} else if (!panda_read_time(r, w->body.document, "ttl_seconds", 1000, most_ms, ttl_ms)) {
		session_work_queue(w, sessions_go);
		return;
	}
	session_work_free(w);
}

/* -- those that there are -------------------------------------------------------------------- */

/* The supervisor's list also says which are frozen. */
static bool sandboxes_answer_one(struct session_work *w)
{
	auto_buf struct buf reply = {0};

	for (size_t i = 0; i < w->result.session_count && !reply.length; i++) {
		const struct session_entry *session = &w->result.sessions[i];
		struct panda *p;

		if (strcmp(session->name, w->name) != 0)
			continue;
		p = panda_meet(w->server, w->name, w->key);
		panda_lives(p, session->age_ms, session->ttl_ms);
		sandboxes_put(w->server, p, session->age_ms, session->frozen, &reply);
	}
	if (reply.length)
		request_reply(w->request, 200, PANDA_JSON, &reply);
	else
		panda_refuse(w, &(struct err){.kind = ERR_NOT_FOUND});
	return true;
}

void sandboxes_run_get(struct request *r)
{
	struct session_work *w = panda_work(r, NOTEBOOK_SESSIONS, sandboxes_answer_one);

	if (w)
		session_work_start(w);
}

static bool sandboxes_answer_all(struct session_work *w)
{
	auto_buf struct buf reply = {0};
	struct panda *p;

	json_put_begin(&reply, NULL, '[');
	LIST_FOREACH (p, &w->server->pandas, link) {
		const struct session_entry *session = w->result.sessions;
		const struct session_entry *end = session + w->result.session_count;

		while (session < end && strcmp(session->name, p->name) != 0)
			session++;
		if (session < end && !strcmp(p->owner, w->key->id))
			sandboxes_put(w->server, p, session->age_ms, session->frozen, &reply);
	}
	json_put_end(&reply, ']');
	request_reply(w->request, 200, PANDA_JSON, &reply);
	return true;
}

void sandboxes_run_all(struct request *r)
{
	session_work_start(session_work_named(r, "", NOTEBOOK_SESSIONS, sandboxes_answer_all));
}

/* -- its end --------------------------------------------------------------------------------- */

static bool sandboxes_answer_deleted(struct session_work *w)
{
	panda_forget(w->server, w->name);
	request_reply(w->request, 204, NULL, NULL);
	return true;
}

void sandboxes_run_delete(struct request *r)
{
	struct session_work *w = panda_work(r, NOTEBOOK_DROP, sandboxes_answer_deleted);

	if (w)
		session_work_start(w);
}
