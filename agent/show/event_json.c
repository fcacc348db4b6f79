/*
 * event_json - print the events of a task for programs.
 */
#include "agent/show/event_json.h"

#include <stdlib.h>
#include <string.h>

#include "base/encode.h"
#include "base/escape.h"
#include "base/io.h"
#include "base/json_put.h"
#include "base/own.h"

/* -- shared with the transcript -------------------------------------------------------------- */

const char *event_kind_name(enum event_kind kind)
{
	static const char *const names[] = {
		[EVENT_TASK] = "task",         [EVENT_REQUEST] = "request",
		[EVENT_PIECE] = "piece",       [EVENT_REPLY] = "reply",
		[EVENT_PROPOSE] = "propose",   [EVENT_EXECUTE] = "execute",
		[EVENT_BEGIN] = "begin",       [EVENT_OUTPUT] = "output",
		[EVENT_EXECUTED] = "executed", [EVENT_FEEDBACK] = "feedback",
		[EVENT_NOTICE] = "notice",     [EVENT_ANSWER] = "answer",
		[EVENT_RESULT] = "result",
	};

	return names[kind];
}

static const char *event_json_outcome_name(enum outcome outcome)
{
	static const char *const names[] = {
		[OUTCOME_ANSWERED] = "answered", [OUTCOME_CAP] = "cap",
		[OUTCOME_DEADLINE] = "deadline", [OUTCOME_MODEL] = "model",
		[OUTCOME_SANDBOX] = "sandbox",   [OUTCOME_CANCELLED] = "cancelled",
		[OUTCOME_REFUSED] = "refused",
	};

	return names[outcome];
}

static const char *event_json_verdict_name(enum code_verdict verdict)
{
	static const char *const names[] = {
		[CODE_OK] = "ok",
		[CODE_ERROR] = "error",
		[CODE_EXIT] = "exit",
		[CODE_TIMEOUT] = "timeout",
		[CODE_MEMORY] = "memory",
		[CODE_CRASHED] = "crashed",
		[CODE_CANCELLED] = "cancelled",
	};

	return names[verdict];
}

static void event_json_calls(struct buf *out, const struct chat_message *m)
{
	json_put_begin(out, "calls", '[');
	for (size_t i = 0; i < m->call_count; i++) {
		json_put_begin(out, NULL, '{');
		json_put_text(out, "id", m->calls[i].id);
		json_put_text(out, "name", m->calls[i].name);
		json_put_text(out, "arguments", m->calls[i].arguments);
		json_put_end(out, '}');
	}
	json_put_end(out, ']');
}

void event_json_message(struct buf *out, const struct chat_message *m)
{
	json_put_begin(out, NULL, '{');
	json_put_text(out, "role", chat_role_name(m->role));
	json_put_text(out, "content", m->content ? m->content : "");
	if (m->thinking)
		json_put_text(out, "thinking", m->thinking);
	if (m->call_count)
		event_json_calls(out, m);
	if (m->tool_name)
		json_put_text(out, "tool_name", m->tool_name);
	if (m->tool_call_id)
		json_put_text(out, "tool_call_id", m->tool_call_id);
	json_put_end(out, '}');
}

static void event_json_reply_fields(struct buf *out, const struct chat_reply *r)
{
	json_put_text(out, "content", r->message.content ? r->message.content : "");
	json_put_text(out, "thinking", r->message.thinking);
	event_json_calls(out, &r->message);
	json_put_text(out, "model", r->model);
	json_put_text(out, "done_reason", r->done_reason);
	json_put_begin(out, "stats", '{');
	json_put_uint(out, "prompt_tokens", r->stats.prompt_tokens);
	json_put_uint(out, "reply_tokens", r->stats.reply_tokens);
	json_put_uint(out, "load_us", r->stats.load_us);
	json_put_uint(out, "prompt_us", r->stats.prompt_us);
	json_put_uint(out, "reply_us", r->stats.reply_us);
	json_put_uint(out, "total_us", r->stats.total_us);
	json_put_end(out, '}');
}

static void event_json_put_text(struct buf *out, const char *name, const struct event *event)
{
	json_put_bytes(out, name, event->text ? event->text : "", event->text ? event->length : 0);
}

static void event_json_execute_fields(struct buf *out, const struct event *event)
{
	char hash[DIGEST_HEX];

	digest_hex(event->text, event->text ? event->length : 0, hash);
	event_json_put_text(out, "code", event);
	json_put_text(out, "description", event->description);
	json_put_text(out, "code_sha256", hash);
}

static void event_json_file(struct buf *out, const struct execution_file *f)
{
	json_put_begin(out, NULL, '{');
	json_put_name(out, "path", f->path);
	json_put_uint(out, "size", f->size);
	json_put_end(out, '}');
}

static void event_json_executed_fields(struct buf *out, const struct event *event)
{
	const struct execution *x = event->execution;

	json_put_text(out, "verdict", event_json_verdict_name(x->verdict));
	json_put_int(out, "exit_code", x->exit_code);
	json_put_bytes(out, "stdout", x->output[0].data, x->output[0].length);
	json_put_bytes(out, "stderr", x->output[1].data, x->output[1].length);
	json_put_bool(out, "stdout_truncated", x->truncated[0]);
	json_put_bool(out, "stderr_truncated", x->truncated[1]);
	json_put_text(out, "value", x->value);
	json_put_text(out, "traceback", x->traceback);
	json_put_begin(out, "files", '[');
	for (size_t i = 0; i < x->file_count; i++)
		event_json_file(out, &x->files[i]);
	json_put_end(out, ']');
	json_put_bool(out, "files_truncated", x->files_truncated);
	json_put_uint(out, "limit_ms", x->limit_ms);
	json_put_uint(out, "limit_bytes", x->limit_bytes);
	json_put_uint(out, "duration_us", x->duration_us);
	json_put_bool(out, "state_lost", x->state_lost);
	json_put_text(out, "code_sha256", x->code_sha256);
	event_json_put_text(out, "report", event);
}

/* Whether a later execution has a newer state of this file. */
static bool event_json_is_outdated(const struct task_result *r, size_t execution, const char *path)
{
	for (size_t i = execution + 1; i < r->execution_count; i++)
		for (size_t k = 0; k < r->executions[i].file_count; k++)
			if (!strcmp(r->executions[i].files[k].path, path))
				return true;
	return false;
}

static void event_json_result_files(struct buf *out, const struct task_result *r)
{
	bool truncated = false;

	json_put_begin(out, "files", '[');
	for (size_t i = 0; i < r->execution_count; i++) {
		const struct execution *x = &r->executions[i];

		truncated |= x->files_truncated;
		for (size_t k = 0; k < x->file_count; k++) {
			if (!event_json_is_outdated(r, i, x->files[k].path))
				event_json_file(out, &x->files[k]);
		}
	}
	json_put_end(out, ']');
	json_put_bool(out, "files_truncated", truncated);
}

static void event_json_result_executions(struct buf *out, const struct task_result *r)
{
	json_put_begin(out, "executions", '[');
	for (size_t i = 0; i < r->execution_count; i++) {
		const struct execution *x = &r->executions[i];

		json_put_begin(out, NULL, '{');
		json_put_text(out, "verdict", event_json_verdict_name(x->verdict));
		json_put_int(out, "exit_code", x->exit_code);
		json_put_uint(out, "duration_us", x->duration_us);
		json_put_bool(out, "state_lost", x->state_lost);
		json_put_text(out, "code_sha256", x->code_sha256);
		json_put_end(out, '}');
	}
	json_put_end(out, ']');
}

static void event_json_result_fields(struct buf *out, const struct task_result *r)
{
	json_put_text(out, "outcome", event_json_outcome_name(r->outcome));
	json_put_text(out, "answer", r->answer);
	json_put_begin(out, "unknown_numbers", '[');
	for (size_t i = 0; i < r->unknown_number_count; i++)
		json_put_text(out, NULL, r->unknown_numbers[i]);
	json_put_end(out, ']');
	json_put_begin(out, "missing_files", '[');
	for (size_t i = 0; i < r->missing_file_count; i++)
		json_put_text(out, NULL, r->missing_files[i]);
	json_put_end(out, ']');
	json_put_text(out, "error", r->error);
	json_put_uint(out, "iterations_used", r->iterations);
	event_json_result_files(out, r);
	event_json_result_executions(out, r);
	json_put_uint(out, "prompt_tokens", r->prompt_tokens);
	json_put_uint(out, "reply_tokens", r->reply_tokens);
	json_put_uint(out, "model_us", r->model_us);
	json_put_uint(out, "sandbox_us", r->sandbox_us);
	json_put_uint(out, "start_us", r->start_us);
	json_put_uint(out, "person_us", r->person_us);
	json_put_uint(out, "total_us", r->total_us);
}

void event_json_fields(struct buf *out, const struct event *event)
{
	switch (event->kind) {
	case EVENT_PIECE:
	case EVENT_BEGIN:
	case EVENT_OUTPUT:
	case EVENT_REQUEST:
		break;
	case EVENT_REPLY:
		event_json_reply_fields(out, event->reply);
		break;
	case EVENT_PROPOSE:
	case EVENT_EXECUTE:
		event_json_execute_fields(out, event);
		break;
	case EVENT_EXECUTED:
		event_json_executed_fields(out, event);
		break;
	case EVENT_RESULT:
		event_json_result_fields(out, event->result);
		break;
	case EVENT_TASK:
	case EVENT_FEEDBACK:
	case EVENT_NOTICE:
	case EVENT_ANSWER:
		event_json_put_text(out, "text", event);
		break;
	}
}

/* -- lines ----------------------------------------------------------------------------------- */

/* An incomplete character at the end of a piece. */
struct cut {
	char held[4];
	size_t count;
};

struct event_json {
	struct event_sink sink; /* first: a sink is this */
	int fd;
	struct cut cuts[2]; /* by enum chat_piece */
};

static void event_json_begin_line(struct buf *line, const struct event *event)
{
	json_put_begin(line, NULL, '{');
	json_put_text(line, "event", event_kind_name(event->kind));
	json_put_uint(line, "iteration", event->iteration);
	json_put_uint(line, "iterations", event->iterations);
}

static void event_json_write_line(struct event_json *j, struct buf *line)
{
	json_put_end(line, '}');
	buf_text(line, "\n");
	if (!j->sink.error && io_write_all(j->fd, line->data, line->length))
		j->sink.error = errno;
}

static void event_json_request(struct buf *out, const struct chat_request *r)
{
	json_put_text(out, "model", r->model);
	json_put_uint(out, "messages", r->message_count);
	json_put_bool(out, "tools", r->offer_tools);
	json_put_bool(out, "stream", r->stream);
}

static void event_json_piece(struct event_json *j, const struct event *event, const char *text,
			     size_t length)
{
	auto_buf struct buf line = {0};

	if (!length)
		return;
	event_json_begin_line(&line, event);
	json_put_text(&line, "kind", event->piece == CHAT_THINKING ? "thinking" : "content");
	json_put_bytes(&line, "text", text, length);
	event_json_write_line(j, &line);
}

static void event_json_take_piece(struct event_json *j, const struct event *event)
{
	struct cut *cut = &j->cuts[event->piece];
	auto_buf struct buf text = {0};
	size_t whole;

	if (!event->length)
		return;
	buf_add(&text, cut->held, cut->count);
	buf_add(&text, event->text, event->length);
	whole = escape_whole(text.data, text.length);
	cut->count = text.length - whole;
	memcpy(cut->held, text.data + whole, cut->count);
	event_json_piece(j, event, text.data, whole);
}

/* The stream is over: incomplete characters stay incomplete. */
static void event_json_end_pieces(struct event_json *j, const struct event *event)
{
	for (int kind = CHAT_CONTENT; kind <= CHAT_THINKING; kind++) {
		struct event last = *event;

		last.kind = EVENT_PIECE;
		last.piece = (enum chat_piece)kind;
		event_json_piece(j, &last, j->cuts[kind].held, j->cuts[kind].count);
		j->cuts[kind].count = 0;
	}
}

static void event_json_take(struct event_sink *sink, const struct event *event)
{
	struct event_json *j = (struct event_json *)sink;
	auto_buf struct buf line = {0};

	if (event->kind == EVENT_BEGIN || event->kind == EVENT_OUTPUT)
		return; /* EVENT_EXECUTED has the output */
	if (event->kind == EVENT_PIECE) {
		event_json_take_piece(j, event);
		return;
	}
	event_json_begin_line(&line, event);
	if (event->kind == EVENT_REQUEST) {
		memset(j->cuts, 0, sizeof(j->cuts));
		event_json_request(&line, event->request);
	}
	if (event->kind == EVENT_REPLY)
		event_json_end_pieces(j, event);
	event_json_fields(&line, event);
	event_json_write_line(j, &line);
}

struct event_sink *event_json_new(int fd)
{
	struct event_json *j = own_zeroed(1, sizeof(*j));

	j->sink.take = event_json_take;
	j->fd = fd;
	return &j->sink;
}

void event_json_free(struct event_sink *sink)
{
	free(sink);
}
