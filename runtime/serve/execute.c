/*
 * execute - POST /v1/execute and /v1/execute/stream: one program in a fresh cell.
 *
 * A failing program is a 200.
 */
#include "serve/routes.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/json_put.h"
#include "base/own.h"
#include "loop/clock.h"
#include "request/capacity.h"
#include "request/execute_result.h"
#include "request/execute_stream.h"
#include "request/execution.h"
#include "request/files.h"
#include "request/server.h"
#include "request/terms.h"

#define TIMEOUT_MS   2000
#define TIMEOUT_TEXT "timeout_ms exceeds maximum of %" PRIu64 " ms"

struct execute {
	struct execution run; /* first */
	bool streams;
	struct execute_stream stream;
	uint64_t timeout_ms;
};

static struct execute *execute_of(struct execution *x)
{
	return (struct execute *)x;
}

static void execute_release(struct execution *x)
{
	execute_stream_fini(&execute_of(x)->stream);
	free(x);
}

/* -- results --------------------------------------------------------------------------------- */

static void execute_put_output(struct execution *x, const char *key, int i, struct buf *out)
{
	execute_result_mark_cut(&x->out[i], x->result.verdict.truncated[i],
				(size_t)x->terms.limits.output_bytes);
	json_put_bytes(out, key, x->out[i].data, x->out[i].length);
}

static void execute_reply(struct execution *x)
{
	const bool streams = execute_of(x)->streams;
	auto_buf struct buf body = {0};

	json_put_begin(&body, NULL, '{');
	if (!streams) {
		execute_put_output(x, "stdout", 0, &body);
		execute_put_output(x, "stderr", 1, &body);
	}
	execute_result_put(&x->result.verdict, &x->outputs, &body);
	json_put_end(&body, '}');
	if (streams)
		execute_stream_end(&execute_of(x)->stream, &body);
	else
		request_reply(x->request, 200, "application/json", &body);
}

static void execute_fail(struct execution *x, const struct err *e)
{
	struct execute_stream *stream = &execute_of(x)->stream;

	if (stream->has_begun)
		execute_stream_fail(stream, capacity_told(x->server, e).text);
	else if (e->kind == ERR_INPUT)
		request_refuse(x->request, 422, "%s", e->text);
	else
		capacity_refuse(x->request, e);
}

static void execute_crowd(struct execution *x, uint64_t seconds)
{
	capacity_refuse_place(x->request, seconds);
}

/* -- streams --------------------------------------------------------------------------------- */

static void execute_take_out(void *context, const char *bytes, size_t length)
{
	execute_stream_take(context, 0, bytes, length);
}

static void execute_take_err(void *context, const char *bytes, size_t length)
{
	execute_stream_take(context, 1, bytes, length);
}

static void execute_begin_stream(struct execution *x)
{
	execute_stream_begin(&execute_of(x)->stream, x->request);
}

static void execute_leave_stream(struct execution *x)
{
	execute_of(x)->stream.request = NULL;
}

static const struct execution_face execute_whole = {
	.reply = execute_reply,
	.fail = execute_fail,
	.crowd = execute_crowd,
	.release = execute_release,
};

static const struct execution_face execute_streamed = {
	.begun = execute_begin_stream,
	.reply = execute_reply,
	.fail = execute_fail,
	.crowd = execute_crowd,
	.leave = execute_leave_stream,
	.release = execute_release,
};

/* -- requests -------------------------------------------------------------------------------- */

static void execute_read_body(struct execute *x, const struct json **limits)
{
	struct script_request *r = &x->run.script_request;
	struct schema *body = &x->run.body;

	x->timeout_ms = TIMEOUT_MS;
	r->shows_last = true;
	schema_string(body, "code", true, &r->source);
	schema_string(body, "stdin", false, &r->input);
	schema_whole(body, "timeout_ms", 1, &x->timeout_ms);
	schema_truth(body, "last_line_interactive", &r->shows_last);
	*limits = schema_object(body, "limits");
}

/* Returns whether the request may go on; otherwise it has been answered. */
static bool execute_read(struct execute *x)
{
	const uint64_t most = x->run.server->options.timeout_max_ms;
	struct request *r = x->run.request;
	struct sandbox_spec *terms = &x->run.terms;
	auto_free struct staging_names *names = NULL;
	auto_buf struct buf detail = {0};
	const struct json *limits;
	bool is_right = false;
	size_t count;
	struct err e;

	execute_read_body(x, &limits);
	count = staging_read(&x->run.body, &names);
	if (schema_is_wrong(&x->run.body, &detail))
		request_reply(r, 422, "application/json", &detail);
	else if (x->timeout_ms > most)
		request_refuse(r, 422, TIMEOUT_TEXT, most);
	/* not in the reference API; limits only tighten */
	else if (terms_read(r, limits, terms, &e) ||
		 terms_reach(r, json_get(x->run.body.document, "egress"), terms, &e))
		request_refuse(r, 422, "%s", e.text);
	else if (staging_plan(r->server->files, r->key->id, names, count, true, &x->run.staging,
			      &e))
		files_refuse(r, &e);
	else
		is_right = true;
	terms->limits.wall_time_ms = clock_earlier(x->timeout_ms, terms->limits.wall_time_ms);
	return is_right;
}

static void execute_begin(struct request *r, bool streams)
{
	struct execute *x = own_zeroed(1, sizeof(*x));
	struct sink *out = x->run.script_request.out;

	x->streams = streams;
	execution_open(&x->run, streams ? &execute_streamed : &execute_whole, r,
		       streams ? METRICS_EXECUTE_STREAM : METRICS_EXECUTE);
	if (!execute_read(x)) {
		execution_close(&x->run);
		return;
	}
	x->run.keeps_outputs = true;
	if (streams) {
		out[0] = (struct sink){.fd = -1, .take = execute_take_out, .context = &x->stream};
		out[1] = (struct sink){.fd = -1, .take = execute_take_err, .context = &x->stream};
	}
	execution_begin(&x->run);
}

void execute_run(struct request *r)
{
	execute_begin(r, false);
}

void execute_run_streamed(struct request *r)
{
	execute_begin(r, true);
}
