/*
 * conversation_file - save and load a conversation: /save and /load.
 */
#include "agent/conversation_file.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "agent/show/event_json.h"
#include "base/io.h"
#include "base/json.h"
#include "base/json_put.h"
#include "base/own.h"
#include "fs/replaced_file.h"
#include "fs/trusted_path.h"

#define FILE_BYTES (64u << 20)
#define MARK       "glovebox_conversation"

static bool conversation_file_is_notebooks(const char *path)
{
	const char *suffix = strrchr(path, '.');

	return suffix && !strcmp(suffix, ".ipynb");
}

/* Whether /save may overwrite this notebook: only one of its own. */
static bool conversation_file_is_notebook(const struct json *document, const char *path)
{
	const struct json *metadata = json_get(document, "metadata");

	return conversation_file_is_notebooks(path) && metadata && json_get(metadata, MARK);
}

static int conversation_file_read(const char *path, struct json **out, struct err *e)
{
	auto_fd int fd = trusted_path_read(path, e);
	auto_buf struct buf text = {0};

	if (fd < 0 || io_read_fd(fd, path, FILE_BYTES, &text, e))
		return -1;
	*out = json_parse(buf_string(&text), text.length, e);
	if (*out && (json_get(*out, MARK) || conversation_file_is_notebook(*out, path)))
		return 0;
	json_free(*out);
	*out = NULL;
	return err_input(e, "%.300s is not a conversation that /save has written", path);
}

/* Refuse to overwrite a file that /save has not written. */
static int conversation_file_check(const char *path, struct err *e)
{
	auto_json struct json *found = NULL;

	if (!conversation_file_read(path, &found, e))
		return 0;
	return e->kind == ERR_SYSTEM && e->number == ENOENT ? 0 : -1;
}

static void conversation_file_put(const struct conversation *c, const struct cells *cells,
				  const char *model, struct buf *out)
{
	json_put_begin(out, NULL, '{');
	json_put_uint(out, MARK, 1);
	json_put_text(out, "model", model);
	json_put_begin(out, "messages", '[');
	for (size_t i = 0; i < c->count; i++)
		event_json_message(out, &c->messages[i]);
	json_put_end(out, ']');
	cells_put(cells, out);
	json_put_end(out, '}');
	buf_text(out, "\n");
}

int conversation_file_save(const struct conversation *c, const struct cells *cells,
			   const char *model, const char *path, struct err *e)
{
	auto_buf struct buf text = {0};
	struct replaced_file file;
	bool bad;

	if (conversation_file_is_notebooks(path))
		cells_put_notebook(cells, MARK, &text);
	else
		conversation_file_put(c, cells, model, &text);
	if (conversation_file_check(path, e) ||
	    replaced_file_open(&file, written_path(path), LINKS_OF_SYSTEM, 0600, e))
		return -1;
	bad = io_write_all(file.fd, text.data, text.length);
	if (bad)
		err_sys(e, "write %.300s", path);
	if (!replaced_file_end(&file, !bad))
		return bad ? -1 : 0;
	return err_sys(e, "write %.300s", path);
}

static bool conversation_file_role(const char *name, enum chat_role *out)
{
	for (int role = CHAT_SYSTEM; role <= CHAT_TOOL; role++) {
		*out = (enum chat_role)role;
		if (name && !strcmp(name, chat_role_name(*out)))
			return true;
	}
	return false;
}

static void conversation_file_take_calls(struct chat_message *m, const struct json *calls)
{
	for (const struct json *n = json_first(calls); n; n = json_next(n)) {
		const char *name = json_string_at(n, "name");
		const char *arguments = json_string_at(n, "arguments");
		struct chat_call *call;

		m->calls = own_grow(m->calls, m->call_count, sizeof(*m->calls));
		call = &m->calls[m->call_count++];
		*call = (struct chat_call){.id = own_strdup(json_string_at(n, "id")),
					   .name = own_strdup(name ? name : ""),
					   .arguments = own_strdup(arguments ? arguments : "{}")};
	}
}

static int conversation_file_take(struct conversation *c, const struct json *node)
{
	const char *content = json_string_at(node, "content");
	struct chat_message m;
	enum chat_role role;

	if (!content || !conversation_file_role(json_string_at(node, "role"), &role))
		return -1;
	m = chat_message_make(role, content);
	conversation_file_take_calls(&m, json_get(node, "calls"));
	m.tool_name = own_strdup(json_string_at(node, "tool_name"));
	m.tool_call_id = own_strdup(json_string_at(node, "tool_call_id"));
	conversation_add(c, &m);
	return 0;
}

int conversation_file_load(const char *path, struct conversation *out, struct cells *cells,
			   struct err *e)
{
	auto_json struct json *document = NULL;

	*out = (struct conversation){0};
	if (conversation_file_read(path, &document, e))
		return -1;
	if (!json_get(document, MARK))
		return err_input(
			e, "%.300s is a notebook: /load takes what /save wrote under another name",
			path);
	for (const struct json *n = json_first(json_get(document, "messages")); n;
	     n = json_next(n)) {
		if (!conversation_file_take(out, n))
			continue;
		conversation_fini(out);
		return err_input(e, "%.300s has a message without a role or a text", path);
	}
	cells_cut(cells, 0);
	cells_take(cells, json_get(document, "cells"));
	return 0;
}
