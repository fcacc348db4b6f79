/*
 * executions - list the running and the recent executions of a key: /v1/executions.
 */
#include "serve/routes.h"

#include <string.h>

#include "base/json_put.h"
#include "loop/clock.h"
#include "request/server.h"

/* Put the members that both kinds share; the object is left open. */
static void executions_put(const char *request_id, const char *operation, const char *session,
			   struct buf *out)
{
	json_put_begin(out, NULL, '{');
	json_put_text(out, "request_id", request_id);
	json_put_text(out, "operation", operation);
	json_put_text(out, "session_id", *session ? session : NULL);
}

static void executions_put_running(const struct account *a, uint64_t now_us, struct buf *out)
{
	executions_put(a->record.request_id, a->record.operation, a->record.session, out);
	json_put_bool(out, "waiting", !a->metrics.admitted_us);
	json_put_uint(out, "age_ms", (now_us - a->metrics.asked_us) / 1000);
	json_put_end(out, '}');
}

static void executions_put_recent(const struct recent_entry *entry, struct buf *out)
{
	executions_put(entry->request_id, entry->operation, entry->session, out);
	json_put_text(out, "time", entry->time);
	if (entry->has_verdict) {
		json_put_text(out, "verdict", verdict_name(entry->verdict));
		json_put_int(out, "exit_code", entry->exit_code);
		json_put_uint(out, "duration_ms", entry->duration_us / 1000);
	} else {
		json_put_null(out, "verdict");
		json_put_null(out, "exit_code");
		json_put_null(out, "duration_ms");
	}
	if (*entry->error)
		json_put_bytes(out, "error", entry->error, strlen(entry->error));
	else
		json_put_null(out, "error");
	json_put_end(out, '}');
}

/* List both kinds, newest first. */
void executions_run_list(struct request *r)
{
	const struct recent_entry *entry;
	const struct account *a;
	const uint64_t now_us = monotonic_us();
	auto_buf struct buf body = {0};

	json_put_begin(&body, NULL, '{');
	json_put_begin(&body, "running", '[');
	LIST_FOREACH (a, &r->server->accounts, link) {
		if (a->key == r->key)
			executions_put_running(a, now_us, &body);
	}
	json_put_end(&body, ']');
	json_put_begin(&body, "recent", '[');
	for (unsigned i = 0; (entry = recent_at(r->key->recent, i)); i++)
		executions_put_recent(entry, &body);
	json_put_end(&body, ']');
	json_put_end(&body, '}');
	request_reply(r, 200, "application/json", &body);
}
