/*
 * fold - assemble the pieces of a reply into one struct chat_reply.
 */
#include "agent/server/fold.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_escape.h"
#include "base/json_put.h"
#include "base/own.h"

static char *fold_copy_utf8(const char *text)
{
	struct buf made = {0};

	buf_utf8(&made, text, strlen(text));
	return buf_take(&made);
}

void fold_fini(struct fold *f)
{
	buf_fini(&f->text[CHAT_CONTENT]);
	buf_fini(&f->text[CHAT_THINKING]);
	for (size_t i = 0; i < f->call_count; i++) {
		free(f->calls[i].id);
		free(f->calls[i].name);
		buf_fini(&f->calls[i].arguments);
	}
	free(f->model);
}

void fold_restart(struct fold *f)
{
	const struct chat_sink *sink = f->sink;

	fold_fini(f);
	*f = (struct fold){.sink = sink};
}

int fold_piece(struct fold *f, enum chat_piece kind, const char *text, struct err *e)
{
	struct buf *b = &f->text[kind];
	size_t before = b->length;

	if (!text || !*text || f->closed)
		return 0;
	buf_utf8(b, text, strlen(text));
	if (b->length > FOLD_TEXT_MAX)
		return err_input(e, "a reply of more than %zu bytes", FOLD_TEXT_MAX);
	f->any = true;
	if (f->sink)
		f->sink->piece(f->sink->context, kind, b->data + before, b->length - before);
	return 0;
}

int fold_call(struct fold *f, size_t index, const char *id, const char *name,
	      const struct json *arguments, struct err *e)
{
	struct fold_call *call;

	if (index >= FOLD_CALLS_MAX)
		return err_input(e, "more than %d tool calls in a reply", FOLD_CALLS_MAX);
	if (f->closed)
		return 0;
	f->any = true;
	while (f->call_count <= index)
		f->calls[f->call_count++] = (struct fold_call){0};
	call = &f->calls[index];
	if (id && *id && !call->id)
		call->id = fold_copy_utf8(id);
	if (name && *name && !call->name)
		call->name = fold_copy_utf8(name);
	if (arguments && json_string(arguments))
		buf_utf8(&call->arguments, json_string(arguments), strlen(json_string(arguments)));
	else if (arguments)
		json_write(arguments, &call->arguments);
	if (call->arguments.length > FOLD_TEXT_MAX)
		return err_input(e, "a tool call of more than %zu bytes", FOLD_TEXT_MAX);
	return 0;
}

/*
 * Find the call of a fragment. Some servers number all calls 0, or none: a new id at a used number
 * begins a new call.
 */
static size_t fold_call_of(const struct fold *f, const struct json *fragment, bool in_parts)
{
	size_t last = f->call_count ? f->call_count - 1 : 0;
	size_t index = json_uint_at(fragment, "index", in_parts ? last : f->call_count);
	const char *id = json_string_at(fragment, "id");

	if (!in_parts)
		return f->call_count;
	if (index < f->call_count && id && *id && f->calls[index].id &&
	    strcmp(f->calls[index].id, id) != 0)
		return f->call_count;
	return index;
}

int fold_message(struct fold *f, const struct json *message, const char *thinking, bool in_parts,
		 struct err *e)
{
	if (fold_piece(f, CHAT_THINKING, thinking, e) ||
	    fold_piece(f, CHAT_CONTENT, json_string_at(message, "content"), e))
		return -1;
	for (const struct json *n = json_first(json_get(message, "tool_calls")); n;
	     n = json_next(n)) {
		const struct json *function = json_get(n, "function");

		if (fold_call(f, fold_call_of(f, n, in_parts), json_string_at(n, "id"),
			      json_string_at(function, "name"), json_get(function, "arguments"), e))
			return -1;
	}
	return 0;
}

uint64_t fold_size(const struct fold *f)
{
	uint64_t size = f->text[CHAT_CONTENT].length + f->text[CHAT_THINKING].length;

	for (size_t i = 0; i < f->call_count; i++)
		size += 1 + f->calls[i].arguments.length;
	return size + (f->done_reason[0] != '\0');
}

void fold_model(struct fold *f, const char *model)
{
	if (model && !f->model)
		f->model = fold_copy_utf8(model);
}

void fold_reason(struct fold *f, const char *reason)
{
	if (!reason)
		return;
	snprintf(f->done_reason, sizeof(f->done_reason), "%s", reason);
	for (char *p = f->done_reason; *p; p++)
		if (*p <= ' ' || *p >= 0x7f)
			*p = '?';
}

/*
 * Turn arguments into an object. Servers send an object, or a text with one. Small models write
 * other text when they mean the code itself; an incomplete object is useless.
 */
static char *fold_as_object(struct buf *arguments)
{
	struct buf object = {0};
	struct err ignored;
	auto_buf struct buf text = *arguments;
	auto_json struct json *document = NULL;

	*arguments = (struct buf){0};
	if (text.length) {
		json_repair(text.data, text.length);
		document = json_parse(text.data, text.length, &ignored);
	}
	if (document && json_is_object(document)) {
		json_write(document, &object);
	} else if (text.length && text.data[strspn(text.data, " \t\r\n")] != '{') {
		const char *quoted = document ? json_string(document) : NULL;

		json_put_begin(&object, NULL, '{');
		json_put_text(&object, "code", quoted ? quoted : text.data);
		json_put_end(&object, '}');
	} else {
		buf_text(&object, "{}");
	}
	return buf_take(&object);
}

static void fold_end_calls(struct fold *f, struct chat_message *out)
{
	out->calls = own_zeroed(f->call_count + 1, sizeof(*out->calls));
	for (size_t i = 0; i < f->call_count; i++) {
		struct fold_call *call = &f->calls[i];

		if (!call->name) { /* a number without a call */
			free(call->id);
			buf_fini(&call->arguments);
			continue;
		}
		out->calls[out->call_count++] = (struct chat_call){
			.id = call->id,
			.name = call->name,
			.arguments = fold_as_object(&call->arguments),
		};
	}
	f->call_count = 0;
}

void fold_end(struct fold *f, struct chat_reply *out)
{
	struct chat_message *m = &out->message;

	*m = (struct chat_message){.role = CHAT_ASSISTANT};
	m->content = buf_take(&f->text[CHAT_CONTENT]);
	if (f->text[CHAT_THINKING].length)
		m->thinking = buf_take(&f->text[CHAT_THINKING]);
	fold_end_calls(f, m);
	out->model = take_ptr(&f->model);
	memcpy(out->done_reason, f->done_reason, sizeof(out->done_reason));
}
