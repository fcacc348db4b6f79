/*
 * call_result - read the result of a call, and write it as JSON.
 */
#include "session/call_result.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/io.h"
#include "base/json_put.h"
#include "base/own.h"
#include "base/process.h"
#include "base/say.h"
#include "sandbox/spawn.h"

/* The getters accept only objects: other values have no members. */
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

const struct json *call_result_next_display(const struct call_result *r, const struct json *before)
{
	return before ? json_next(before) : call_result_list(r->answer, "displays");
}

const char *call_result_display_text(const struct json *display)
{
	const char *text = call_result_text(display, "text/plain");

	return text && *text ? text : NULL;
}

void call_result_displays(const struct call_result *r, call_result_taker *take, void *context)
{
	for (const struct json *n = NULL; (n = call_result_next_display(r, n));) {
		const char *text = call_result_display_text(n);

		if (!text)
			continue;
		take(context, text);
		take(context, "\n");
	}
}

void call_result_output(const struct call_result *r, const struct display_places *places,
			struct buf *out)
{
	const struct json *n = NULL;
	size_t from = 0;

	for (size_t i = 0; (n = call_result_next_display(r, n)); i++) {
		const char *text = call_result_display_text(n);

		if (!text)
			continue;
		from = display_places_copy(places, from, i, out);
		buf_text(out, text);
		buf_text(out, "\n");
	}
	buf_add(out, buf_string(places->text) + from, places->text->length - from);
}

void call_result_traceback(const struct call_result *r, call_result_taker *take, void *context)
{
	const struct json *error = call_result_member(r->answer, "error");
	const char *name = call_result_text(error, "name");
	const char *value = call_result_text(error, "value");
	bool is_empty = true;

	if (!r->has_traceback)
		return;
	for (const struct json *n = call_result_list(error, "traceback"); n; n = json_next(n)) {
		const char *line = json_string(n);

		if (!line || !*line)
			continue;
		take(context, line);
		is_empty = false;
	}
	if (!is_empty)
		return;
	take(context, name ? name : "Exception");
	take(context, value && *value ? ": " : "");
	take(context, value ? value : "");
	take(context, "\n");
}

void call_result_add(void *buf, const char *text)
{
	buf_text(buf, text);
}

void call_result_of_answer(struct buf *answer, struct call_result *out)
{
	const struct json *code;
	const char *status;
	uint64_t number = 1;

	*out = (struct call_result){.text = *answer};
	*answer = (struct buf){0};
	out->answer = json_parse_in_place(out->text.data, out->text.length);
	out->value = call_result_text(call_result_member(out->answer, "value"), "text/plain");
	out->is_cut = json_is_true(call_result_member(out->answer, "truncated"));
	status = call_result_text(out->answer, "status");
	code = call_result_member(out->answer, "exit_code");
	if (status && !strcmp(status, "ok"))
		return;
	out->exit_code = 1;
	out->has_traceback = !status || strcmp(status, "exit") != 0;
	out->verdict = out->has_traceback ? CODE_ERROR : CODE_EXIT;
	if (out->verdict == CODE_EXIT && code && !json_number(code, &number))
		out->exit_code = (int)(number & 0xff);
}

/* The program's wait status as pid 1, our code in the cell, reported it; -1: no report. */
static int call_result_last_status(const struct session *s)
{
	struct child child = child_none();
	int status = -1;
	struct report r;
	int got;

	child.control = s->fds[SESSION_CONTROL];
	while (status < 0 && child_receive(child.control, &r, &got)) {
		own_close(&got);
		if (r.kind == REPORT_EXIT)
			status = r.value;
	}
	return status;
}

/* Without a report of pid 1, it was killed before it could send one. */
static void call_result_read_death(const struct session *s, const struct session_call *call,
				   struct call_result *out)
{
	int status = call_result_last_status(s);

	out->verdict = CODE_CRASHED;
	out->exit_code = 128 + SIGKILL;
	if (call->in_sockets || session_oom_kills(s) > 0) {
		out->verdict = CODE_MEMORY;
		out->in_sockets = call->in_sockets;
	} else if (status >= 0) {
		out->exit_code = process_exit_code(status);
	}
}

void call_result_read(const struct session *session, struct session_call *call,
		      struct call_result *out)
{
	*out = (struct call_result){0};
	if (call->answer.length && !call->lost)
		call_result_of_answer(&call->answer, out);
	else
		call_result_read_death(session, call, out);
	/* Exit codes of timeout(1) and the shell. */
	if (call->timed_out) {
		out->verdict = CODE_TIMEOUT;
		out->exit_code = 124;
	} else if (call->interrupted) {
		out->verdict = CODE_CANCELLED;
		out->exit_code = 130;
	}
}

void call_result_fini(struct call_result *r)
{
	json_free(r->answer);
	buf_fini(&r->text);
	*r = (struct call_result){0};
}

/* Write the members before the output, and those between output and answer. */
static void call_result_put_head(const struct session_call *call, struct buf *text)
{
	json_put_begin(text, NULL, '{');
	json_put_key(text, "duration_ms");
	buf_printf(text, "%.3f", (double)call->duration_us / 1000);
	json_put_bool(text, "timed_out", call->timed_out);
	json_put_bool(text, "interrupted", call->interrupted);
	json_put_bool(text, "truncated", call->truncated[0] || call->truncated[1]);
}

static void call_result_put_middle(const struct display_places *places,
				   const struct call_network *network, const char *lost,
				   struct buf *text)
{
	display_places_put(places, text);
	if (network)
		egress_summary_write(network->is_lost ? NULL : &network->egress, "egress", text);
	if (lost) {
		json_put_text(text, "lost", lost);
		json_put_null(text, "result");
	} else {
		json_put_key(text, "result");
	}
}

static int call_result_write_stream(int fd, const char *key, const struct sink *stream)
{
	const struct buf *bytes = stream->buffer;

	return io_write_all(fd, key, strlen(key)) ||
			       say_json_string(fd, buf_string(bytes), bytes->length)
		       ? -1
		       : 0;
}

int call_result_write(int fd, struct session_call *call, const struct display_places *places,
		      const struct call_network *network, const char *lost)
{
	auto_buf struct buf head = {0};
	auto_buf struct buf middle = {0};

	call_result_put_head(call, &head);
	call_result_put_middle(places, network, lost, &middle);
	if (io_write_all(fd, head.data, head.length) ||
	    call_result_write_stream(fd, ",\"stdout\":", &call->out[0]) ||
	    call_result_write_stream(fd, ",\"stderr\":", &call->out[1]) ||
	    io_write_all(fd, ",", 1) || io_write_all(fd, middle.data, middle.length))
		return -1;
	return (!lost && say_json(fd, &call->answer)) || io_write_all(fd, "}\n", 2) ? -1 : 0;
}
