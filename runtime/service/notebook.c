/*
 * notebook - what can be done with sessions, as operations on a hub: the one driver of them.
 */
#include "service/notebook.h"

#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "service/notebook_parts.h"

/* -- what the parts share -------------------------------------------------------------------- */

void notebook_finish(struct notebook *n)
{
	n->done(n->context);
}

void notebook_fail(struct notebook *n, const struct err *e)
{
	n->result->failed = true;
	n->result->error = *e;
	notebook_finish(n);
}

int notebook_is_cancelled(struct notebook *n, struct err *e)
{
	n->result->cancelled = true;
	return err_set(e, ERR_GONE, "nobody waits for it any more");
}

int notebook_drive(struct notebook *n, bool (*step)(void *operation), void *operation,
		   struct loop *loop, void (*over)(void *context), struct err *e)
{
	n->operation = (struct hub_operation){
		.step = step, .operation = operation, .done = over, .context = n};
	return hub_drive(n->hub, &n->operation, loop, e);
}

static bool notebook_step_ask(void *operation)
{
	return ask_step(operation);
}

int notebook_ask(struct notebook *n, struct ask *ask, void (*over)(void *context), struct err *e)
{
	n->ask = ask;
	if (!notebook_drive(n, notebook_step_ask, ask, ask_loop(ask), over, e))
		return 0;
	ask_abandon(take_ptr(&n->ask));
	return -1;
}

int notebook_end_ask(struct notebook *n, struct err *e)
{
	struct op_answer answer;

	if (ask_end(take_ptr(&n->ask), NULL, &answer, e))
		return -1;
	op_answer_fini(&answer);
	return 0;
}

static bool notebook_step_files(void *operation)
{
	return files_step(operation);
}

int notebook_reach(struct notebook *n, const struct files_request *request,
		   void (*over)(void *context), struct err *e)
{
	if (files_start(request, &n->files, e))
		return -1;
	if (!notebook_drive(n, notebook_step_files, n->files, files_loop(n->files), over, e))
		return 0;
	(void)files_end(take_ptr(&n->files), &n->result->files, &(struct err){0});
	return -1;
}

/* -- those without a session ----------------------------------------------------------------- */

static void notebook_dropped(void *context)
{
	struct notebook *n = context;
	struct err e;

	if (notebook_end_ask(n, &e))
		notebook_fail(n, &e);
	else
		notebook_finish(n);
}

static int notebook_drop(struct notebook *n, struct err *e)
{
	const struct drop_request request = {n->request.name};

	if (client_check_name(n->request.name, e))
		return -1;
	return notebook_ask(n, ask_start(n->request.where, -1, OP_DROP, &request, NULL, 0),
			    notebook_dropped, e);
}

static void notebook_lives(void *context)
{
	struct notebook *n = context;
	struct op_answer answer;
	struct err e;

	if (ask_end(take_ptr(&n->ask), NULL, &answer, &e)) {
		notebook_fail(n, &e);
		return;
	}
	n->result->life.age_ms = answer.life.age_ms;
	n->result->life.ttl_ms = answer.life.ttl_ms;
	op_answer_fini(&answer);
	notebook_finish(n);
}

static int notebook_live(struct notebook *n, struct err *e)
{
	const struct life_request request = {n->request.name, n->request.life.ttl_ms,
					     n->request.life.most_ms};

	if (client_check_name(n->request.name, e))
		return -1;
	return notebook_ask(n, ask_start(n->request.where, -1, OP_LIFE, &request, NULL, 0),
			    notebook_lives, e);
}

static void notebook_take_page(struct notebook_result *r, const struct form_list *page)
{
	const struct session_entry *entries = page->items;

	for (unsigned i = 0; i < page->count; i++) {
		r->sessions = own_grow(r->sessions, r->session_count, sizeof(*entries));
		r->sessions[r->session_count] = entries[i];
		r->sessions[r->session_count++].name = own_strdup(entries[i].name);
	}
}

static int notebook_list_from(struct notebook *n, uint64_t after, struct err *e);

static void notebook_listed(void *context)
{
	struct notebook *n = context;
	struct op_answer answer;
	uint64_t after;
	struct err e;

	if (ask_end(take_ptr(&n->ask), NULL, &answer, &e)) {
		notebook_fail(n, &e);
		return;
	}
	notebook_take_page(n->result, &answer.sessions.sessions);
	after = answer.sessions.after;
	op_answer_fini(&answer);
	if (!after)
		notebook_finish(n);
	else if (notebook_list_from(n, after, &e))
		notebook_fail(n, &e);
}

static int notebook_list_from(struct notebook *n, uint64_t after, struct err *e)
{
	const struct sessions_request request = {after, n->request.name ? n->request.name : "",
						 n->request.usage};

	return notebook_ask(n, ask_start(n->request.where, -1, OP_SESSIONS, &request, NULL, 0),
			    notebook_listed, e);
}

static int notebook_list(struct notebook *n, struct err *e)
{
	return notebook_list_from(n, 0, e);
}

/* -- all of them ----------------------------------------------------------------------------- */

int notebook_start(struct hub *hub, const struct notebook_request *request,
		   struct notebook_result *result, void (*done)(void *context), void *context,
		   struct notebook **out, struct err *e)
{
	static int (*const starts[])(struct notebook *, struct err *) = {
		[NOTEBOOK_BEGIN] = notebook_begin,    [NOTEBOOK_ASK] = notebook_use,
		[NOTEBOOK_RUN] = notebook_use,        [NOTEBOOK_BASH] = notebook_use,
		[NOTEBOOK_CHECKPOINT] = notebook_use, [NOTEBOOK_ROLLBACK] = notebook_use,
		[NOTEBOOK_FILES] = notebook_use,      [NOTEBOOK_FREEZE] = notebook_use,
		[NOTEBOOK_THAW] = notebook_use,       [NOTEBOOK_DROP] = notebook_drop,
		[NOTEBOOK_LIFE] = notebook_live,      [NOTEBOOK_SESSIONS] = notebook_list,
	};
	struct notebook *n = own_zeroed(1, sizeof(*n));

	*result = (struct notebook_result){0};
	n->hub = hub;
	n->request = *request;
	n->result = result;
	n->done = done;
	n->context = context;
	n->connection = -1;
	n->lent = session_none();
	n->session = request->own ? request->own : &n->lent;
	spec_init(&n->spec);
	*out = n; /* a session of ours may begin its use at once */
	if (!starts[request->action](n, e))
		return 0;
	*out = NULL;
	notebook_free(n);
	return -1;
}

bool notebook_is_waiting(const struct notebook *n)
{
	return n->ask && !n->has_session && !n->request.own && n->request.action != NOTEBOOK_BEGIN;
}

void notebook_cancel(struct notebook *n)
{
	struct err e;

	n->result->cancelled = true;
	if (n->call) {
		n->result->cancelled = false; /* notebook_result.interrupted reports it */
		if (!n->is_interrupted)
			call_interrupt(n->call);
		n->is_interrupted = false;
	} else if (n->checkpointing) {
		checkpointing_interrupt(n->checkpointing);
	} else if (n->files) {
		files_cancel(n->files);
	} else if (n->freezing) {
		freezing_cancel(n->freezing);
	} else if (n->opening || (n->ask && n->can_vanish)) {
		hub_drop(&n->operation);
		(void)notebook_is_cancelled(n, &e);
		notebook_fail(n, &e);
	}
}

bool notebook_interrupt(struct notebook *n)
{
	if (!n->call)
		return false;
	if (n->request.call.persists || (!n->is_interrupted && !n->result->call.interrupted))
		call_interrupt(n->call);
	n->is_interrupted = true;
	return true;
}

bool notebook_leave(struct notebook *n)
{
	n->result->call.spares = true;
	return notebook_interrupt(n);
}

void notebook_free(struct notebook *n)
{
	struct err ignored;

	if (!n)
		return;
	hub_drop(&n->operation);
	ask_abandon(n->ask);
	if (n->opening)
		(void)opening_end(n->opening, &ignored); /* this ends the session, too */
	if (n->call)
		(void)call_end(n->call);
	if (n->checkpointing)
		(void)checkpointing_end(n->checkpointing, &ignored);
	if (n->freezing)
		(void)freezing_end(n->freezing, hub_endings(n->hub), NULL, &ignored);
	if (n->files)
		(void)files_end(n->files, &n->result->files, &ignored);
	own_close(&n->connection);
	if (n->has_session && !n->is_kept)
		session_end_later(&n->lent, hub_endings(n->hub));
	session_close(&n->lent);
	buf_fini(&n->members);
	spec_fini(&n->spec);
	free(n);
}

void notebook_result_fini(struct notebook_result *r)
{
	for (size_t i = 0; i < r->session_count; i++)
		free((char *)r->sessions[i].name);
	free(r->sessions);
	buf_fini(&r->call.answer);
	buf_fini(&r->files.json);
	call_result_fini(&r->outcome);
	*r = (struct notebook_result){0};
}
