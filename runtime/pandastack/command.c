/*
 * command - exec: a line of a shell in a sandbox, beside its interpreter and all other commands.
 *
 *   stdout | stderr {"chunk"}, exit {"exit_code", "truncated"} or error {"error"}
 *
 * To clients a stream without an exit is a command of which nobody knows the end, and an error
 * whose text has the word "timeout" is a timeout. A client that leaves ends its command.
 */
#include "pandastack/calls.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/json_put.h"
#include "base/json_strict.h"
#include "base/own.h"
#include "loop/clock.h"
#include "pandastack/panda.h"
#include "request/capacity.h"
#include "request/execute_result.h"
#include "request/execute_stream.h"
#include "request/permit.h"
#include "request/schema.h"
#include "request/terms.h"
#include "session/further.h"

#define CMD_MAX      131071 /* the kernel's MAX_ARG_STRLEN, without the NUL */
#define COMMAND_LATE "timeout: the command ran for longer than it may, and was killed"

struct command {
	struct request *request; /* NULL: the client is gone */
	struct server *server;
	char name[HANDLE_BYTES]; /* of the session */
	bool streams;
	struct execute_stream stream;
	struct permit permit;
	struct sandbox_spec terms;
	struct list words;
	struct list env;
	struct further *further;
	struct further_result result;
	struct buf out[2];
	uint64_t taken[2]; /* bytes */
	bool is_cut[2];
	uint64_t began_us;
};

static void command_free(struct command *c)
{
	further_free(c->further);
	permit_leave(&c->permit);
	execute_stream_fini(&c->stream);
	spec_fini(&c->terms);
	list_fini(&c->words);
	list_fini(&c->env);
	for (int i = 0; i < 2; i++)
		buf_fini(&c->out[i]);
	free(c);
}

/* The client left: a command that runs is killed, and is over when it has ended. */
static void command_abandon(struct request *r)
{
	struct command *c = r->work;

	c->request = c->stream.request = NULL;
	if (c->further && further_number(c->further))
		further_kill(c->further);
	else
		command_free(c);
}

/* -- its stream ------------------------------------------------------------------------------ */

static void command_put_output(struct buf *out, int i, const struct buf *text)
{
	auto_buf struct buf data = {0};

	json_put(&data, "{chunk:%.*s}", (int)text->length, text->data);
	execute_stream_put_event(out, i ? "stderr" : "stdout", &data);
}

static void command_put_exit(struct buf *out, const struct buf *result)
{
	execute_stream_put_event(out, "exit", result);
}

static void command_put_error(struct buf *out, const char *message)
{
	auto_buf struct buf data = {0};

	json_put(&data, "{error:%s}", message);
	execute_stream_put_event(out, "error", &data);
}

static const struct stream_form command_form = {
	.type = "text/event-stream; charset=utf-8",
	.heartbeat = ": still there\n\n",
	.output = command_put_output,
	.result = command_put_exit,
	.error = command_put_error,
};

/* -- its end --------------------------------------------------------------------------------- */

static int command_status(const struct command *c)
{
	const int status = c->result.status;

	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static enum verdict_kind command_verdict(const struct command *c)
{
	if (c->result.timed_out)
		return VERDICT_WALL_TIME;
	if (!c->request)
		return VERDICT_CANCELLED;
	return WIFEXITED(c->result.status) ? VERDICT_EXITED : VERDICT_SIGNALLED;
}

static int command_settle(struct command *c, struct err *e)
{
	const struct verdict verdict = {.kind = command_verdict(c),
					.exit_code = command_status(c),
					.duration_us = monotonic_us() - c->began_us};

	return account_end(&c->permit.account, c->result.failed ? NULL : &verdict, &c->result.error,
			   c->request != NULL, e);
}

static void command_fail(struct command *c, unsigned status, const char *text)
{
	if (c->stream.has_begun)
		execute_stream_fail(&c->stream, text);
	else
		request_refuse(c->request, status, "%s", text);
}

static void command_explain(struct command *c)
{
	const struct err *e = &c->result.error;

	if (!c->result.no_session)
		command_fail(c, 500, e->text);
	else if (e->kind == ERR_BUSY)
		command_fail(c, 409, PANDA_PAUSED);
	else if (c->began_us)
		command_fail(c, 502, "the sandbox has ended");
	else
		command_fail(c, 404, "sandbox not found");
	if (c->result.no_session && e->kind != ERR_BUSY)
		panda_forget(c->server, c->name);
}

static void command_reply(struct command *c)
{
	auto_buf struct buf reply = {0};

	json_put_begin(&reply, NULL, '{');
	for (int i = 0; i < 2 && !c->streams; i++) {
		struct buf *text = &c->out[i];

		execute_result_mark_cut(text, c->is_cut[i], c->terms.limits.output_bytes);
		json_put_bytes(&reply, i ? "stderr" : "stdout", text->data, text->length);
	}
	json_put(&reply, "exit_code:%d, duration_ms:%lu, truncated:%i", command_status(c),
		 (unsigned long)((monotonic_us() - c->began_us) / 1000),
		 c->is_cut[0] || c->is_cut[1]);
	json_put_end(&reply, '}');
	if (c->streams)
		execute_stream_end(&c->stream, &reply);
	else
		request_reply(c->request, 200, PANDA_JSON, &reply);
}

static void command_done(void *context)
{
	struct command *c = context;
	struct err e;
	const bool is_kept = !command_settle(c, &e);

	if (c->request && !is_kept)
		command_fail(c, 503, e.text);
	else if (c->request && c->result.timed_out)
		command_fail(c, 504, COMMAND_LATE);
	else if (c->request && c->result.failed)
		command_explain(c);
	else if (c->request)
		command_reply(c);
	command_free(c);
}

/* -- its course ------------------------------------------------------------------------------ */

static void command_started(void *context)
{
	struct command *c = context;

	if (c->began_us)
		return;
	c->began_us = monotonic_us();
	account_go_on(&c->permit.account);
	if (c->streams && c->request)
		execute_stream_begin(&c->stream, c->request);
}

/* Output beyond the bound is read, too, so that the command goes on. */
static void command_take(void *context, int stream, const char *bytes, size_t length)
{
	struct command *c = context;
	const int i = stream - 1;
	const size_t n = (size_t)clock_earlier(length, c->terms.limits.output_bytes - c->taken[i]);

	command_started(c);
	c->is_cut[i] |= n < length;
	c->taken[i] += n;
	if (c->streams)
		execute_stream_take(&c->stream, i, bytes, n);
	else
		buf_add(&c->out[i], bytes, n);
}

static void command_fed(void *context)
{
	(void)context;
}

static int command_start(struct command *c, struct err *e)
{
	const struct further_request ask = {
		.where = supplier_where(&c->server->supplier),
		.name = c->name,
		.words = &c->words,
		.env = &c->env,
		.workdir = PANDA_HOME,
		.timeout_ms = c->terms.limits.wall_time_ms,
		.started = command_started,
		.take = command_take,
		.fed = command_fed,
	};
	const char *line = c->words.items[2];

	account_name_session(&c->permit.account, c->name, true);
	if (account_admit(&c->permit.account, line, strlen(line), &c->terms, e))
		return -1;
	return further_start(c->server->hub, &ask, &c->result, command_done, c, &c->further, e);
}

static void command_decided(void *context, const struct err *refusal, uint64_t seconds)
{
	struct command *c = context;
	struct err e;

	if (!refusal && !command_start(c, &e))
		return;
	if (refusal)
		capacity_refuse_place(c->request, seconds);
	else
		capacity_refuse(c->request, &e);
	command_free(c);
}

/* -- the request ----------------------------------------------------------------------------- */

/* Returns whether it may go on; otherwise it has been answered. */
static bool command_read(struct command *c, const struct json *body)
{
	const uint64_t most_ms = c->server->options.timeout_max_ms;
	const char *cmd = json_string_at(body, "cmd");
	struct request *r = c->request;
	struct err e;

	if (!cmd || strlen(cmd) > CMD_MAX) {
		request_refuse(r, 400, "cmd: a text is needed, of %d bytes at most", CMD_MAX);
		return false;
	}
	if (terms_read(r, NULL, &c->terms, &e)) {
		request_refuse(r, 400, "%s", e.text);
		return false;
	}
	c->terms.limits.wall_time_ms = most_ms;
	list_add(&c->words, "sh");
	list_add(&c->words, "-c");
	list_add(&c->words, cmd);
	return !panda_read_time(r, body, "timeout_seconds", 1000, most_ms,
				&c->terms.limits.wall_time_ms);
}

static void command_begin(struct request *r, bool streams)
{
	const char *text = buf_string(&r->body);
	struct err ignored;
	auto_json struct json *body = NULL;
	struct command *c;

	if (!panda_is_theirs(r) || panda_wakes(r))
		return;
	if (!json_check_strict(text, r->body.length, SCHEMA_VALUES_MAX, &ignored))
		body = json_parse(text, r->body.length, &ignored);
	c = own_zeroed(1, sizeof(*c));
	c->request = r;
	c->server = r->server;
	memcpy(c->name, r->segments[0], strlen(r->segments[0]) + 1);
	c->streams = streams;
	c->stream.form = &command_form;
	permit_open(&c->permit, r->server, r->key);
	account_open(&c->permit.account, r, METRICS_SESSION_BASH);
	r->work = c;
	r->abandon = command_abandon;
	if (command_read(c, body))
		permit_ask(&c->permit, command_decided, c);
	else
		command_free(c);
}

void command_run(struct request *r)
{
	command_begin(r, false);
}

void command_run_streamed(struct request *r)
{
	command_begin(r, true);
}
