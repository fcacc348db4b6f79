/*
 * mcp_call - one call of a tool: from its arguments, through its turn in its session, to its
 * result.
 */
#include "mcp/mcp_call.h"

#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "loop/clock.h"
#include "mcp/mcp_arguments.h"
#include "mcp/mcp_scan.h"
#include "mcp/mcp_text.h"

#define TICK_US       1000000
#define MESSAGE_BYTES 200

static void mcp_call_turn(struct mcp_call *c);

/* -- end of a call --------------------------------------------------------------------------- */

static void mcp_call_end_notebook(struct mcp_call *c)
{
	notebook_free(c->notebook);
	c->notebook = NULL;
}

/* Take the call out of its session's queue and free it; the caller starts the next one. */
static void mcp_call_free(struct mcp_call *c)
{
	if (c->permit)
		c->connection->policy->leave(c);
	mcp_backend_forget(c->connection->backend, &c->recovery);
	mcp_call_end_notebook(c);
	if (c->session)
		TAILQ_REMOVE(&c->session->calls, c, link);
	hub_silence(c->connection->backend->hub, &c->tick);
	notebook_result_fini(&c->begun);
	notebook_result_fini(&c->result);
	for (int i = 0; i < 2; i++) {
		terminal_text_fini(&c->shown[i]);
		buf_fini(&c->out[i]);
	}
	own_close(&c->content);
	free(c->was_lost);
	free(c->handle);
	free(c->path);
	free(c);
}

static void mcp_call_next(struct mcp_session *s)
{
	struct mcp_call *c = s ? TAILQ_FIRST(&s->calls) : NULL;

	if (c && c->step == MCP_WAITS)
		mcp_call_turn(c);
}

void mcp_call_finish(struct mcp_call *c, const struct buf *result)
{
	struct mcp_session *s = c->session;
	struct mcp_request *r = c->request;

	mcp_call_free(c);
	mcp_request_reply(r, result);
	mcp_call_next(s);
}

void mcp_call_fail(struct mcp_call *c, const struct err *e)
{
	struct mcp_session *s = c->session;
	struct mcp_request *r = c->request;
	const struct mcp_tool *tool = c->tool;
	auto_buf struct buf out = {0};
	char line[600];

	err_string(e, line, sizeof(line));
	if (!tool->refuse) {
		mcp_result_put_failure(r, line, &out);
		mcp_call_finish(c, &out);
		return;
	}
	mcp_call_free(c);
	tool->refuse(r, line);
	mcp_call_next(s);
}

/* The client cancelled: free the call without an answer, and start the next one of the session. */
static void mcp_call_drop(struct mcp_call *c)
{
	struct mcp_session *s = c->session;
	struct mcp_request *r = c->request;

	mcp_call_free(c);
	mcp_request_drop(r);
	mcp_call_next(s);
}

/* -- progress -------------------------------------------------------------------------------- */

static void mcp_call_tell(void *context)
{
	struct mcp_call *c = context;
	auto_free char *line = mcp_text_last_line(&c->shown[0], MESSAGE_BYTES);
	const uint64_t now_us = monotonic_us();
	double seconds = (double)(now_us - c->begun_us) / 1000000;
	double total = (double)c->work.call.timeout_ms / 1000;

	mcp_request_progress(c->request, seconds, total > seconds ? total : seconds, line);
	c->told_us = now_us;
	hub_ring(c->connection->backend->hub, &c->tick, now_us + TICK_US);
}

/* -- steps of a call ------------------------------------------------------------------------- */

static bool mcp_call_is_cancelled(const struct mcp_call *c)
{
	return c->request->is_cancelled;
}

/* Whether the session has ended; a lost connection means that its supervisor has ended, too. */
static bool mcp_call_has_no_session(const struct err *e)
{
	return e->kind == ERR_GONE || e->kind == ERR_NOT_FOUND ||
	       (e->kind == ERR_SYSTEM &&
		(!e->number || e->number == ECONNRESET || e->number == EPIPE));
}

static bool mcp_call_is_absent(const struct mcp_call *c)
{
	const struct notebook_result *r = &c->result;

	return r->failed && !r->was_there && mcp_call_has_no_session(&r->error);
}

/* The session is gone: begin another, once, if the client chose the name of this one. */
static bool mcp_call_retries(struct mcp_call *c)
{
	if (c->is_retried || !mcp_call_is_absent(c) || mcp_call_is_cancelled(c))
		return false;
	if (!c->connection->is_lasting) {
		mcp_session_absent(c->session->handle, &c->result.error);
		return false;
	}
	c->is_retried = true;
	mcp_session_forget(c->session, c->result.error.kind == ERR_GONE ? c->result.error.text
									: "it has ended");
	notebook_result_fini(&c->result);
	return true;
}

/* The policy judges the result; if it refuses, the client gets an error in its place. */
static bool mcp_call_is_judged(struct mcp_call *c, struct err *e)
{
	const struct mcp_policy *policy = c->connection->policy;

	return !policy || !policy->judge(c, e);
}

static void mcp_call_over(struct mcp_call *c)
{
	struct mcp_session *s = c->session;
	struct err e;

	if (c->result.call.lost)
		mcp_session_forget(s, c->result.call.why);
	else if (s->is_begun)
		s->used_us = monotonic_us();
	if (!mcp_call_is_judged(c, &e))
		mcp_call_fail(c, &e);
	else if (mcp_call_is_cancelled(c))
		mcp_call_drop(c);
	else
		c->tool->reply(c);
}

static void mcp_call_looked(void *context)
{
	struct mcp_call *c = context;

	mcp_scan_end(c);
	mcp_call_over(c);
}

static void mcp_call_look(struct mcp_call *c)
{
	c->step = MCP_SCANS;
	if (mcp_scan_start(c, mcp_call_looked))
		mcp_call_over(c);
}

static void mcp_call_worked(void *context)
{
	struct mcp_call *c = context;

	mcp_call_end_notebook(c);
	if (mcp_call_retries(c))
		mcp_call_turn(c);
	else if (mcp_scan_is_wanted(c) && !c->result.call.lost && c->result.was_there)
		mcp_call_look(c);
	else
		mcp_call_over(c);
}

static void mcp_call_work(struct mcp_call *c)
{
	struct err e;

	c->step = MCP_WORKS;
	if (c->connection->policy)
		c->connection->policy->begin(c);
	c->work.where = mcp_session_where(c->session);
	c->work.name = c->session->name;
	if (notebook_start(c->connection->backend->hub, &c->work, &c->result, mcp_call_worked, c,
			   &c->notebook, &e))
		mcp_call_fail(c, &e);
}

static void mcp_call_begin(struct mcp_call *c);

/* Retry once: if a second supervisor fails as well, a third would fail, too. */
static void mcp_call_recovered(void *context, bool is_another, const struct err *why)
{
	struct mcp_call *c = context;

	if (!is_another || c->is_recovered) {
		mcp_call_fail(c, why ? why : &c->begun.error);
		return;
	}
	c->is_recovered = true;
	mcp_call_begin(c);
}

static void mcp_call_begin_failed(struct mcp_call *c)
{
	if (mcp_call_is_cancelled(c)) {
		mcp_call_drop(c);
	} else if (c->connection->policy) {
		c->connection->policy->explain(c, &c->begun.error);
		mcp_call_fail(c, &c->begun.error);
	} else {
		c->step = MCP_RECOVERS;
		c->recovery.done = mcp_call_recovered;
		c->recovery.context = c;
		mcp_backend_recover(c->connection->backend, &c->recovery);
	}
}

static void mcp_call_begun(void *context)
{
	struct mcp_call *c = context;

	mcp_call_end_notebook(c);
	if (c->begun.failed) {
		mcp_call_begin_failed(c);
		return;
	}
	c->is_new = true;
	c->was_lost = own_take(&c->session->lost);
	mcp_session_touch(c->session);
	if (mcp_call_is_cancelled(c))
		mcp_call_drop(c);
	else
		mcp_call_work(c);
}

static void mcp_call_begin(struct mcp_call *c)
{
	struct mcp_backend *backend = c->connection->backend;
	struct notebook_request request = {
		.action = NOTEBOOK_BEGIN,
		.name = c->session->name,
		.begin = {.image = backend->image,
			  .terms = &backend->terms,
			  .places = backend->places,
			  .life = backend->life},
	};
	struct err e;

	c->step = MCP_BEGINS;
	c->recovery.seen = backend->changes;
	mcp_session_rename(c->session);
	request.where = mcp_session_where(c->session);
	notebook_result_fini(&c->begun);
	if (notebook_start(backend->hub, &request, &c->begun, mcp_call_begun, c, &c->notebook, &e))
		mcp_call_fail(c, &e);
}

static void mcp_call_counted(void *context)
{
	struct mcp_call *c = context;

	mcp_scan_end(c);
	if (mcp_call_is_cancelled(c))
		mcp_call_drop(c);
	else
		mcp_call_work(c);
}

static void mcp_call_count(struct mcp_call *c)
{
	c->step = MCP_COUNTS;
	if (mcp_scan_start(c, mcp_call_counted))
		mcp_call_work(c);
}

void mcp_call_go(struct mcp_call *c)
{
	if (c->session->is_begun && c->connection->policy && mcp_scan_is_wanted(c))
		mcp_call_count(c);
	else if (c->session->is_begun)
		mcp_call_work(c);
	else if (c->tool->is_ending || c->tool->needs_session)
		c->tool->reply(c);
	else
		mcp_call_begin(c);
}

static void mcp_call_turn(struct mcp_call *c)
{
	if (!c->connection->policy) {
		mcp_call_go(c);
		return;
	}
	c->step = MCP_ADMITS;
	c->connection->policy->admit(c);
}

/* -- start of a call ------------------------------------------------------------------------- */

/* Drop a queued call; cancel a running one, which is interrupted, and killed after a grace time. */
static void mcp_call_cancel(struct mcp_request *r)
{
	struct mcp_call *c = r->work;

	if (c->notebook)
		notebook_cancel(c->notebook);
	else
		mcp_call_drop(c);
}

void mcp_call_abandon(struct mcp_request *r)
{
	struct mcp_call *c = r->work;

	mcp_call_free(c);
	mcp_request_drop(r);
}

static void mcp_call_enter(struct mcp_call *c)
{
	TAILQ_INSERT_TAIL(&c->session->calls, c, link);
	if (TAILQ_FIRST(&c->session->calls) == c)
		mcp_call_turn(c);
}

static int mcp_call_read(struct mcp_call *c, struct err *e)
{
	const char *handle = NULL;

	if (mcp_arguments_check(c->arguments, c->tool->arguments, e) ||
	    mcp_argument_text(c->arguments, "session", false, &handle, e) || c->tool->read(c, e))
		return -1;
	if (c->connection->policy)
		return c->connection->policy->enter(c, c->handle ? c->handle : handle, e);
	c->session = mcp_session_find(c->connection, c->handle ? c->handle : handle, e);
	return c->session ? 0 : -1;
}

void mcp_call_start(struct mcp_request *r, const struct mcp_tool *tool,
		    struct mcp_connection *connection)
{
	struct mcp_call *c = own_zeroed(1, sizeof(*c));
	struct err e;

	c->request = r;
	c->tool = tool;
	c->connection = connection;
	c->arguments = r->params ? json_get(r->params, "arguments") : NULL;
	c->content = -1;
	c->begun_us = c->told_us = monotonic_us();
	c->tick = (struct hub_timer){.ring = mcp_call_tell, .context = c};
	r->work = c;
	r->cancel = mcp_call_cancel;
	if (mcp_call_read(c, &e)) {
		c->session = NULL;
		mcp_call_fail(c, &e);
		return;
	}
	if (mcp_request_wants_progress(r))
		hub_ring(connection->backend->hub, &c->tick, c->begun_us + TICK_US);
	mcp_call_enter(c);
}
