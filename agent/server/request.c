/*
 * request - the parts of a request that all servers have in common, as JSON.
 */
#include "agent/server/request.h"

#include <string.h>

#include "base/json.h"

static void member(struct buf *out, const char *key, const char *text)
{
	if (!text)
		return;
	buf_printf(out, ",\"%s\":", key);
	buf_json_text(out, text);
}

/* Text that claims to be an object came from a model: it is one when it has been read. */
static void write_object(const char *text, struct buf *out)
{
	struct err ignored;
	auto_json struct json *document = json_parse(text, strlen(text), &ignored);

	if (document && json_is_object(document))
		json_write(document, out);
	else
		buf_text(out, "{}");
}

static void write_calls(const struct chat_message *m, enum request_arguments arguments,
			struct buf *out)
{
	buf_text(out, ",\"tool_calls\":[");
	for (size_t i = 0; i < m->call_count; i++) {
		const struct chat_call *call = &m->calls[i];

		buf_text(out, i ? ",{\"type\":\"function\"" : "{\"type\":\"function\"");
		member(out, "id", call->id);
		buf_text(out, ",\"function\":{\"name\":");
		buf_json_text(out, call->name);
		buf_text(out, ",\"arguments\":");
		if (arguments == REQUEST_STRINGS)
			buf_json_text(out, call->arguments);
		else
			write_object(call->arguments, out);
		buf_text(out, "}}");
	}
	buf_text(out, "]");
}

static void write_message(const struct chat_message *m, enum request_arguments arguments,
			  struct buf *out)
{
	buf_printf(out, "{\"role\":\"%s\"", chat_role_name(m->role));
	member(out, "content", m->content);
	if (arguments == REQUEST_OBJECTS) {
		member(out, "thinking", m->thinking);
		member(out, "tool_name", m->tool_name);
	} else if (m->role == CHAT_TOOL) {
		member(out, "name", m->tool_name);
	}
	member(out, "tool_call_id", m->tool_call_id);
	if (m->role == CHAT_ASSISTANT && m->call_count)
		write_calls(m, arguments, out);
	buf_text(out, "}");
}

void request_messages(const struct chat_request *r, enum request_arguments arguments,
		      struct buf *out)
{
	buf_text(out, "\"messages\":[");
	for (size_t i = 0; i < r->message_count; i++) {
		if (i)
			buf_text(out, ",");
		write_message(&r->messages[i], arguments, out);
	}
	buf_text(out, "]");
}
