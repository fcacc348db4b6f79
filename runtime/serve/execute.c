/*
 * execute - POST /v1/execute and /v1/execute/stream: one program in a fresh cell.
 *
 * A failing program is a 200. Errors of the request are found before it waits for a place, and
 * everything that prevents the run before the stream begins.
 */
#include "serve/routes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_put.h"
#include "base/own.h"
#include "loop/clock.h"
#include "request/capacity.h"
#include "request/execute_result.h"
#include "request/execute_stream.h"
#include "request/files.h"
#include "request/outputs.h"
#include "request/permit.h"
#include "request/schema.h"
#include "request/server.h"
#include "request/staging.h"
#include "request/terms.h"
#include "service/script.h"

#define TIMEOUT_MS   2000
#define LET_GO_US    2000
#define TIMEOUT_TEXT "timeout_ms exceeds maximum of %" PRIu64 " ms"

struct execution {
	struct request *request; /* NULL: the client disconnected */
	struct server *server;
	struct key *key; /* the request's key */
	bool streams;
	struct execute_stream stream;
	struct schema body;
	uint64_t timeout_ms;
	struct sandbox_spec terms;
	struct script_request script_request;
	struct staging staging;
	int scratch; /* owned; directory for the outputs; -1 */
	char scratch_name[FILE_STORE_SCRATCH_SIZE];
	struct script *script;
	struct script_result result;
	struct outputs outputs;
	bool has_outputs; /* outputs are being put into the store */
	struct buf out[2];
	struct permit permit;
	struct hub_timer end;
};

static void execute_free(void *context)
{
	struct execution *x = context;

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
	execute_stream_fini(&x->stream);
	free(x);
}

/* -- results --------------------------------------------------------------------------------- */

static void execute_put_output(struct execution *x, const char *key, int i, struct buf *out)
{
	execute_result_mark_cut(&x->out[i], x->result.verdict.truncated[i],
				(size_t)x->terms.limits.output_bytes);
	json_put_bytes(out, key, x->out[i].data, x->out[i].length);
}

static void execute_reply_batch(struct execution *x)
{
	auto_buf struct buf body = {0};

	json_put_begin(&body, NULL, '{');
	execute_put_output(x, "stdout", 0, &body);
	execute_put_output(x, "stderr", 1, &body);
	execute_result_put(&x->result.verdict, &x->outputs, &body);
	json_put_end(&body, '}');
	request_reply(x->request, 200, "application/json", &body);
}

/* -- streams --------------------------------------------------------------------------------- */

static void execute_take_out(void *context, const char *bytes, size_t length)
{
	execute_stream_take(&((struct execution *)context)->stream, 0, bytes, length);
}

static void execute_take_err(void *context, const char *bytes, size_t length)
{
	execute_stream_take(&((struct execution *)context)->stream, 1, bytes, length);
}

static void execute_end_stream(struct execution *x)
{
	auto_buf struct buf data = {0};

	json_put_begin(&data, NULL, '{');
	execute_result_put(&x->result.verdict, &x->outputs, &data);
	json_put_end(&data, '}');
	execute_stream_end(&x->stream, &data);
}

/* -- end of a run ---------------------------------------------------------------------------- */

static void execute_fail(struct execution *x, const struct err *e)
{
	if (x->stream.has_begun)
		execute_stream_fail(&x->stream, capacity_told(x->server, e).text);
	else if (e->kind == ERR_INPUT)
		request_refuse(x->request, 422, "%s", e->text);
	else
		capacity_refuse(x->request, e);
}

/*
 * Releasing descriptors, mounts and groups takes time. The client must not wait for that, nor for
 * the CPU that does it: sending the reply wakes a local client on our CPU. So release later, but at
 * once if other requests wait for a place.
 */
static void execute_finish(struct execution *x)
{
	const bool others_wait = x->server->admission.waiting > 0;

	permit_leave(&x->permit);
	x->end = (struct hub_timer){.ring = execute_free, .context = x};
	if (x->request)
		hub_ring(x->server->hub, &x->end, others_wait ? 0 : monotonic_us() + LET_GO_US);
	else
		execute_free(x); /* the server may be shutting down: now is the last chance */
}

/* The outputs are in the store: reply. */
static void execute_reply(void *context)
{
	struct execution *x = context;

	x->has_outputs = false;
	if (x->streams)
		execute_end_stream(x);
	else
		execute_reply_batch(x);
	execute_finish(x);
}

static void execute_keep_outputs(struct execution *x)
{
	x->has_outputs = outputs_begin(&x->outputs);
	if (!x->has_outputs)
		execute_reply(x);
}

static void execute_done(void *context)
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
		execute_keep_outputs(x);
		return;
	}
	if (x->request)
		execute_fail(x, &failure);
	execute_finish(x);
}

/* The client disconnected: cancel the run and discard its files. */
static void execute_abandon(struct request *r)
{
	struct execution *x = r->work;

	x->request = x->stream.request = NULL;
	if (x->has_outputs) {
		outputs_drop(&x->outputs);
		execute_finish(x);
	} else if (x->script) {
		script_cancel(x->script);
	} else {
		execute_free(x);
	}
}

/* -- start of a run -------------------------------------------------------------------------- */

static void execute_begun(void *context)
{
	struct execution *x = context;

	account_begin(&x->permit.account);
	if (x->streams && x->request)
		execute_stream_begin(&x->stream, x->request);
}

static bool execute_make_room(void *context, uint64_t most, uint64_t *room)
{
	struct execution *x = context;

	return outputs_make_room(&x->outputs, x->request, x->script_request.source_length, most,
				 room);
}

/* Open the files to stage, and a directory for the outputs. */
static bool execute_open_files(struct execution *x)
{
	struct file_store *store = x->server->files;
	struct err e;

	if (staging_open(store, x->key->id, &x->staging, &e) ||
	    file_store_scratch(store, &x->scratch, x->scratch_name, &e)) {
		files_refuse(x->request, &e);
		return false;
	}
	x->script_request.collect_fd = x->scratch;
	x->outputs = (struct outputs){.store = store,
				      .settler = &x->server->settler,
				      .owner = x->key->id,
				      .directory_fd = x->scratch,
				      .staging = &x->staging,
				      .collected = &x->result.collected,
				      .done = execute_reply,
				      .context = x};
	return true;
}

static void execute_decided(void *context, const struct err *refusal, uint64_t seconds)
{
	struct execution *x = context;
	const struct script_request *source = &x->script_request;
	struct account *account = &x->permit.account;
	struct err e;

	if (refusal) {
		capacity_refuse_place(x->request, seconds);
		execute_free(x);
		return;
	}
	if (!execute_open_files(x)) {
		execute_free(x);
		return;
	}
	if (!account_admit(account, source->source, source->source_length, &x->terms, &e)) {
		if (!script_start(x->server->hub, source, &x->result, execute_done, x, &x->script,
				  &e))
			return;
		account_reject(account, METRICS_CAPACITY);
	}
	execute_fail(x, &e);
	execute_free(x);
}

static void execute_plan(struct execution *x)
{
	struct script_request *r = &x->script_request;

	r->where = supplier_where(&x->server->supplier);
	r->image = x->server->image;
	r->terms = &x->terms;
	r->source_length = strlen(r->source);
	r->input_length = r->input ? strlen(r->input) : 0;
	r->files = x->staging.files;
	r->file_count = x->staging.count;
	r->begun = execute_begun;
	r->make_room = execute_make_room;
	for (int i = 0; i < 2; i++)
		r->out[i] = (struct sink){.fd = -1, .buffer = &x->out[i]};
	if (x->streams) {
		r->out[0] = (struct sink){.fd = -1, .take = execute_take_out, .context = x};
		r->out[1] = (struct sink){.fd = -1, .take = execute_take_err, .context = x};
	}
}

static void execute_read_body(struct execution *x, const struct json **limits)
{
	struct script_request *r = &x->script_request;

	x->timeout_ms = TIMEOUT_MS;
	r->shows_last = true;
	schema_string(&x->body, "code", true, &r->source);
	schema_string(&x->body, "stdin", false, &r->input);
	schema_whole(&x->body, "timeout_ms", 1, &x->timeout_ms);
	schema_truth(&x->body, "last_line_interactive", &r->shows_last);
	*limits = schema_object(&x->body, "limits");
}

/* Returns whether the request may go on; otherwise it has been answered. */
static bool execute_read(struct execution *x)
{
	const uint64_t most = x->server->options.timeout_max_ms;
	struct request *r = x->request;
	auto_free struct staging_names *names = NULL;
	auto_buf struct buf detail = {0};
	const struct json *limits;
	bool is_right = false;
	size_t count;
	struct err e;

	schema_begin(&x->body, request_header(r, "Content-Type"), r->body.data, r->body.length);
	execute_read_body(x, &limits);
	count = staging_read(&x->body, &names);
	if (schema_is_wrong(&x->body, &detail))
		request_reply(r, 422, "application/json", &detail);
	else if (x->timeout_ms > most)
		request_refuse(r, 422, TIMEOUT_TEXT, most);
	/* not in the reference API; limits only tighten */
	else if (terms_read(r, limits, &x->terms, &e))
		request_refuse(r, 422, "%s", e.text);
	else if (staging_plan(x->server->files, x->key->id, names, count, true, &x->staging, &e))
		files_refuse(r, &e);
	else
		is_right = true;
	x->terms.limits.wall_time_ms = clock_earlier(x->timeout_ms, x->terms.limits.wall_time_ms);
	return is_right;
}

static void execute_begin(struct request *r, bool streams)
{
	struct execution *x = own_zeroed(1, sizeof(*x));

	x->request = r;
	x->server = r->server;
	x->server->executions++;
	x->key = r->key;
	x->scratch = -1;
	x->streams = streams;
	permit_open(&x->permit, r->server, r->key);
	account_open(&x->permit.account, r, streams ? METRICS_EXECUTE_STREAM : METRICS_EXECUTE);
	if (!execute_read(x)) {
		execute_free(x);
		return;
	}
	execute_plan(x);
	r->work = x;
	r->abandon = execute_abandon;
	permit_ask(&x->permit, execute_decided, x);
}

void execute_run(struct request *r)
{
	execute_begin(r, false);
}

void execute_run_streamed(struct request *r)
{
	execute_begin(r, true);
}
