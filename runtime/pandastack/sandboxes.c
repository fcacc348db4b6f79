/*
 * sandboxes - /v1/sandboxes: begin, describe and end sandboxes.
 */
#include "pandastack/calls.h"

#include <string.h>

#include "base/json_put.h"
#include "loop/clock.h"
#include "pandastack/panda.h"
#include "request/terms.h"

#define TTL_MS 900000 /* where a client says none */
#define PANDA_NO_TEMPLATE                                                                          \
	"template '%.100s' not found: this server has base, code-interpreter and %.100s"

/* -- what it is ------------------------------------------------------------------------------ */

static void sandboxes_put(const struct server *s, struct box *b,
			  const struct session_entry *session, struct buf *out)
{
	char began[CLOCK_UTC_SIZE];

	clock_utc_ms_at(box_began(b, session->age_ms), began);
	json_put_begin(out, NULL, '{');
	json_put(out, "id:%s, template:%s, cpu:%lu, memory_mb:%lu, status:%s, created_at:%s",
		 b->name, b->template, box_cpus(s), box_memory_mib(s),
		 !session->frozen ? "running"
		 : b->is_asleep   ? "hibernated"
				  : "paused",
		 began);
	json_put(out, "persistent:false, boot_ms:%lu, boot_mode:'warm'", (unsigned long)b->boot_ms);
	json_put_key(out, "metadata");
	buf_add(out, b->metadata.data, b->metadata.length);
	json_put_end(out, '}');
}

/* -- a new one ------------------------------------------------------------------------------- */

static bool sandboxes_answer_begun(struct session_work *w)
{
	const struct json *body = w->body.document;
	auto_buf struct buf reply = {0};
	struct box *b;

	box_sweep(w->server);
	b = panda_meet(w);
	box_describe(b, json_string_at(body, "template"), json_get(body, "metadata"));
	b->boot_ms = (monotonic_us() - w->request->began_us) / 1000;
	box_lives(b, w->ask.begin.life.ttl_ms);
	sandboxes_put(w->server, b, &(struct session_entry){0}, &reply);
	request_reply(w->request, 201, PANDA_JSON, &reply);
	return true;
}

/* Refuse what would have no effect here. */
static int sandboxes_check(const struct session_work *w, const struct json *body, struct err *e)
{
	const unsigned long cpus = box_cpus(w->server);
	const unsigned long memory = box_memory_mib(w->server);

	if (json_is_true(json_get(body, "persistent")))
		return err_input(e, PANDA_NO_PERSISTENT);
	if (json_string_at(body, "from_snapshot"))
		return err_input(e, "from_snapshot: there are no snapshots here");
	if (json_count(json_get(body, "volumes")))
		return err_input(e, "volumes: a sandbox has none here: upload its files");
	if (json_uint_at(body, "cpu", 0) > cpus)
		return err_set(e, ERR_LIMIT, "cpu: a sandbox has %lu here", cpus);
	if (memory && json_uint_at(body, "memory_mb", 0) > memory)
		return err_set(e, ERR_LIMIT, "memory_mb: a sandbox has %lu here", memory);
	return box_check_metadata(json_get(body, "metadata"), e);
}

static int sandboxes_plan(struct session_work *w, struct err *e)
{
	static const char *const names[] = {"base", "code-interpreter", NULL};
	const struct json *body = w->body.document;
	const char *template = json_string_at(body, "template");

	if (!json_is_object(body))
		return err_input(e, "the body must be a JSON object");
	if (template && !box_is_template(w->server, template, names))
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
	const struct session_entry *session = box_session(w, w->name);
	auto_buf struct buf reply = {0};
	struct box *b;

	if (!session) {
		panda_refuse(w, &(struct err){.kind = ERR_NOT_FOUND});
		return true;
	}
	b = panda_meet(w);
	box_ages(b, session->age_ms, session->ttl_ms);
	sandboxes_put(w->server, b, session, &reply);
	request_reply(w->request, 200, PANDA_JSON, &reply);
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
	struct box *b;

	box_forget_ended(w, &panda_face);
	json_put_begin(&reply, NULL, '[');
	LIST_FOREACH (b, &w->server->boxes, link) {
		const struct session_entry *session = box_session(w, b->name);

		if (b->face == &panda_face && session && !strcmp(b->owner, w->key->id))
			sandboxes_put(w->server, b, session, &reply);
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
	box_forget_named(w->server, &panda_face, w->name);
	request_reply(w->request, 204, NULL, NULL);
	return true;
}

void sandboxes_run_delete(struct request *r)
{
	struct session_work *w = panda_work(r, NOTEBOOK_DROP, sandboxes_answer_deleted);

	if (w)
		session_work_start(w);
}
