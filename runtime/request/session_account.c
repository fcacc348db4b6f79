/*
 * session_account - count and record the executions of sessions.
 */
#include "request/session_account.h"

#include "request/capacity.h"
#include "request/server.h"

enum verdict_kind session_account_verdict(const struct call_result *outcome)
{
	switch (outcome->verdict) {
	case CODE_TIMEOUT:
		return VERDICT_WALL_TIME;
	case CODE_MEMORY:
		return VERDICT_MEMORY;
	case CODE_CRASHED:
		return VERDICT_SIGNALLED;
	case CODE_CANCELLED:
		return VERDICT_CANCELLED;
	case CODE_OK:
	case CODE_ERROR:
	case CODE_EXIT:
		break;
	}
	return VERDICT_EXITED;
}

bool session_account_admit(struct session_work *w)
{
	const bool is_call = w->ask.action != NOTEBOOK_BEGIN;
	struct err e;

	account_name_session(&w->permit.account, w->name, is_call);
	if (!account_admit(&w->permit.account, w->ask.call.source, w->ask.call.length, &w->terms,
			   &e))
		return true;
	capacity_refuse(w->request, &e);
	return false;
}

static void session_account_end_early(struct session_work *w)
{
	if (w->ask.action == NOTEBOOK_BEGIN && w->request)
		account_reject(&w->permit.account, METRICS_CAPACITY);
	else
		account_close(&w->permit.account);
}

static int session_account_end_call(struct session_work *w, struct err *e)
{
	const struct notebook_result *r = &w->result;
	const struct verdict verdict = {.kind = session_account_verdict(&r->outcome),
					.exit_code = r->outcome.exit_code,
					.duration_us = r->call.duration_us};
	const bool has_verdict = !r->failed || r->call.lost;

	return account_end(&w->permit.account, has_verdict ? &verdict : NULL, &r->error,
			   w->request != NULL, e);
}

int session_account_settle(struct session_work *w, struct err *e)
{
	const bool begins = w->ask.action == NOTEBOOK_BEGIN;

	if (!w->permit.account.server)
		return 0;
	if (w->permit.account.has_begun)
		return session_account_end_call(w, e);
	if (w->result.failed) {
		session_account_end_early(w);
		return 0;
	}
	if (!begins) /* the session existed before: its call begins */
		return 0;
	account_begin(&w->permit.account);
	return account_end(&w->permit.account, NULL, NULL, w->request != NULL, e);
}
