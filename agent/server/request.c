/*
 * request - the parts of a request that all servers share, as JSON.
 */
#include "agent/server/request.h"

#include <string.h>

#include "base/json.h"
#include "base/json_put.h"

static void request_member(struct buf *out, const char *key, const char *text)
{
	if (text)
		json_put_text(out, key, text);
}

/* Text that claims to be an object came from a model: parse it before writing it as one. */
static void request_write_object(const char *text, struct buf *out)
{
	struct err ignored;
	auto_json struct json *document = json_parse(text, strlen(text), &ignored);

	if (document && json_is_object(document))
		json_write(document, out);
	else
		buf_text(out, "{}");
}

static void request_write_calls(const struct chat_message *m, enum request_arguments arguments,
				struct buf *out)
{
	json_put_begin(out, "tool_calls", '[');
	for (size_t i = 0; i < m->call_count; i++) {
		const struct chat_call *call = &m->calls[i];

		json_put_begin(out, NULL, '{');
		json_put_text(out, "type", "function");
		request_member(out, "id", call->id);
		json_put_begin(out, "function", '{');
		json_put_text(out, "name", call->name);
		json_put_key(out, "arguments");
		if (arguments == REQUEST_STRINGS)
			buf_json_text(out, call->arguments);
		else
			request_write_object(call->arguments, out);
		json_put_end(out, '}');
		json_put_end(out, '}');
	}
	json_put_end(out, ']');
}

static void request_write_message(const struct chat_message *m, enum request_arguments arguments,
				  struct buf *out)
{
	json_put_begin(out, NULL, '{');
	json_put_text(out, "role", chat_role_name(m->role));
	request_member(out, "content", m->content);
	if (arguments == REQUEST_OBJECTS) {
		request_member(out, "thinking", m->thinking);
		request_member(out, "tool_name", m->tool_name);
	} else if (m->role == CHAT_TOOL) {
		request_member(out, "name", m->tool_name);
	}
	request_member(out, "tool_call_id", m->tool_call_id);
	if (m->role == CHAT_ASSISTANT && m->call_count)
		request_write_calls(m, arguments, out);
	json_put_end(out, '}');
}

void request_messages(const struct chat_request *r, enum request_arguments arguments,
		      struct buf *out)
{
	json_put_begin(out, "messages", '[');
	for (size_t i = 0; i < r->message_count; i++)
		request_write_message(&r->messages[i], arguments, out);
	json_put_end(out, ']');
}
