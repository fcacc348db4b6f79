/*
 * line - POST /execute: the words of a command line, without a shell, in a sandbox.
 *
 * The result of a command says what is wrong with it, with status 200: clients repeat no POST.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "agentsandbox/calls.h"
#include "agentsandbox/claim.h"
#include "agentsandbox/words.h"
#include "base/json_put.h"
#include "base/own.h"
#include "box/box_command.h"
#include "request/schema.h"
#include "request/terms.h"

#define JSON        "application/json"
#define NO_COMMAND  "command: a text is needed, and timeout_seconds is a number above 0, at most %g"
#define LATE_STATUS 124
#define FAILED      "Failed to execute command: "
#define MS          1000.0

static int line_exit_code(const struct box_command *c)
{
	const int status = c->result.status;

	if (c->result.timed_out)
		return LATE_STATUS;
	return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static void line_reply(struct box_command *c)
{
	auto_buf struct buf body = {0};

	if (c->result.timed_out)
		buf_printf(&c->out[1], "%sCommand timed out after %g seconds\n",
			   c->out[1].length ? "\n" : "", (double)c->terms.limits.wall_time_ms / MS);
	json_put(&body, "{stdout:%.*s, stderr:%.*s, exit_code:%d, timed_out:%i}",
		 (int)c->out[0].length, c->out[0].data, (int)c->out[1].length, c->out[1].data,
		 line_exit_code(c), c->result.timed_out);
	request_reply(c->request, 200, JSON, &body);
}

static void line_reply_failed(struct request *r, const char *why)
{
	auto_free char *text = own_printf(FAILED "%s", why);
	auto_buf struct buf body = {0};

	json_put(&body, "{stdout:'', stderr:%s, exit_code:1}", text);
	request_reply(r, 200, JSON, &body);
}

static void line_fail(struct box_command *c, const struct err *e)
{
	line_reply_failed(c->request, e->text);
}

static const struct box_command_face line_face = {
	.reply = line_reply,
	.fail = line_fail,
	.paused = "the sandbox is frozen",
	.gone = "the sandbox has ended",
	.gone_status = 502,
};

/* The time that a body asks for. Returns -1: it is none. */
static int line_read_time(const struct json *body, uint64_t most_ms, uint64_t *ms)
{
	const struct json *node = json_get(body, "timeout_seconds");
	double seconds = 0;

	*ms = most_ms;
	if (!node || json_is_null(node))
		return 0;
	if (json_double(node, &seconds) || !(seconds > 0) || seconds * MS > (double)most_ms)
		return -1;
	*ms = (uint64_t)(seconds * MS);
	*ms += !*ms;
	return 0;
}

static int line_plan(struct box_command *c, const char *text, struct err *e)
{
	if (words_split(text, &c->words, e))
		return -1;
	if (!c->words.count)
		return err_input(e, "a command is needed");
	if (terms_read(c->request, NULL, &c->terms, e))
		return -1;
	list_add(&c->env, "HOME=" CLAIM_HOME);
	c->workdir = CLAIM_HOME;
	c->code = own_strdup(text);
	return 0;
}

/* The command of a body; NULL: it is wrong. */
static const char *line_read(const struct request *r, struct schema *s, uint64_t *time_ms)
{
	const struct json *body;

	schema_begin(s, request_header(r, "Content-Type"), r->body.data, r->body.length);
	body = s->document;
	return json_is_object(body) &&
			       !line_read_time(body, r->server->options.timeout_max_ms, time_ms)
		       ? json_string_at(body, "command")
		       : NULL;
}

static void line_go(struct request *r, const char *name)
{
	struct box_command *c = box_command_open(r, &line_face, name);
	struct schema schema;
	uint64_t time_ms = 0;
	struct err e;

	if (line_plan(c, line_read(r, &schema, &time_ms), &e)) {
		line_reply_failed(r, e.text);
		box_command_close(c);
	} else {
		c->terms.limits.wall_time_ms = time_ms;
		box_command_begin(c);
	}
	schema_fini(&schema);
}

/* A body that is wrong begins no sandbox. */
void line_run(struct request *r)
{
	struct schema schema;
	uint64_t time_ms;

	if (line_read(r, &schema, &time_ms))
		claim_run(r, line_go);
	else
		request_refuse(r, 422, NO_COMMAND, (double)r->server->options.timeout_max_ms / MS);
	schema_fini(&schema);
}
