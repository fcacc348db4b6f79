/*
 * dify - the API of Dify's sandbox, which runs the code nodes of its workflows.
 *
 * Dify fails a node by any text in data.error, so what a program that succeeded wrote to standard
 * error is in data.stderr alone. It takes the result out of data.stdout, and would not notice that
 * this was cut: then there is an error. It asks for a network in every call, whether or not the
 * code needs one: it gets what the key's ceiling names, which may be nothing.
 *
 * A body that is wrong is answered with status 200 and a code, as there.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_put.h"
#include "base/own.h"
#include "base/parse.h"
#include "loop/clock.h"
#include "request/capacity.h"
#include "request/execution.h"
#include "request/gate.h"
#include "request/other_language.h"
#include "request/terms.h"
#include "serve/faces.h"
#include "serve/routes.h"

#define CODE_BODY (16u << 20)
#define JSON      "application/json"
#define WANTED    "the body is JSON (Content-Type: application/json) with the texts language and code"

enum dify_code { DIFY_BAD = -400, DIFY_CROWDED = -503, DIFY_FAILED = -500 };

struct dify {
	struct execution run; /* first */
	struct buf source;    /* preload and code */
	struct list args;
};

/* -- replies --------------------------------------------------------------------------------- */

static void dify_refuse(struct request *r, unsigned status, enum dify_code code,
			const char *message)
{
	auto_buf struct buf body = {0};

	json_put(&body, "{code:%d, message:%s, data:null}", code, message);
	request_reply(r, status, JSON, &body);
}

static void dify_explain(unsigned status, const char *text, size_t length, struct buf *body)
{
	(void)status;
	json_put(body, "{code:%d, message:%.*s, data:null}", DIFY_BAD, (int)length, text);
}

/* -- a run ----------------------------------------------------------------------------------- */

/* Why the node fails; nothing is added if it does not. */
static void dify_put_error(const struct execution *x, struct buf *out)
{
	const struct verdict *v = &x->result.verdict;
	const struct limits *l = &x->terms.limits;
	char size[24];

	switch (v->kind) {
	case VERDICT_WALL_TIME:
		buf_printf(out, "timeout: the code ran for longer than %g s",
			   (double)l->wall_time_ms / 1000);
		break;
	case VERDICT_MEMORY:
		buf_printf(out, "the code needed more than %s of memory",
			   format_size(l->memory_bytes, size));
		break;
	case VERDICT_EXITED:
	case VERDICT_OUTPUT:
		if (v->truncated[0])
			buf_printf(out, "the output was cut at %" PRIu64 " bytes", l->output_bytes);
		else if (v->exit_code && x->out[1].length)
			buf_add(out, x->out[1].data, x->out[1].length);
		else if (v->exit_code)
			buf_printf(out, "exit status %d", v->exit_code);
		break;
	default:
		buf_printf(out, "the code was ended: %s", verdict_name(v->kind));
	}
}

static void dify_reply(struct execution *x)
{
	const struct verdict *v = &x->result.verdict;
	auto_buf struct buf body = {0};
	auto_buf struct buf error = {0};

	dify_put_error(x, &error);
	json_put(&body,
		 "{code:0, message:'success', data:{stdout:%.*s, stderr:%.*s, error:%.*s, "
		 "exit_code:%d}}",
		 (int)x->out[0].length, x->out[0].data, (int)x->out[1].length, x->out[1].data,
		 (int)error.length, error.data, v->exit_code);
	request_reply(x->request, 200, JSON, &body);
}

static void dify_fail(struct execution *x, const struct err *e)
{
	const struct err said = capacity_told(x->server, e);

	dify_refuse(x->request, 503, DIFY_FAILED, said.text);
}

static void dify_crowd(struct execution *x, uint64_t seconds)
{
	gate_advise(x->request, seconds);
	dify_refuse(x->request, 503, DIFY_CROWDED, "too many requests");
}

static void dify_release(struct execution *x)
{
	struct dify *d = (struct dify *)x;

	buf_fini(&d->source);
	list_fini(&d->args);
	free(x);
}

static const struct execution_face dify_face = {
	.reply = dify_reply,
	.fail = dify_fail,
	.crowd = dify_crowd,
	.release = dify_release,
};

/* Returns whether the language is known. */
static bool dify_set_source(struct dify *d, const char *language, const char *preload,
			    const char *code)
{
	struct script_request *r = &d->run.script_request;

	if (*preload)
		buf_printf(&d->source, "%s\n", preload);
	buf_text(&d->source, code);
	d->run.code = buf_string(&d->source);
	if (!strcmp(language, "nodejs")) {
		other_language_plan(r, "node", buf_string(&d->source), &d->args);
		return true;
	}
	r->source = buf_string(&d->source);
	return !strcmp(language, "python3");
}

/* Returns whether the request may go on; otherwise it has been answered. */
static bool dify_read(struct dify *d)
{
	struct execution *x = &d->run;
	struct limits *l = &x->terms.limits;
	const char *language = NULL;
	const char *code = NULL;
	const char *preload = "";
	bool has_network = false;
	auto_buf struct buf wrong = {0};
	struct err e;

	schema_string(&x->body, "language", true, &language);
	schema_string(&x->body, "code", true, &code);
	schema_string(&x->body, "preload", false, &preload);
	schema_truth(&x->body, "enable_network", &has_network);
	if (schema_is_wrong(&x->body, &wrong)) {
		dify_refuse(x->request, 200, DIFY_BAD, WANTED);
		return false;
	}
	if (!dify_set_source(d, language, preload, code)) {
		dify_refuse(x->request, 400, DIFY_BAD,
			    "unsupported language: say python3 or nodejs");
		return false;
	}
	if (terms_read(x->request, NULL, &x->terms, &e) ||
	    (has_network && terms_reach_all(x->request, &x->terms, &e))) {
		dify_refuse(x->request, 200, DIFY_BAD, e.text);
		return false;
	}
	l->wall_time_ms = clock_earlier(l->wall_time_ms, x->server->options.timeout_max_ms);
	schema_fini(&x->body); /* its texts are in the source: hold them once while it waits */
	x->body = (struct schema){0};
	return true;
}

static void dify_run(struct request *r)
{
	struct dify *d = own_zeroed(1, sizeof(*d));

	execution_open(&d->run, &dify_face, r, METRICS_DIFY);
	if (dify_read(d))
		execution_begin(&d->run);
	else
		execution_close(&d->run);
}

/* -- the rest -------------------------------------------------------------------------------- */

/* The packages of the image: nothing else can be installed. */
static void dify_run_dependencies(struct request *r)
{
	auto_buf struct buf body = {0};

	json_put(&body, "{code:0, message:'success', data:{dependencies:[");
	about_put_packages(r->server, &body);
	json_put(&body, "]}}");
	request_reply(r, 200, JSON, &body);
}

static void dify_run_update(struct request *r)
{
	dify_refuse(r, 200, DIFY_BAD, "packages are those of the image: glovebox image build");
}

/* clang-format off */
static const struct route dify_routes[] = {
	{"GET", "/health", health_run_ready, HTTP_NO_BODY, true, NULL},
	{"POST", "/v1/sandbox/run", dify_run, CODE_BODY, false, NULL},
	{"GET", "/v1/sandbox/dependencies", dify_run_dependencies, HTTP_NO_BODY, false, NULL},
	{"GET", "/v1/sandbox/dependencies/refresh", dify_run_dependencies, HTTP_NO_BODY, false, NULL},
	{"POST", "/v1/sandbox/dependencies/update", dify_run_update, HTTP_NO_BODY, false, NULL},
	{NULL, NULL, NULL, 0, false, NULL},
};
/* clang-format on */

const struct site dify_site = {
	ROUTES_DUTIES,
	.routes = dify_routes,
	.admit = gate_admit,
	.explain = dify_explain,
};
