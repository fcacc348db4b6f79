/*
 * event_fields - the JSON members that --json and a transcript share.
 */
#include "agent/show/event_fields.h"

#include <string.h>

#include "agent/data/encode.h"
#include "base/json_put.h"

const char *event_kind_name(enum event_kind kind)
{
	static const char *const names[] = {
		[EVENT_TASK] = "task",         [EVENT_REQUEST] = "request",
		[EVENT_PIECE] = "piece",       [EVENT_REPLY] = "reply",
		[EVENT_EXECUTE] = "execute",   [EVENT_EXECUTED] = "executed",
		[EVENT_FEEDBACK] = "feedback", [EVENT_NOTICE] = "notice",
		[EVENT_ANSWER] = "answer",     [EVENT_RESULT] = "result",
	};

	return names[kind];
}

static const char *event_fields_outcome_name(enum outcome outcome)
{
	static const char *const names[] = {
		[OUTCOME_ANSWERED] = "answered", [OUTCOME_CAP] = "cap",
		[OUTCOME_DEADLINE] = "deadline", [OUTCOME_MODEL] = "model",
		[OUTCOME_SANDBOX] = "sandbox",   [OUTCOME_CANCELLED] = "cancelled",
		[OUTCOME_REFUSED] = "refused",
	};

	return names[outcome];
}

static const char *event_fields_verdict_name(enum execution_verdict verdict)
{
	static const char *const names[] = {
		[EXECUTION_OK] = "ok",
		[EXECUTION_ERROR] = "error",
		[EXECUTION_EXIT] = "exit",
		[EXECUTION_TIMEOUT] = "timeout",
		[EXECUTION_MEMORY] = "memory",
		[EXECUTION_CRASHED] = "crashed",
		[EXECUTION_CANCELLED] = "cancelled",
	};

	return names[verdict];
}

static void event_fields_calls(struct buf *out, const struct chat_message *m)
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

void event_fields_message(struct buf *out, const struct chat_message *m)
{
	json_put_begin(out, NULL, '{');
	json_put_text(out, "role", chat_role_name(m->role));
	json_put_text(out, "content", m->content ? m->content : "");
	if (m->thinking)
		json_put_text(out, "thinking", m->thinking);
	if (m->call_count)
		event_fields_calls(out, m);
	if (m->tool_name)
		json_put_text(out, "tool_name", m->tool_name);
	if (m->tool_call_id)
		json_put_text(out, "tool_call_id", m->tool_call_id);
	json_put_end(out, '}');
}

static void event_fields_reply_fields(struct buf *out, const struct chat_reply *r)
{
	json_put_text(out, "content", r->message.content ? r->message.content : "");
	json_put_text(out, "thinking", r->message.thinking);
	event_fields_calls(out, &r->message);
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

static void event_fields_put_text(struct buf *out, const char *name, const struct event *event)
{
	json_put_bytes(out, name, event->text ? event->text : "", event->text ? event->length : 0);
}

static void event_fields_execute_fields(struct buf *out, const struct event *event)
{
	char hash[DIGEST_HEX];

	digest_hex(event->text, event->text ? event->length : 0, hash);
	event_fields_put_text(out, "code", event);
	json_put_text(out, "description", event->description);
	json_put_text(out, "code_sha256", hash);
}

static void event_fields_file(struct buf *out, const struct execution_file *f)
{
	json_put_begin(out, NULL, '{');
	json_put_text(out, "path", f->path);
	json_put_uint(out, "size", f->size);
	json_put_end(out, '}');
}

static void event_fields_executed_fields(struct buf *out, const struct event *event)
{
	const struct execution *x = event->execution;

	json_put_text(out, "verdict", event_fields_verdict_name(x->verdict));
	json_put_int(out, "exit_code", x->exit_code);
	json_put_bytes(out, "stdout", x->output[0].data, x->output[0].length);
	json_put_bytes(out, "stderr", x->output[1].data, x->output[1].length);
	json_put_bool(out, "stdout_truncated", x->truncated[0]);
	json_put_bool(out, "stderr_truncated", x->truncated[1]);
	json_put_text(out, "value", x->value);
	json_put_text(out, "traceback", x->traceback);
	json_put_begin(out, "files", '[');
	for (size_t i = 0; i < x->file_count; i++)
		event_fields_file(out, &x->files[i]);
	json_put_end(out, ']');
	json_put_bool(out, "files_truncated", x->files_truncated);
	json_put_uint(out, "limit_ms", x->limit_ms);
	json_put_uint(out, "limit_bytes", x->limit_bytes);
	json_put_uint(out, "duration_us", x->duration_us);
	json_put_bool(out, "state_lost", x->state_lost);
	json_put_text(out, "code_sha256", x->code_sha256);
	event_fields_put_text(out, "report", event);
}

/* Is there a later state of this file? */
static bool event_fields_is_outdated(const struct task_result *r, size_t execution,
				     const char *path)
{
	for (size_t i = execution + 1; i < r->execution_count; i++)
		for (size_t k = 0; k < r->executions[i].file_count; k++)
			if (!strcmp(r->executions[i].files[k].path, path))
				return true;
	return false;
}

static void event_fields_result_files(struct buf *out, const struct task_result *r)
{
	bool truncated = false;

	json_put_begin(out, "files", '[');
	for (size_t i = 0; i < r->execution_count; i++) {
		const struct execution *x = &r->executions[i];

		truncated |= x->files_truncated;
		for (size_t k = 0; k < x->file_count; k++) {
			if (!event_fields_is_outdated(r, i, x->files[k].path))
				event_fields_file(out, &x->files[k]);
		}
	}
	json_put_end(out, ']');
	json_put_bool(out, "files_truncated", truncated);
}

static void event_fields_result_executions(struct buf *out, const struct task_result *r)
{
	json_put_begin(out, "executions", '[');
	for (size_t i = 0; i < r->execution_count; i++) {
		const struct execution *x = &r->executions[i];

		json_put_begin(out, NULL, '{');
		json_put_text(out, "verdict", event_fields_verdict_name(x->verdict));
		json_put_int(out, "exit_code", x->exit_code);
		json_put_uint(out, "duration_us", x->duration_us);
		json_put_bool(out, "state_lost", x->state_lost);
		json_put_text(out, "code_sha256", x->code_sha256);
		json_put_end(out, '}');
	}
	json_put_end(out, ']');
}

static void event_fields_result_fields(struct buf *out, const struct task_result *r)
{
	json_put_text(out, "outcome", event_fields_outcome_name(r->outcome));
	json_put_text(out, "answer", r->answer);
	json_put_text(out, "error", r->error);
	json_put_uint(out, "iterations_used", r->iterations);
	event_fields_result_files(out, r);
	event_fields_result_executions(out, r);
	json_put_uint(out, "prompt_tokens", r->prompt_tokens);
	json_put_uint(out, "reply_tokens", r->reply_tokens);
	json_put_uint(out, "model_us", r->model_us);
	json_put_uint(out, "sandbox_us", r->sandbox_us);
	json_put_uint(out, "total_us", r->total_us);
}

void event_fields(struct buf *out, const struct event *event)
{
	switch (event->kind) {
	case EVENT_PIECE:
	case EVENT_REQUEST:
		break;
	case EVENT_REPLY:
		event_fields_reply_fields(out, event->reply);
		break;
	case EVENT_EXECUTE:
		event_fields_execute_fields(out, event);
		break;
	case EVENT_EXECUTED:
		event_fields_executed_fields(out, event);
		break;
	case EVENT_RESULT:
		event_fields_result_fields(out, event->result);
		break;
	case EVENT_TASK:
	case EVENT_FEEDBACK:
	case EVENT_NOTICE:
	case EVENT_ANSWER:
		event_fields_put_text(out, "text", event);
		break;
	}
}
