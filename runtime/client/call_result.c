/*
 * call_result - the result of a call: typed, and as JSON.
 */
#include "client/call_result.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/io.h"
#include "base/json_put.h"
#include "base/own.h"
#include "base/process.h"
#include "base/say.h"
#include "host/spawn.h"

/* The getters accept only objects: anything else has no members. */
static const struct json *call_result_member(const struct json *node, const char *key)
{
	return node && json_is_object(node) ? json_get(node, key) : NULL;
}

static const char *call_result_text(const struct json *node, const char *key)
{
	const struct json *text = call_result_member(node, key);

	return text ? json_string(text) : NULL;
}

static const struct json *call_result_list(const struct json *node, const char *key)
{
	const struct json *list = call_result_member(node, key);

	return list && json_is_array(list) ? json_first(list) : NULL;
}

static void call_result_read_displays(struct call_result *r)
{
	for (const struct json *n = call_result_list(r->answer, "displays"); n; n = json_next(n)) {
		const char *text = call_result_text(n, "text/plain");

		if (!text || !*text)
			continue;
		buf_text(&r->displays, text);
		buf_text(&r->displays, "\n");
	}
}

static void call_result_read_error(const struct json *error, struct call_result *r)
{
	const char *name = call_result_text(error, "name");
	const char *value = call_result_text(error, "value");
	auto_buf struct buf text = {0};

	for (const struct json *n = call_result_list(error, "traceback"); n; n = json_next(n))
		buf_text(&text, json_string(n) ? json_string(n) : "");
	if (!text.length) {
		buf_text(&text, name ? name : "Exception");
		buf_text(&text, value && *value ? ": " : "");
		buf_text(&text, value ? value : "");
		buf_text(&text, "\n");
	}
	r->verdict = CALL_ERROR;
	r->exit_code = 1;
	r->traceback = buf_take(&text);
}

void call_result_of_answer(struct json *answer, struct call_result *out)
{
	const char *status = call_result_text(answer, "status");
	const char *value = call_result_text(call_result_member(answer, "value"), "text/plain");
	const struct json *code = call_result_member(answer, "exit_code");
	uint64_t number = 1;

	*out = (struct call_result){.answer = answer,
				    .value = own_strdup(value),
				    .is_cut =
					    json_is_true(call_result_member(answer, "truncated"))};
	call_result_read_displays(out);
	if (status && !strcmp(status, "ok"))
		return;
	if (!status || strcmp(status, "exit") != 0) {
		call_result_read_error(call_result_member(answer, "error"), out);
		return;
	}
	out->verdict = CALL_EXIT;
	out->exit_code = code && !json_number(code, &number) ? (int)(number & 0xff) : 1;
}

/* What pid 1 of the cell, which is ours, has reported about the program's end; -1: nothing. */
static int call_result_last_status(const struct session *s)
{
	struct child child = child_none();
	int status = -1;
	struct report r;
	int got;

	child.control = s->fds[SESSION_CONTROL];
	while (status < 0 && child_receive(&child, &r, &got)) {
		own_close(&got);
		if (r.kind == REPORT_EXIT)
			status = r.value;
	}
	return status;
}

/* If pid 1 has reported nothing, it was killed before it could. */
static void call_result_read_death(const struct session *s, const struct session_call *call,
				   struct call_result *out)
{
	int status = call_result_last_status(s);

	out->verdict = CALL_CRASHED;
	out->exit_code = 128 + SIGKILL;
	if (call->in_sockets || session_oom_kills(s) > 0) {
		out->verdict = CALL_MEMORY;
		out->in_sockets = call->in_sockets;
	} else if (status >= 0) {
		out->exit_code = process_exit_code(status);
	}
}

void call_result_read(const struct session *session, const struct session_call *call,
		      struct call_result *out)
{
	struct err e;
	struct json *answer =
		call->lost ? NULL : json_parse(buf_string(&call->answer), call->answer.length, &e);

	*out = (struct call_result){0};
	if (answer)
		call_result_of_answer(answer, out);
	else
		call_result_read_death(session, call, out);
	/* Exit codes as timeout(1) and the shell have them. */
	if (call->timed_out) {
		out->verdict = CALL_TIMEOUT;
		out->exit_code = 124;
	} else if (call->interrupted) {
		out->verdict = CALL_CANCELLED;
		out->exit_code = 130;
	}
}

void call_result_fini(struct call_result *r)
{
	buf_fini(&r->displays);
	free(r->value);
	free(r->traceback);
	json_free(r->answer);
	*r = (struct call_result){0};
}

int call_result_write(int fd, struct session_call *call, const struct call_network *network,
		      const char *lost)
{
	auto_buf struct buf text = {0};

	json_put_begin(&text, NULL, '{');
	json_put_key(&text, "duration_ms");
	buf_printf(&text, "%.3f", (double)call->duration_us / 1000);
	json_put_bool(&text, "timed_out", call->timed_out);
	json_put_bool(&text, "interrupted", call->interrupted);
	json_put_bool(&text, "truncated", call->truncated[0] || call->truncated[1]);
	json_put_bytes(&text, "stdout", call->out[0].buffer->data, call->out[0].buffer->length);
	json_put_bytes(&text, "stderr", call->out[1].buffer->data, call->out[1].buffer->length);
	if (network)
		egress_summary_write(network->is_lost ? NULL : &network->egress, "egress", &text);
	if (lost) {
		json_put_text(&text, "lost", lost);
		json_put_null(&text, "result");
		buf_fini(&call->answer);
	} else {
		json_put_key(&text, "result");
	}
	return io_write_all(fd, text.data, text.length) || say_json(fd, &call->answer) ||
			       io_write_all(fd, "}\n", 2)
		       ? -1
		       : 0;
}
