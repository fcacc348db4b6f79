/*
 * execs - the routes of execs.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json_put.h"
#include "base/own.h"
#include "engine/answer.h"
#include "engine/exec_record.h"
#include "engine/routes.h"
#include "engine/streaming.h"

/* -- create ---------------------------------------------------------------------------------- */

static bool execs_are_texts(const struct json *list)
{
	bool texts = !list || json_is_array(list);

	for (const struct json *w = list ? json_first(list) : NULL; w; w = json_next(w))
		texts &= json_string(w) != NULL;
	return texts;
}

void execs_create(struct request *r)
{
	auto_record struct record found = {.dir = -1};
	auto_json struct json *body = answer_body(r);
	const struct json *words = body ? answer_member(body, "Cmd") : NULL;
	char id[EXEC_ID] = "";
	struct buf reply = {0};
	struct err e;

	if (!body || !answer_find(r, &found))
		return;
	if (!words || !json_is_array(words) || !json_count(words)) {
		request_refuse(r, 400, "No exec command specified");
		return;
	}
	if (!execs_are_texts(words) || !execs_are_texts(answer_member(body, "Env"))) {
		request_refuse(r, 400, "Cmd and Env must be lists of strings");
		return;
	}
	if (!record_runs(&found) || record_stands_still(&found)) {
		request_refuse(r, 409, "container %s is %s", found.id,
			       record_runs(&found) ? "paused, unpause the container before exec"
						   : "not running");
		return;
	}
	if (exec_record_make(&found, body, id, &e)) {
		answer_error(r, &e);
		return;
	}
	json_put(&reply, "{Id:%s}", id);
	answer_json(r, 201, &reply);
}

/* -- start ----------------------------------------------------------------------------------- */

static void execs_words(const struct exec_record *x, bool detach, struct list *words)
{
	const struct json *variables = answer_member(x->what, "Env");
	const struct json *what = x->what;
	const char *directory = answer_member_text(what, "WorkingDir");
	const char *user = answer_member_text(what, "User");

	list_add(words, "exec");
	if (detach)
		reply_words(words, "--detach", "--keep", "--output-limit=4096");
	if (answer_member_is_true(what, "AttachStdin") && !detach)
		list_add(words, "--interactive");
	if (answer_member_is_true(what, "Tty"))
		list_add(words, "--tty");
	if (answer_member_is_true(what, "Privileged"))
		list_add(words, "--privileged");
	if (*directory)
		list_addf(words, "--workdir=%s", directory);
	if (*user)
		list_addf(words, "--user=%s", user);
	/* A bare KEY is left out: on the command line it would be copied from this process. */
	for (const struct json *v = variables ? json_first(variables) : NULL; v; v = json_next(v)) {
		if (strchr(json_string(v), '='))
			list_addf(words, "--env=%s", json_string(v));
	}
	list_add(words, x->container.id);
	for (const struct json *w = json_first(answer_member(what, "Cmd")); w; w = json_next(w))
		list_add(words, json_string(w));
}

struct execs_run {
	struct exec_record record;
	int lock;    /* owned */
	bool framed; /* its stream */
};

static struct execs_run *execs_run_new(struct exec_record *x, int lock)
{
	struct execs_run *run = own_zeroed(1, sizeof(*run));

	run->record = *x;
	run->lock = lock;
	*x = (struct exec_record){.container.dir = -1};
	return run;
}

static void execs_run_free(void *context)
{
	struct execs_run *run = context;

	exec_record_fini(&run->record);
	own_close(&run->lock);
	free(run);
}

/* A program that is not there is told of in the stream itself, and by the exit code. */
static void execs_ended(struct request *r, const struct verb_result *result, void *context)
{
	struct execs_run *run = context;
	const struct err *e = &result->error;
	const bool missing = e->kind == ERR_NOT_FOUND || e->kind == ERR_DENIED;
	char text[sizeof(e->text) + 100];
	auto_free char *line = NULL;

	exec_record_end(&run->record, result->status, 0);
	if (e->kind != ERR_NONE && r) {
		line = own_printf("%s%s\r\n",
				  missing ? "OCI runtime exec failed: exec failed: " : "",
				  err_string(e, text, sizeof(text)));
		streaming_send(r, run->framed, 1, line, strlen(line));
	}
}

/* `exec --keep` prints NAME/NUMBER. */
static void execs_detached(struct request *r, const struct verb_result *result, void *data)
{
	struct execs_run *run = data;
	const char *slash = strrchr(buf_string(&result->output[0]), '/');

	exec_record_end(&run->record, 0, slash ? strtoull(slash + 1, NULL, 10) : 0);
	answer_nothing(r, 200);
}

static bool execs_refuse(struct request *r, const struct err *e, void *data)
{
	struct execs_run *run = data;

	exec_record_end(&run->record, e->kind == ERR_NOT_FOUND ? 127 : 126, 0);
	return reply_lacks_program(r, e, data);
}

/* ConsoleSize is [height, width]. */
static uint16_t execs_size(const struct json *body, unsigned which)
{
	const struct json *size = answer_member(body, "ConsoleSize");
	const struct json *n = size ? json_first(size) : NULL;
	uint64_t value = 0;

	if (n && which)
		n = json_next(n);
	return n && !json_number(n, &value) && value <= UINT16_MAX ? (uint16_t)value : 0;
}

/* Whether there are frames is said at the start, apart from whether there is a terminal. */
static void execs_stream(struct request *r, const struct json *body, struct exec_record *x,
			 int lock, struct list *words)
{
	const struct json *what = x->what;
	const bool tty = answer_member_is_true(what, "Tty");
	struct execs_run *run;
	struct streaming_wish wish = {.framed = !answer_member_is_true(body, "Tty"),
				      .out = answer_member_is_true(what, "AttachStdout"),
				      .errors = answer_member_is_true(what, "AttachStderr"),
				      .input = answer_member_is_true(what, "AttachStdin"),
				      .upgrades = true,
				      .terminal = tty,
				      .rows = execs_size(body, 0),
				      .columns = execs_size(body, 1),
				      .ended = execs_ended,
				      .drop = execs_run_free};

	memcpy(wish.key, x->id, sizeof(wish.key));
	run = execs_run_new(x, lock);
	run->framed = wish.framed;
	wish.context = run;
	streaming_run(r, words, &wish);
}

void execs_start(struct request *r)
{
	auto_exec_record struct exec_record x = {.container.dir = -1};
	auto_json struct json *body = answer_body(r);
	auto_list struct list words = {0};
	const bool detach = body && answer_member_is_true(body, "Detach");
	struct err e;
	int lock = -1;

	if (!body)
		return;
	if (exec_record_find(r->segments[0], &x, &e) || exec_record_begin(&x, &lock, &e)) {
		answer_error(r, &e);
		return;
	}
	execs_words(&x, detach, &words);
	if (!detach) {
		execs_stream(r, body, &x, lock, &words);
		return;
	}
	reply_run(r, &words, -1, execs_detached, execs_run_new(&x, lock), execs_run_free);
	reply_refuses(r, execs_refuse);
}

/* -- inspect --------------------------------------------------------------------------------- */

static void execs_put(const struct exec_record *x, struct buf *out)
{
	const struct json *what = x->what;
	const struct json *words = answer_member(what, "Cmd");
	const struct json *first = words ? json_first(words) : NULL;

	json_put(out, "{ID:%s, Running:%i", x->id, x->runs);
	x->has_ended ? json_put_int(out, "ExitCode", x->exit_code) : json_put_null(out, "ExitCode");
	json_put(out, "ProcessConfig:{privileged:false, tty:%i, entrypoint:%s, arguments:[",
		 answer_member_is_true(what, "Tty"), first ? json_string(first) : "");
	for (const struct json *w = first ? json_next(first) : NULL; w; w = json_next(w))
		json_put_text(out, NULL, json_string(w));
	json_put(out,
		 "]}, OpenStdin:%i, OpenStderr:%i, OpenStdout:%i, CanRemove:%i, ContainerID:%s, "
		 "DetachKeys:'', Pid:0}",
		 answer_member_is_true(what, "AttachStdin"),
		 answer_member_is_true(what, "AttachStderr"),
		 answer_member_is_true(what, "AttachStdout"), x->has_ended, x->container.id);
}

/* The monitor knows how a program in the background is: `inspect` lists them. */
static void execs_judge(struct request *r, const struct verb_result *result, void *data)
{
	struct execs_run *run = data;
	struct exec_record *x = &run->record;
	struct err ignored;
	auto_json struct json *all =
		json_parse(result->output[0].data, result->output[0].length, &ignored);
	const struct json *one = all ? json_first(all) : NULL;
	const struct json *programs = one ? json_get(one, "Programs") : NULL;
	struct buf body = {0};

	x->has_ended = true;
	for (const struct json *p = programs ? json_first(programs) : NULL; p; p = json_next(p)) {
		if (json_uint_at(p, "Number", 0) != x->number)
			continue;
		x->runs = !strcmp(json_text_at(p, "Status"), "running");
		x->has_ended = !x->runs;
		x->exit_code = (int)json_uint_at(p, "ExitCode", 0);
	}
	execs_put(x, &body);
	answer_json(r, 200, &body);
}

void execs_inspect(struct request *r)
{
	auto_exec_record struct exec_record x = {.container.dir = -1};
	auto_list struct list words = {0};
	struct buf body = {0};
	struct err e;

	if (exec_record_find(r->segments[0], &x, &e)) {
		answer_error(r, &e);
		return;
	}
	if (x.number && record_runs(&x.container)) {
		reply_words(&words, "inspect", "--type=container", x.container.id);
		reply_run(r, &words, -1, execs_judge, execs_run_new(&x, -1), execs_run_free);
		return;
	}
	x.has_ended |= x.number;
	execs_put(&x, &body);
	answer_json(r, 200, &body);
}

void execs_resize(struct request *r)
{
	auto_exec_record struct exec_record x = {.container.dir = -1};
	struct err e;

	if (exec_record_find(r->segments[0], &x, &e))
		answer_error(r, &e);
	else
		streaming_resize(r, x.id);
}
