/*
 * execution - one program in a fresh cell for a request.
 *
 * A failing program is a result. Errors of the request are found before it waits for a place, and
 * everything that prevents the run before it begins.
 */
#include "request/execution.h"

#include <string.h>

#include "base/own.h"
#include "loop/clock.h"
#include "request/files.h"
#include "request/server.h"

#define LET_GO_US 2000

void execution_open(struct execution *x, const struct execution_face *face, struct request *r,
		    enum metrics_operation operation)
{
	x->face = face;
	x->request = r;
	x->server = r->server;
	x->server->executions++;
	x->key = r->key;
	x->scratch = -1;
	x->script_request.collect_fd = -1;
	permit_open(&x->permit, r->server, r->key);
	account_open(&x->permit.account, r, operation);
	schema_begin(&x->body, request_header(r, "Content-Type"), r->body.data, r->body.length);
}

void execution_close(struct execution *x)
{
	x->server->executions--;
	permit_leave(&x->permit);
	script_free(x->script);
	outputs_fini(&x->outputs);
	script_result_fini(&x->result);
	staging_fini(&x->staging);
	if (x->scratch >= 0)
		file_store_scratch_end(x->server->files, &x->scratch, x->scratch_name);
	schema_fini(&x->body);
	spec_fini(&x->terms);
	for (int i = 0; i < 2; i++)
		buf_fini(&x->out[i]);
	x->face->release(x);
}

/* -- end of a run ---------------------------------------------------------------------------- */

static void execution_let_go(void *context)
{
	execution_close(context);
}

/*
 * Releasing descriptors, mounts and groups takes time. The client must not wait for that, nor for
 * the CPU that does it: sending the reply wakes a local client on our CPU. So release later, but at
 * once if other requests wait for a place.
 */
static void execution_finish(struct execution *x)
{
	const bool others_wait = x->server->admission.waiting > 0;

	permit_leave(&x->permit);
	x->end = (struct hub_timer){.ring = execution_let_go, .context = x};
	if (x->request)
		hub_ring(x->server->hub, &x->end, others_wait ? 0 : monotonic_us() + LET_GO_US);
	else
		execution_close(x); /* the server may be shutting down: now is the last chance */
}

/* The outputs are in the store: reply. */
static void execution_reply(void *context)
{
	struct execution *x = context;

	x->has_outputs = false;
	x->face->reply(x);
	execution_finish(x);
}

static void execution_keep_outputs(struct execution *x)
{
	x->has_outputs = x->keeps_outputs && outputs_begin(&x->outputs);
	if (!x->has_outputs)
		execution_reply(x);
}

static void execution_done(void *context)
{
	struct execution *x = context;
	const struct verdict *verdict = &x->result.verdict;
	struct err failure = x->result.error;
	struct err e;

	if (!x->result.failed && verdict->abandoned)
		err_set(&failure, ERR_GONE, "the warm Python has ended, and its programs with it");
	if (x->result.failed || verdict->abandoned)
		verdict = NULL;
	if (account_end(&x->permit.account, verdict, &failure, x->request != NULL, &e)) {
		verdict = NULL;
		failure = e;
	}
	if (verdict)
		supplier_tell(&x->server->supplier);
	if (x->request && verdict) {
		if (x->face->ended)
			x->face->ended(x);
		execution_keep_outputs(x);
		return;
	}
	if (x->request)
		x->face->fail(x, &failure);
	execution_finish(x);
}

/* The client disconnected: cancel the run and discard its files. */
static void execution_abandon(struct request *r)
{
	struct execution *x = r->work;

	x->request = NULL;
	if (x->face->leave)
		x->face->leave(x);
	if (x->has_outputs) {
		outputs_drop(&x->outputs);
		execution_finish(x);
	} else if (x->script) {
		script_cancel(x->script);
	} else {
		execution_close(x);
	}
}

/* -- start of a run -------------------------------------------------------------------------- */

static void execution_begun(void *context)
{
	struct execution *x = context;

	account_begin(&x->permit.account);
	if (x->face->begun && x->request)
		x->face->begun(x);
}

static bool execution_make_room(void *context, uint64_t most, uint64_t *room)
{
	struct execution *x = context;

	return outputs_make_room(&x->outputs, x->request, x->script_request.source_length, most,
				 room);
}

/* Open the files to stage, and a directory for the outputs. */
static int execution_open_files(struct execution *x, struct err *e)
{
	struct file_store *store = x->server->files;

	if (staging_open(store, x->key->id, &x->staging, e))
		return -1;
	if (!x->keeps_outputs)
		return 0;
	if (file_store_scratch(store, &x->scratch, x->scratch_name, e))
		return -1;
	x->script_request.collect_fd = x->scratch;
	x->script_request.make_room = execution_make_room;
	x->outputs = (struct outputs){.store = store,
				      .settler = &x->server->settler,
				      .owner = x->key->id,
				      .folder = x->outputs_folder,
				      .directory_fd = x->scratch,
				      .staging = &x->staging,
				      .collected = &x->result.collected,
				      .done = execution_reply,
				      .context = x};
	return 0;
}

static void execution_decided(void *context, const struct err *refusal, uint64_t seconds)
{
	struct execution *x = context;
	const struct script_request *source = &x->script_request;
	const char *code = x->code ? x->code : source->source;
	struct account *account = &x->permit.account;
	struct err e;

	if (refusal) {
		x->face->crowd(x, seconds);
		execution_close(x);
		return;
	}
	if (execution_open_files(x, &e)) {
		files_refuse(x->request, &e);
		execution_close(x);
		return;
	}
	if (!account_admit(account, code, strlen(code), &x->terms, &e)) {
		if (!script_start(x->server->hub, source, &x->result, execution_done, x, &x->script,
				  &e))
			return;
		account_reject(account, METRICS_CAPACITY);
	}
	x->face->fail(x, &e);
	execution_close(x);
}

static void execution_plan(struct execution *x)
{
	struct script_request *r = &x->script_request;

	r->where = supplier_where(&x->server->supplier);
	r->image = x->server->image;
	r->terms = &x->terms;
	r->source_length = strlen(r->source);
	r->input_length = r->input ? strlen(r->input) : 0;
	r->files = x->staging.files;
	r->file_count = x->staging.count;
	r->begun = execution_begun;
	for (int i = 0; i < 2; i++) {
		if (!r->out[i].take)
			r->out[i] = (struct sink){.fd = -1, .buffer = &x->out[i]};
	}
}

void execution_begin(struct execution *x)
{
	execution_plan(x);
	x->request->work = x;
	x->request->abandon = execution_abandon;
	permit_ask(&x->permit, execution_decided, x);
}
