/*
 * box_command - one command in a box for a request.
 */
#include "box/box_command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/own.h"
#include "loop/clock.h"
#include "request/capacity.h"
#include "request/execute_result.h"

void box_command_close(struct box_command *c)
{
	further_free(c->further);
	permit_leave(&c->permit);
	execute_stream_fini(&c->stream);
	spec_fini(&c->terms);
	list_fini(&c->words);
	list_fini(&c->env);
	free(c->code);
	for (int i = 0; i < 2; i++)
		buf_fini(&c->out[i]);
	free(c);
}

/* The client left: a command that runs is killed, and is over when it has ended. */
static void box_command_abandon(struct request *r)
{
	struct box_command *c = r->work;

	c->request = c->stream.request = NULL;
	if (c->further && further_number(c->further))
		further_kill(c->further);
	else
		box_command_close(c);
}

/* -- its end --------------------------------------------------------------------------------- */

int box_command_status(const struct box_command *c)
{
	const int status = c->result.status;

	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static enum verdict_kind box_command_verdict(const struct box_command *c)
{
	if (c->result.timed_out)
		return VERDICT_WALL_TIME;
	if (!c->request)
		return VERDICT_CANCELLED;
	return WIFEXITED(c->result.status) ? VERDICT_EXITED : VERDICT_SIGNALLED;
}

static int box_command_settle(struct box_command *c, struct err *e)
{
	const struct verdict verdict = {.kind = box_command_verdict(c),
					.exit_code = box_command_status(c),
					.duration_us = monotonic_us() - c->began_us};

	return account_end(&c->permit.account, c->result.failed ? NULL : &verdict, &c->result.error,
			   c->request != NULL, e);
}

static void box_command_fail(struct box_command *c, unsigned status, const char *text)
{
	if (c->stream.has_begun)
		execute_stream_fail(&c->stream, text);
	else
		request_refuse(c->request, status, "%s", text);
}

static void box_command_explain(struct box_command *c)
{
	const struct err *e = &c->result.error;
	const bool no_session = c->result.no_session || e->kind == ERR_GONE;

	if (!no_session && c->face->fail)
		c->face->fail(c, e);
	else if (!no_session)
		box_command_fail(c, 500, e->text);
	else if (e->kind == ERR_BUSY)
		box_command_fail(c, 409, c->face->paused);
	else if (c->began_us)
		box_command_fail(c, 502, "the sandbox has ended");
	else
		box_command_fail(c, c->face->gone_status, c->face->gone);
	if (no_session && e->kind != ERR_BUSY && c->face->box)
		box_forget_named(c->server, c->face->box, c->name);
}

static void box_command_reply(struct box_command *c)
{
	for (int i = 0; i < 2; i++)
		execute_result_mark_cut(&c->out[i], c->is_cut[i] && !c->streams,
					c->terms.limits.output_bytes);
	c->face->reply(c);
}

static void box_command_done(void *context)
{
	struct box_command *c = context;
	struct err e;
	const bool is_kept = !box_command_settle(c, &e);

	if (c->request && !is_kept)
		box_command_fail(c, 503, e.text);
	else if (c->request && c->result.timed_out && c->face->late)
		box_command_fail(c, 504, c->face->late);
	else if (c->request && c->result.failed && !c->result.timed_out)
		box_command_explain(c);
	else if (c->request)
		box_command_reply(c);
	box_command_close(c);
}

/* -- its course ------------------------------------------------------------------------------ */

static void box_command_started(void *context)
{
	struct box_command *c = context;

	if (c->began_us)
		return;
	c->began_us = monotonic_us();
	account_go_on(&c->permit.account);
	if (c->streams && c->request)
		execute_stream_begin(&c->stream, c->request);
}

/* Output beyond the bound is read, too, so that the command goes on. */
static void box_command_take(void *context, int stream, const char *bytes, size_t length)
{
	struct box_command *c = context;
	const int i = stream - 1;
	const size_t n = (size_t)clock_earlier(length, c->terms.limits.output_bytes - c->taken[i]);

	box_command_started(c);
	c->is_cut[i] |= n < length;
	c->taken[i] += n;
	if (c->streams)
		execute_stream_take(&c->stream, i, bytes, n);
	else
		buf_add(&c->out[i], bytes, n);
}

static void box_command_fed(void *context)
{
	(void)context;
}

static int box_command_start(struct box_command *c, struct err *e)
{
	const struct further_request ask = {
		.where = supplier_where(&c->server->supplier),
		.name = c->name,
		.words = &c->words,
		.env = &c->env,
		.workdir = c->workdir,
		.timeout_ms = c->terms.limits.wall_time_ms,
		.started = box_command_started,
		.take = box_command_take,
		.fed = box_command_fed,
	};

	account_name_session(&c->permit.account, c->name, true);
	if (account_admit(&c->permit.account, c->code, strlen(c->code), &c->terms, e))
		return -1;
	return further_start(c->server->hub, &ask, &c->result, box_command_done, c, &c->further, e);
}

static void box_command_decided(void *context, const struct err *refusal, uint64_t seconds)
{
	struct box_command *c = context;
	struct err e;

	if (!refusal && !box_command_start(c, &e))
		return;
	if (refusal)
		capacity_refuse_place(c->request, seconds);
	else
		capacity_refuse(c->request, &e);
	box_command_close(c);
}

/* -- the request ----------------------------------------------------------------------------- */

struct box_command *box_command_open(struct request *r, const struct box_command_face *face,
				     const char *name)
{
	struct box_command *c = own_zeroed(1, sizeof(*c));

	c->face = face;
	c->request = r;
	c->server = r->server;
	snprintf(c->name, sizeof(c->name), "%s", name);
	c->stream.form = face->form;
	permit_open(&c->permit, r->server, r->key);
	account_open(&c->permit.account, r, METRICS_SESSION_BASH);
	r->work = c;
	r->abandon = box_command_abandon;
	return c;
}

void box_command_begin(struct box_command *c)
{
	permit_ask(&c->permit, box_command_decided, c);
}
