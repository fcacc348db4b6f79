/*
 * command - exec: a line of a shell in a sandbox, beside its interpreter and all other commands.
 *
 *   stdout | stderr {"chunk"}, exit {"exit_code", "truncated"} or error {"error"}
 *
 * To clients a stream without an exit is a command of which nobody knows the end, and an error
 * whose text has the word "timeout" is a timeout. A client that leaves ends its command.
 */
#include "pandastack/calls.h"

#include <string.h>

#include "base/json_put.h"
#include "base/json_strict.h"
#include "base/own.h"
#include "box/box_command.h"
#include "loop/clock.h"
#include "pandastack/panda.h"
#include "request/execute_stream.h"
#include "request/schema.h"
#include "request/terms.h"

#define CMD_MAX 131071 /* the kernel's MAX_ARG_STRLEN, without the NUL */

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

static void command_reply(struct box_command *c)
{
	auto_buf struct buf reply = {0};

	json_put_begin(&reply, NULL, '{');
	for (int i = 0; i < 2 && !c->streams; i++) {
		const struct buf *text = &c->out[i];

		json_put_bytes(&reply, i ? "stderr" : "stdout", text->data, text->length);
	}
	json_put(&reply, "exit_code:%d, duration_ms:%lu, truncated:%i", box_command_status(c),
		 (unsigned long)((monotonic_us() - c->began_us) / 1000),
		 c->is_cut[0] || c->is_cut[1]);
	json_put_end(&reply, '}');
	if (c->streams)
		execute_stream_end(&c->stream, &reply);
	else
		request_reply(c->request, 200, PANDA_JSON, &reply);
}

static const struct box_command_face command_face = {
	.box = &panda_face,
	.form = &command_form,
	.reply = command_reply,
	.late = "timeout: the command ran for longer than it may, and was killed",
	.paused = PANDA_PAUSED,
	.gone = PANDA_NOT_FOUND,
	.gone_status = 404,
};

/* -- the request ----------------------------------------------------------------------------- */

/* Returns whether it may go on; otherwise it has been answered. */
static bool command_read(struct box_command *c, const struct json *body)
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
	c->code = own_strdup(cmd);
	c->workdir = PANDA_HOME;
	return !panda_read_time(r, body, "timeout_seconds", 1000, most_ms,
				&c->terms.limits.wall_time_ms);
}

static void command_begin(struct request *r, bool streams)
{
	const char *text = buf_string(&r->body);
	struct err ignored;
	auto_json struct json *body = NULL;
	struct box_command *c;

	if (!panda_is_theirs(r) || panda_wakes(r))
		return;
	if (!json_check_strict(text, r->body.length, SCHEMA_VALUES_MAX, &ignored))
		body = json_parse(text, r->body.length, &ignored);
	c = box_command_open(r, &command_face, r->segments[0]);
	c->streams = streams;
	if (command_read(c, body))
		box_command_begin(c);
	else
		box_command_close(c);
}

void command_run(struct request *r)
{
	command_begin(r, false);
}

void command_run_streamed(struct request *r)
{
	command_begin(r, true);
}
