/*
 * exec - POST /exec: one program in a fresh cell, with files of storage sessions in /mnt/data.
 *
 * A failing program is a 200.
 */
#include "librechat/exec.h"

#include <stdlib.h>
#include <strings.h>

#include "base/json_put.h"
#include "base/own.h"
#include "librechat/calls.h"
#include "loop/clock.h"
#include "request/capacity.h"
#include "request/other_language.h"
#include "request/server.h"
#include "request/terms.h"

#define PLACE       "/mnt/data"
#define NO_CODE     "lang and code: texts are needed"
#define NO_LANGUAGE "Unsupported language: %.40s"
#define ARGS_MOST   64

void exec_open(struct exec *x, const struct execution_face *face, struct request *r)
{
	execution_open(&x->run, face, r, METRICS_EXECUTE);
	stored_id_new_folder(x->folder);
	x->run.keeps_outputs = true;
	x->run.outputs_folder = x->folder;
	x->run.script_request.place = PLACE;
	x->run.script_request.args = &x->args;
}

void exec_fini(struct exec *x)
{
	list_fini(&x->args);
}

int exec_read_terms(struct exec *x, const struct json *body, uint64_t otherwise_ms, struct err *e)
{
	struct sandbox_spec *terms = &x->run.terms;
	uint64_t *time_ms = &terms->limits.wall_time_ms;
	const uint64_t asked_ms = json_uint_at(body, "timeout", otherwise_ms);

	if (terms_read(x->run.request, NULL, terms, e) ||
	    exec_files_read(x, json_get(body, "files"), e))
		return -1;
	*time_ms = clock_earlier(*time_ms, x->run.server->options.timeout_max_ms);
	*time_ms = clock_earlier(*time_ms, asked_ms ? asked_ms : 1);
	return 0;
}

void exec_refuse(struct request *r, const struct err *e)
{
	request_refuse(r, e->kind == ERR_DENIED ? 403 : 400, "%s", e->text);
}

static void exec_reply(struct execution *run)
{
	const struct verdict *v = &run->result.verdict;
	const char *message = exec_result_message(v);
	auto_buf struct buf body = {0};

	json_put_begin(&body, NULL, '{');
	exec_result_put((struct exec *)run, message, &body);
	json_put(&body, "code:%d, signal:null, message:%s, status:%s, wall_time:%lu", v->exit_code,
		 message, v->kind == VERDICT_WALL_TIME ? "TO" : NULL,
		 (unsigned long)(v->duration_us / 1000));
	json_put_end(&body, '}');
	request_reply(run->request, 200, "application/json", &body);
}

void exec_fail(struct execution *run, const struct err *e)
{
	capacity_refuse(run->request, e);
}

void exec_crowd(struct execution *run, uint64_t seconds)
{
	capacity_refuse_place(run->request, seconds);
}

static void exec_release(struct execution *run)
{
	exec_fini((struct exec *)run);
	free(run);
}

static const struct execution_face exec_face = {
	.reply = exec_reply,
	.fail = exec_fail,
	.crowd = exec_crowd,
	.release = exec_release,
};

/* Another language than Python is executed by a program of the image, if it has that. */
static int exec_plan_language(struct exec *x, const char *lang, const char *code)
{
	static const struct {
		const char *name;
		const char *interpreter; /* NULL: Python */
	} known[] = {
		{"py",         NULL     },
                {"python",     NULL     },
                {"bash",       "bash"   },
                {"sh",         "bash"   },
		{"js",         "node"   },
                {"javascript", "node"   },
                {"node",       "node"   },
                {"nodejs",     "node"   },
		{"php",        "php"    },
                {"r",          "Rscript"},
	};

	x->run.code = x->run.script_request.source = code;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcasecmp(known[i].name, lang) != 0)
			continue;
		if (known[i].interpreter)
			other_language_plan(&x->run.script_request, known[i].interpreter, code,
					    &x->args);
		return 0;
	}
	return -1;
}

static int exec_read(struct exec *x, const struct json *body, struct err *e)
{
	const char *lang = json_string_at(body, "lang");
	const char *code = json_string_at(body, "code");

	if (!json_is_object(body) || !lang || !code)
		return err_input(e, NO_CODE);
	if (json_count(json_get(body, "args")) > ARGS_MOST)
		return err_input(e, "args: %d at most", ARGS_MOST);
	if (exec_plan_language(x, lang, code))
		return err_input(e, NO_LANGUAGE, lang);
	return list_from_json(&x->args, body, "args", e) || exec_read_terms(x, body, UINT64_MAX, e)
		       ? -1
		       : 0;
}

void exec_run(struct request *r)
{
	struct exec *x = own_zeroed(1, sizeof(*x));
	struct err e;

	exec_open(x, &exec_face, r);
	if (!exec_read(x, x->run.body.document, &e)) {
		execution_begin(&x->run);
		return;
	}
	exec_refuse(r, &e);
	execution_close(&x->run);
}
