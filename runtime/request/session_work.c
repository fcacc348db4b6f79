/*
 * session_work - one request that works on a session.
 */
#include "request/session_work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "request/capacity.h"
#include "request/server.h"
#include "request/session_account.h"

/* The client disconnected. */
static void session_work_abandon(struct request *r)
{
	struct session_work *w = r->work;

	w->request = w->stream.request = NULL;
	if (w->notebook)
		notebook_cancel(w->notebook);
	else
		session_work_free(w);
}

/* List the work, so that shutdown waits for it. Safe if it is listed. */
static void session_work_list(struct session_work *w)
{
	if (!w->is_listed)
		LIST_INSERT_HEAD(&w->server->sessions.works, w, link);
	w->is_listed = true;
}

struct session_work *session_work_named(struct request *r, const char *name,
					enum notebook_action action,
					bool (*answer)(struct session_work *w))
{
	struct session_work *w = own_zeroed(1, sizeof(*w));

	w->request = r;
	w->server = r->server;
	w->key = r->key;
	permit_open(&w->permit, r->server, r->key);
	snprintf(w->name, sizeof(w->name), "%s", name);
	w->ask.action = action;
	w->ask.where = supplier_where(&r->server->supplier);
	w->ask.name = w->name;
	w->answer = answer;
	w->content = -1;
	r->work = w;
	r->abandon = session_work_abandon;
	return w;
}

struct session_work *session_work_new(struct request *r, enum notebook_action action,
				      bool (*answer)(struct session_work *w))
{
	return session_work_named(r, r->segments[0] ? r->segments[0] : "", action, answer);
}

void session_work_defer(struct session_work *w)
{
	w->source = w->request->body;
	w->request->body = (struct buf){0};
}

void session_work_resume(struct session_work *w, struct session_work *before)
{
	struct request *r = w->request;

	r->work = before;
	r->abandon = before ? session_work_abandon : NULL;
	r->body = w->source;
	w->source = (struct buf){0};
}

void session_work_free(struct session_work *w)
{
	notebook_free(w->notebook);
	if (w->more)
		w->free_more(w->more);
	notebook_result_fini(&w->result);
	if (w->is_listed)
		LIST_REMOVE(w, link);
	permit_leave(&w->permit);
	staging_fini(&w->staging);
	schema_fini(&w->body);
	spec_fini(&w->terms);
	for (int i = 0; i < 2; i++)
		buf_fini(&w->out[i]);
	execute_stream_fini(&w->stream);
	own_close(&w->content);
	file_store_hold_end(&w->held);
	buf_fini(&w->env);
	buf_fini(&w->source);
	free(w->path);
	free(w->to);
	free(w);
}

/* -- refusals -------------------------------------------------------------------------------- */

static void session_work_refuse_name(struct session_work *w)
{
	request_refuse(w->request, 404, "Session '%s' not found", w->request->segments[0]);
}

bool session_work_is_theirs(struct session_work *w)
{
	if (handle_check(&w->server->sessions.secret, w->key->id, w->request->segments[0]))
		return true;
	session_work_refuse_name(w);
	return false;
}

void session_work_read(struct session_work *w)
{
	const struct request *r = w->request;

	schema_begin(&w->body, request_header(r, "Content-Type"), r->body.data, r->body.length);
}

bool session_work_is_right(struct session_work *w)
{
	auto_buf struct buf detail = {0};

	if (!schema_is_wrong(&w->body, &detail))
		return true;
	request_reply(w->request, 422, "application/json", &detail);
	return false;
}

static unsigned session_work_status(const struct err *e)
{
	switch (e->kind) {
	case ERR_INPUT:
	case ERR_LIMIT:
		return 422;
	case ERR_NOT_FOUND:
		return 404;
	case ERR_EXISTS:
	case ERR_BUSY:
		return 409;
	case ERR_DENIED:
		return 403;
	case ERR_GONE:
		return 410;
	case ERR_UNSUPPORTED:
		return 501;
	default:
		return file_store_is_full(e) ? 507 : 500;
	}
}

void session_work_refuse(struct session_work *w, const struct err *e)
{
	const enum notebook_action action = w->ask.action;
	const bool is_new = action == NOTEBOOK_BEGIN || action == NOTEBOOK_SESSIONS;
	const bool is_absent = e->kind == ERR_NOT_FOUND || e->kind == ERR_GONE;
	char line[600];

	err_string(e, line, sizeof(line));
	if (w->refuse)
		w->refuse(w, e);
	else if (is_new && e->kind != ERR_INPUT && !file_store_is_full(e))
		capacity_refuse(w->request, e);
	else if (is_absent && !w->result.was_there)
		session_work_refuse_name(w);
	else if (e->kind == ERR_BUSY && !w->result.was_there)
		request_refuse(w->request, 409, "Session '%s' is busy with another call", w->name);
	else
		request_refuse(w->request, session_work_status(e), "%s", line);
}

/* -- output of a call ------------------------------------------------------------------------ */

static void session_work_take_out(void *context, const char *bytes, size_t length)
{
	execute_stream_take(&((struct session_work *)context)->stream, 0, bytes, length);
}

static void session_work_take_err(void *context, const char *bytes, size_t length)
{
	execute_stream_take(&((struct session_work *)context)->stream, 1, bytes, length);
}

static void session_work_take_display(void *context)
{
	execute_stream_display(&((struct session_work *)context)->stream);
}

void session_work_plan_output(struct session_work *w)
{
	struct sink *out = w->ask.call.out;

	w->places.text = &w->out[0];
	out[0] = (struct sink){.fd = -1,
			       .buffer = &w->out[0],
			       .display = display_places_add,
			       .context = &w->places};
	out[1] = (struct sink){.fd = -1, .buffer = &w->out[1]};
	if (!w->streams)
		return;
	out[0] = (struct sink){.fd = -1,
			       .take = session_work_take_out,
			       .display = session_work_take_display,
			       .context = w};
	out[1] = (struct sink){.fd = -1, .take = session_work_take_err, .context = w};
}

/* -- course of the work ---------------------------------------------------------------------- */

static void session_work_begun(void *context)
{
	struct session_work *w = context;

	account_begin(&w->permit.account);
	if (w->streams && w->request)
		execute_stream_begin(&w->stream, w->request);
}

static void session_work_fail(struct session_work *w, const struct err *e)
{
	char line[600];

	if (w->stream.has_begun)
		execute_stream_fail(&w->stream, err_string(e, line, sizeof(line)));
	else
		session_work_refuse(w, e);
}

static bool session_work_answer_withheld(struct session_work *w)
{
	if (w->request)
		capacity_refuse(w->request, &w->e);
	return true;
}

/* The audit could not record the run: refuse its result. Returns true if the work is over. */
static bool session_work_withhold(struct session_work *w, const struct err *e)
{
	w->e = *e;
	if (w->ask.action == NOTEBOOK_BEGIN) {
		w->ask.action = NOTEBOOK_DROP;
		w->answer = session_work_answer_withheld;
		session_work_start(w);
		return false;
	}
	if (w->stream.has_begun && w->request)
		execute_stream_fail(&w->stream, e->text);
	else
		(void)session_work_answer_withheld(w);
	return true;
}

static bool session_work_goes_on(struct session_work *w)
{
	if (w->again && w->again(w))
		return true;
	session_work_fail(w, &w->result.error);
	return false;
}

static void session_work_done(void *context)
{
	struct session_work *w = context;
	bool is_all = true;
	struct err e;

	notebook_free(take_ptr(&w->notebook));
	if (!w->result.failed)
		supplier_tell(&w->server->supplier);
	if (session_account_settle(w, &e))
		is_all = session_work_withhold(w, &e);
	else if (w->request && w->result.failed &&
		 (!w->result.call.lost || (w->streams && !w->stream.has_begun)))
		is_all = !session_work_goes_on(w);
	else if (w->request)
		is_all = w->answer(w);
	if (is_all)
		session_work_free(w);
}

bool session_work_interrupt(const struct server *server, const char *name)
{
	const struct session_work *w;

	LIST_FOREACH (w, &server->sessions.works, link) {
		if (w->notebook && !strcmp(w->name, name) && notebook_interrupt(w->notebook))
			return true;
	}
	return false;
}

void session_work_start(struct session_work *w)
{
	struct err e;

	session_work_list(w);
	notebook_result_fini(&w->result);
	w->ask.call.begun = notebook_is_call(w->ask.action) ? session_work_begun : NULL;
	if (!notebook_start(w->server->hub, &w->ask, &w->result, session_work_done, w, &w->notebook,
			    &e))
		return;
	w->result.failed = true;
	(void)session_account_settle(w, &(struct err){0});
	if (w->request)
		session_work_refuse(w, &e);
	session_work_free(w);
}

static void session_work_decided(void *context, const struct err *refusal, uint64_t seconds)
{
	struct session_work *w = context;

	if (!refusal) {
		w->go(w);
		return;
	}
	capacity_refuse_place(w->request, seconds);
	session_work_free(w);
}

void session_work_queue(struct session_work *w, void (*go)(struct session_work *w))
{
	session_work_list(w);
	w->go = go;
	permit_ask(&w->permit, session_work_decided, w);
}
