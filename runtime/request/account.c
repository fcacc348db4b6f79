/*
 * account - count one execution and write it to the audit.
 */
#include "request/account.h"

#include <stdio.h>
#include <string.h>

#include "loop/clock.h"
#include "request/capacity.h"
#include "request/server.h"

/* Log the cause: the audit's path and fault are for the operator, not for the client. */
static int account_refuse(struct account *a, struct err *e)
{
	log_error(&a->server->log, e);
	return err_set(e, ERR_SYSTEM, "what runs must be written down, and cannot be");
}

void account_open(struct account *a, const struct request *r, enum metrics_operation operation)
{
	struct audit_record *record = &a->record;

	a->server = r->server;
	a->key = r->key;
	LIST_INSERT_HEAD(&a->server->accounts, a, link);
	metrics_ask(&a->metrics, operation, monotonic_us());
	memcpy(record->request_id, r->id, sizeof(record->request_id));
	memcpy(record->key, r->key->name, sizeof(record->key));
	memcpy(record->key_id, r->key->id, sizeof(record->key_id));
	record->operation = metrics_operation_name(operation);
}

void account_name_session(struct account *a, const char *session, bool is_call)
{
	snprintf(a->record.session, sizeof(a->record.session), "%s", session);
	a->record.is_call = is_call;
}

int account_admit(struct account *a, const char *code, size_t length,
		  const struct sandbox_spec *terms, struct err *e)
{
	metrics_admit(&a->server->metrics, &a->metrics, monotonic_us());
	if (!a->server->audit)
		return 0;
	if (audit_admit(a->server->audit, e)) {
		(void)account_refuse(a, e);
		account_reject(a, METRICS_AUDIT);
		return -1;
	}
	a->is_due = true;
	if (code)
		digest_hex(code, length, a->record.code_sha256);
	a->record.limits = terms->limits;
	a->record.limits.cpuset = NULL;
	a->record.asked = terms->asked;
	return 0;
}

void account_begin(struct account *a)
{
	a->has_begun = true;
	metrics_begin(&a->server->metrics, &a->metrics, monotonic_us());
}

void account_go_on(struct account *a)
{
	a->has_begun = true;
}

void account_reject(struct account *a, enum metrics_reason reason)
{
	if (!a->server)
		return;
	metrics_reject(&a->server->metrics, &a->metrics, reason);
	account_close(a);
}

static void account_count(struct account *a, const struct verdict *verdict, bool has_failed,
			  bool is_heard)
{
	struct metrics *m = &a->server->metrics;
	enum metrics_outcome outcome = !has_failed && is_heard ? METRICS_OK : METRICS_ERROR;

	if (verdict)
		metrics_judge(m, verdict->kind);
	if (verdict && verdict->kind == VERDICT_WALL_TIME)
		outcome = METRICS_TIMED_OUT;
	if (a->has_begun)
		metrics_complete(m, &a->metrics, outcome, monotonic_us());
	else if (is_heard)
		metrics_reject(m, &a->metrics, METRICS_CAPACITY);
}

int account_end(struct account *a, const struct verdict *verdict, const struct err *failure,
		bool is_heard, struct err *e)
{
	struct err said = failure ? *failure : (struct err){0};
	int status = 0;

	capacity_explain(&said);
	account_count(a, verdict, !verdict && failure, is_heard);
	if (a->has_begun)
		recent_add(&a->key->recent, &a->record, verdict, failure ? &said : NULL);
	if (a->is_due && audit_write(a->server->audit, &a->record, verdict, failure, e))
		status = account_refuse(a, e);
	a->is_due = false;
	account_close(a);
	return status;
}

void account_close(struct account *a)
{
	if (!a->server)
		return;
	LIST_REMOVE(a, link);
	metrics_leave(&a->server->metrics, &a->metrics);
	if (a->is_due)
		audit_forget(a->server->audit);
	a->is_due = false;
	a->server = NULL;
}
