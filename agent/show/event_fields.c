/*
 * event_fields - the JSON members that --json and a transcript have in common.
 */
#include "agent/show/event_fields.h"

#include <inttypes.h>
#include <string.h>

#include "agent/data/sha256.h"

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

static const char *outcome_name(enum outcome outcome)
{
	static const char *const names[] = {
		[OUTCOME_ANSWERED] = "answered", [OUTCOME_CAP] = "cap",
		[OUTCOME_DEADLINE] = "deadline", [OUTCOME_MODEL] = "model",
		[OUTCOME_SANDBOX] = "sandbox",   [OUTCOME_CANCELLED] = "cancelled",
		[OUTCOME_REFUSED] = "refused",
	};

	return names[outcome];
}

static const char *verdict_name(enum execution_verdict verdict)
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

/* ,"key": before a value. */
static void key(struct buf *out, const char *name)
{
	buf_printf(out, ",\"%s\":", name);
}

static void text(struct buf *out, const char *name, const char *value)
{
	key(out, name);
	buf_json_text(out, value);
}

static void number(struct buf *out, const char *name, uint64_t value)
{
	buf_printf(out, ",\"%s\":%" PRIu64, name, value);
}

static void truth(struct buf *out, const char *name, bool value)
{
	buf_printf(out, ",\"%s\":%s", name, value ? "true" : "false");
}

static void calls(struct buf *out, const struct chat_message *m)
{
	key(out, "calls");
	buf_text(out, "[");
	for (size_t i = 0; i < m->call_count; i++) {
		buf_text(out, i ? ",{\"id\":" : "{\"id\":");
		buf_json_text(out, m->calls[i].id);
		text(out, "name", m->calls[i].name);
		text(out, "arguments", m->calls[i].arguments);
		buf_text(out, "}");
	}
	buf_text(out, "]");
}

void event_fields_message(struct buf *out, const struct chat_message *m)
{
	buf_printf(out, "{\"role\":\"%s\"", chat_role_name(m->role));
	text(out, "content", m->content ? m->content : "");
	if (m->thinking)
		text(out, "thinking", m->thinking);
	if (m->call_count)
		calls(out, m);
	if (m->tool_name)
		text(out, "tool_name", m->tool_name);
	if (m->tool_call_id)
		text(out, "tool_call_id", m->tool_call_id);
	buf_text(out, "}");
}

static void reply_fields(struct buf *out, const struct chat_reply *r)
{
	buf_text(out, "\"content\":");
	buf_json_text(out, r->message.content ? r->message.content : "");
	text(out, "thinking", r->message.thinking);
	calls(out, &r->message);
	text(out, "model", r->model);
	text(out, "done_reason", r->done_reason);
	buf_printf(out, ",\"stats\":{\"prompt_tokens\":%" PRIu64, r->stats.prompt_tokens);
	number(out, "reply_tokens", r->stats.reply_tokens);
	number(out, "load_us", r->stats.load_us);
	number(out, "prompt_us", r->stats.prompt_us);
	number(out, "reply_us", r->stats.reply_us);
	number(out, "total_us", r->stats.total_us);
	buf_text(out, "}");
}

static void text_fields(struct buf *out, const struct event *event)
{
	buf_text(out, "\"text\":");
	buf_json_string(out, event->text ? event->text : "", event->text ? event->length : 0);
}

static void execute_fields(struct buf *out, const struct event *event)
{
	char hash[SHA256_HEX];
	size_t length = event->text ? event->length : 0;

	sha256_text(event->text, length, hash);
	buf_text(out, "\"code\":");
	buf_json_string(out, event->text, length);
	text(out, "description", event->description);
	text(out, "code_sha256", hash);
}

static void file(struct buf *out, const struct execution_file *f)
{
	buf_text(out, "{\"path\":");
	buf_json_text(out, f->path);
	number(out, "size", f->size);
	buf_text(out, "}");
}

static void bytes(struct buf *out, const char *name, const struct buf *b)
{
	key(out, name);
	buf_json_string(out, b->data, b->length);
}

static void executed_fields(struct buf *out, const struct event *event)
{
	const struct execution *x = event->execution;

	buf_printf(out, "\"verdict\":\"%s\",\"exit_code\":%d", verdict_name(x->verdict),
		   x->exit_code);
	bytes(out, "stdout", &x->output[0]);
	bytes(out, "stderr", &x->output[1]);
	truth(out, "stdout_truncated", x->truncated[0]);
	truth(out, "stderr_truncated", x->truncated[1]);
	text(out, "value", x->value);
	text(out, "traceback", x->traceback);
	key(out, "files");
	buf_text(out, "[");
	for (size_t i = 0; i < x->file_count; i++) {
		buf_text(out, i ? "," : "");
		file(out, &x->files[i]);
	}
	buf_text(out, "]");
	truth(out, "files_truncated", x->files_truncated);
	number(out, "limit_ms", x->limit_ms);
	number(out, "limit_bytes", x->limit_bytes);
	number(out, "duration_us", x->duration_us);
	truth(out, "state_lost", x->state_lost);
	text(out, "code_sha256", x->code_sha256);
	key(out, "report");
	buf_json_string(out, event->text, event->text ? event->length : 0);
}

/* Is there a later state of this file? */
static bool is_outdated(const struct task_result *r, size_t execution, const char *path)
{
	for (size_t i = execution + 1; i < r->execution_count; i++)
		for (size_t k = 0; k < r->executions[i].file_count; k++)
			if (!strcmp(r->executions[i].files[k].path, path))
				return true;
	return false;
}

static void result_files(struct buf *out, const struct task_result *r)
{
	const char *comma = "";
	bool truncated = false;

	key(out, "files");
	buf_text(out, "[");
	for (size_t i = 0; i < r->execution_count; i++) {
		const struct execution *x = &r->executions[i];

		truncated |= x->files_truncated;
		for (size_t k = 0; k < x->file_count; k++) {
			if (is_outdated(r, i, x->files[k].path))
				continue;
			buf_text(out, comma);
			file(out, &x->files[k]);
			comma = ",";
		}
	}
	buf_text(out, "]");
	truth(out, "files_truncated", truncated);
}

static void result_executions(struct buf *out, const struct task_result *r)
{
	key(out, "executions");
	buf_text(out, "[");
	for (size_t i = 0; i < r->execution_count; i++) {
		const struct execution *x = &r->executions[i];

		buf_printf(out, "%s{\"verdict\":\"%s\",\"exit_code\":%d", i ? "," : "",
			   verdict_name(x->verdict), x->exit_code);
		number(out, "duration_us", x->duration_us);
		truth(out, "state_lost", x->state_lost);
		text(out, "code_sha256", x->code_sha256);
		buf_text(out, "}");
	}
	buf_text(out, "]");
}

static void result_fields(struct buf *out, const struct task_result *r)
{
	buf_printf(out, "\"outcome\":\"%s\"", outcome_name(r->outcome));
	text(out, "answer", r->answer);
	text(out, "error", r->error);
	number(out, "iterations_used", r->iterations);
	result_files(out, r);
	result_executions(out, r);
	number(out, "prompt_tokens", r->prompt_tokens);
	number(out, "reply_tokens", r->reply_tokens);
	number(out, "model_us", r->model_us);
	number(out, "sandbox_us", r->sandbox_us);
	number(out, "total_us", r->total_us);
}

void event_fields(struct buf *out, const struct event *event)
{
	switch (event->kind) {
	case EVENT_PIECE:
	case EVENT_REQUEST:
		break;
	case EVENT_REPLY:
		reply_fields(out, event->reply);
		break;
	case EVENT_EXECUTE:
		execute_fields(out, event);
		break;
	case EVENT_EXECUTED:
		executed_fields(out, event);
		break;
	case EVENT_RESULT:
		result_fields(out, event->result);
		break;
	case EVENT_TASK:
	case EVENT_FEEDBACK:
	case EVENT_NOTICE:
	case EVENT_ANSWER:
		text_fields(out, event);
		break;
	}
}
