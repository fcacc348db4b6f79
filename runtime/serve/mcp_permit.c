/*
 * mcp_permit - the policy for clients over HTTP.
 */
#include "serve/mcp_permit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "mcp/mcp_call.h"
#include "request/capacity.h"
#include "request/permit.h"
#include "request/server.h"
#include "request/session_account.h"
#include "serve/mcp_exchange.h"

#define READ_MOST (16u << 20) /* bytes of a file that is read into memory */

#define INSTRUCTIONS                                                                               \
	"The first call of execute_python begins a session, and its result names it: give that "   \
	"name as `session` in each call that follows, and variables and files in /workspace are "  \
	"still there, until reset_session, or until it was not used for half an hour."

#define INSTRUCTIONS_LASTING "half an hour went by without a call."

/* The permit of one call. */
struct mcp_permit {
	struct mcp_call *call;
	struct permit permit;
	bool is_run;          /* it counts as a run */
	bool is_admitted;     /* it has a place, and a run is in the audit */
	struct mcp_wait wait; /* for a session to end */
};

static struct mcp_exchange *mcp_permit_exchange(const struct mcp_call *c)
{
	return c->request->rpc->transport_data;
}

/* -- the owner of a session ------------------------------------------------------------------ */

static struct mcp_permit *mcp_permit_new(struct mcp_call *c)
{
	const struct mcp_exchange *x = mcp_permit_exchange(c);
	struct mcp_permit *k = own_zeroed(1, sizeof(*k));

	k->call = c;
	permit_open(&k->permit, x->server, x->key);
	k->is_run = c->work.action == NOTEBOOK_RUN;
	if (k->is_run)
		account_open(&k->permit.account, x->request, METRICS_MCP);
	return k;
}

static struct mcp_session *mcp_permit_new_session(struct mcp_call *c)
{
	const struct server *server = mcp_permit_exchange(c)->server;
	char handle[HANDLE_BYTES];

	handle_make(&server->sessions.secret, mcp_permit_exchange(c)->key->id, server->options.node,
		    handle);
	return mcp_session_add(c->connection, handle, false);
}

static bool mcp_permit_begins_one(const struct mcp_call *c)
{
	return !c->tool->is_ending && !c->tool->needs_session;
}

/* Find a session by a handle of this key, or begin one. */
static int mcp_permit_enter_by_handle(struct mcp_call *c, const char *handle, struct err *e)
{
	const struct mcp_exchange *x = mcp_permit_exchange(c);

	if (!handle && !c->tool->scans)
		return err_input(e,
				 "session is missing: give the one that an earlier result has "
				 "named; execute_python begins one");
	if (handle && !handle_check(&x->server->sessions.secret, x->key->id, handle)) {
		mcp_session_absent(handle, e);
		return -1;
	}
	c->session = handle ? mcp_session_known(c->connection, handle) : mcp_permit_new_session(c);
	if (!c->session)
		c->session = mcp_session_add(c->connection, handle, true);
	return 0;
}

/* Find or begin a session by the client's name for it. */
static int mcp_permit_enter_by_name(struct mcp_call *c, const char *name, struct err *e)
{
	struct mcp_client *client = mcp_permit_exchange(c)->client;

	c->session = mcp_session_find(c->connection, name, e);
	if (!c->session)
		return -1;
	if (client->lost && !c->session->is_begun && mcp_permit_begins_one(c)) {
		mcp_session_forget(c->session, client->lost);
		client->lost = NULL;
	}
	return 0;
}

static int mcp_permit_enter(struct mcp_call *c, const char *handle, struct err *e)
{
	struct mcp_exchange *x = mcp_permit_exchange(c);

	if (c->connection->is_lasting && handle &&
	    handle_check(&x->server->sessions.secret, x->key->id, handle))
		c->connection = &x->connection;
	if (c->connection->is_lasting ? mcp_permit_enter_by_name(c, handle, e)
				      : mcp_permit_enter_by_handle(c, handle, e))
		return -1;
	if (c->work.action == NOTEBOOK_FILES && !c->work.files.max_bytes)
		c->work.files.max_bytes = READ_MOST;
	c->permit = mcp_permit_new(c);
	return 0;
}

static void mcp_permit_leave(struct mcp_call *c)
{
	struct mcp_permit *k = own_take(&c->permit);

	mcp_client_forget(&k->wait);
	mcp_listing_fini(&k->call->session->listing); /* each call scans anew */
	permit_leave(&k->permit);
	free(k);
}

/* -- admission ------------------------------------------------------------------------------- */

static void mcp_permit_refuse(struct mcp_permit *k, uint64_t seconds, const char *why)
{
	struct err e;

	account_reject(&k->permit.account, METRICS_QUOTA);
	err_set(&e, ERR_BUSY, "%s: try again in %" PRIu64 " s", why, seconds);
	mcp_call_fail(k->call, &e);
}

static void mcp_permit_go(struct mcp_permit *k)
{
	struct mcp_call *c = k->call;
	struct sandbox_spec *terms = &c->connection->backend->terms;
	const bool is_known = k->is_admitted || !k->is_run;
	struct err e;

	k->is_admitted = true;
	if (k->is_run)
		account_name_session(&k->permit.account, c->session->name, c->session->is_begun);
	if (is_known) {
		mcp_call_go(c);
		return;
	}
	terms->limits.wall_time_ms = c->work.call.timeout_ms;
	if (account_admit(&k->permit.account, c->work.call.source, c->work.call.length, terms, &e))
		mcp_call_fail(c, &e);
	else
		mcp_call_go(c);
}

static void mcp_permit_count(void *context);

/* The key has no session left: evict an idle client of the same key for this call. */
static void mcp_permit_find_room(struct mcp_permit *k, uint64_t seconds, const struct err *e)
{
	if (!k->call->connection->is_lasting ||
	    !mcp_client_yield(k->permit.server, k->permit.key)) {
		mcp_permit_refuse(k, seconds, e->text);
		return;
	}
	k->wait.done = mcp_permit_count;
	k->wait.context = k;
	mcp_client_await(k->permit.server, &k->wait);
}

static void mcp_permit_counted(void *context, const struct err *refusal, uint64_t seconds)
{
	struct mcp_permit *k = context;

	if (!refusal) {
		mcp_permit_go(k);
	} else if (seconds) {
		mcp_permit_find_room(k, seconds, refusal);
	} else {
		struct err e = *refusal;

		mcp_permit_policy.explain(k->call, &e);
		mcp_call_fail(k->call, &e);
	}
}

static void mcp_permit_count(void *context)
{
	struct mcp_permit *k = context;

	permit_count(&k->permit, k->call->session->name, mcp_permit_counted, k);
}

/* Make the supervisor's name for a session that is about to begin. */
static void mcp_permit_name_session(const struct mcp_permit *k)
{
	struct mcp_session *s = k->call->session;
	char handle[HANDLE_BYTES];

	handle_make(&k->permit.server->sessions.secret, k->permit.key->id,
		    k->permit.server->options.node, handle);
	snprintf(s->name, sizeof(s->name), "%s", handle);
}

static void mcp_permit_decided(void *context, const struct err *refusal, uint64_t seconds)
{
	struct mcp_permit *k = context;
	const bool is_new = !k->call->session->is_begun && mcp_permit_begins_one(k->call);

	if (refusal) {
		mcp_permit_refuse(k, seconds, refusal->text);
		return;
	}
	if (is_new && k->call->connection->is_lasting)
		mcp_permit_name_session(k);
	if (is_new)
		mcp_permit_count(k);
	else
		mcp_permit_go(k);
}

static void mcp_permit_admit(struct mcp_call *c)
{
	struct mcp_permit *k = c->permit;

	if (k->is_admitted) /* its session had gone: the retry begins another */
		mcp_permit_decided(k, NULL, 0);
	else
		permit_ask(&k->permit, mcp_permit_decided, k);
}

/* -- accounting ------------------------------------------------------------------------------ */

static void mcp_permit_begin(struct mcp_call *c)
{
	struct mcp_permit *k = c->permit;

	permit_begun(&k->permit);
	if (k->is_run && c->is_new)
		account_begin(&k->permit.account);
	else if (k->is_run)
		account_go_on(&k->permit.account);
}

static int mcp_permit_judge(struct mcp_call *c, struct err *e)
{
	struct mcp_permit *k = c->permit;
	const struct notebook_result *r = &c->result;
	const bool is_heard = !c->request->is_cancelled && mcp_permit_exchange(c)->request;
	const struct verdict verdict = {
		.kind = session_account_verdict(&r->outcome),
		.exit_code = r->outcome.exit_code,
		.in_sockets = r->outcome.in_sockets,
		.duration_us = r->call.duration_us,
		.truncated = {r->call.truncated[0], r->call.truncated[1]}
        };

	if (!k->is_run)
		return 0;
	if (r->failed && !r->call.lost)
		return account_end(&k->permit.account, NULL, &r->error, is_heard, e);
	return account_end(&k->permit.account, &verdict, NULL, is_heard, e);
}

static void mcp_permit_explain(struct mcp_call *c, struct err *e)
{
	struct mcp_permit *k = c->permit;

	log_error(&k->permit.server->log, e);
	if (k->is_run)
		account_reject(&k->permit.account, METRICS_CAPACITY);
	capacity_explain(e);
}

const struct mcp_policy mcp_permit_policy = {
	.instructions = INSTRUCTIONS,
	.instructions_lasting = INSTRUCTIONS_LASTING,
	.enter = mcp_permit_enter,
	.admit = mcp_permit_admit,
	.begin = mcp_permit_begin,
	.judge = mcp_permit_judge,
	.explain = mcp_permit_explain,
	.leave = mcp_permit_leave,
};
