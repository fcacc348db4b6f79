/*
 * tree - filesystem.Filesystem: what there is in a sandbox, and other names for it.
 */
#include "e2b/calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_put.h"
#include "base/own.h"
#include "base/parse.h"
#include "e2b/connect.h"
#include "e2b/e2b_box.h"
#include "e2b/entry.h"
#include "e2b/running.h"
#include "e2b/watcher.h"
#include "loop/clock.h"
#include "request/session_content.h"

#define DEPTH_MOST   64
#define NO_DIRECTORY "the path is not a directory"
#define NO_PATH      "a path is needed"

/* -- entries --------------------------------------------------------------------------------- */

static const char *tree_type(const char *type)
{
	if (!strcmp(type, "directory"))
		return "FILE_TYPE_DIRECTORY";
	return strcmp(type, "symlink") ? "FILE_TYPE_FILE" : "FILE_TYPE_SYMLINK";
}

/* "-rw-r--r--" */
static void tree_put_permissions(struct buf *out, const char *type, uint32_t mode)
{
	static const char letters[] = "rwxrwxrwx";
	char text[11] = "-";

	text[0] = !strcmp(type, "directory") ? 'd' : !strcmp(type, "symlink") ? 'L' : '-';
	for (int i = 0; i < 9; i++)
		text[1 + i] = mode & (0400u >> i) ? letters[i] : '-';
	json_put_text(out, "permissions", text);
}

/* An entry of a listing (workspace/files.h), whose paths are relative to /. */
static void tree_put(const struct json *entry, struct buf *out)
{
	const char *path = json_text_at(entry, "path");
	const char *type = json_text_at(entry, "type");
	const char *target = json_string_at(entry, "target");
	auto_free char *absolute = own_printf("/%s", path);
	char time[CLOCK_UTC_SIZE];
	uint32_t mode = 0;
	struct err ignored;

	(void)parse_octal(json_text_at(entry, "mode"), 07777, &mode, &ignored);
	clock_utc_at(json_uint_at(entry, "mtime", 0) * 1000, time);
	json_put_begin(out, NULL, '{');
	json_put(out, "name:%s, type:%s, path:%s, size:%llu, mode:%u, modifiedTime:%s",
		 session_content_name(entry), tree_type(type), absolute,
		 (unsigned long long)json_uint_at(entry, "size", 0), mode, time);
	tree_put_permissions(out, type, mode);
	if (target)
		json_put_text(out, "symlinkTarget", target);
	json_put_end(out, '}');
}

/* -- work ------------------------------------------------------------------------------------ */

static void tree_refuse(struct session_work *w, const struct err *e)
{
	auto_free char *text = own_printf("/%s", e->text);

	if (!w->result.was_there &&
	    (e->kind == ERR_NOT_FOUND || e->kind == ERR_GONE || e->kind == ERR_BUSY))
		running_gone(w, e);
	else
		connect_refuse(w->request, connect_code_of(e),
			       w->result.was_there ? text : e->text);
}

/* Begin work on the path that a member of the message names; NULL: refused and answered. */
static struct session_work *tree_new(struct request *r, enum files_action action,
				     const char *member, bool (*answer)(struct session_work *w))
{
	const struct e2b_box *b = entry_box(r);
	auto_json struct json *message = b ? connect_read(r) : NULL;
	const char *said = json_string_at(message, member);
	const char *to = json_string_at(message, "destination");
	auto_free char *path = e2b_box_path(said ? said : "");
	struct session_work *w;

	if (message && (!said || !*said))
		connect_refuse(r, CONNECT_INVALID, NO_PATH);
	if (!said || !*said)
		return NULL;
	w = session_content_new(r, b->box.name, action, path, answer);
	w->refuse = tree_refuse;
	w->ask.files.anywhere = true;
	w->ask.files.max_depth =
		(uint32_t)clock_earlier(json_uint_at(message, "depth", 1), DEPTH_MOST);
	w->ask.files.max_depth += !w->ask.files.max_depth;
	if (to) {
		w->to = e2b_box_path(to);
		w->ask.files.to = w->to;
	}
	return w;
}

/* The root has no name in a listing. */
static bool tree_is_root(const struct session_work *w)
{
	return !strcmp(w->path, "/");
}

static void tree_reply_entry(struct session_work *w, const struct json *entries)
{
	static const char root[] = "{\"path\":\"\",\"type\":\"directory\",\"mode\":\"0755\"}";
	auto_buf struct buf body = {0};
	auto_json struct json *made = NULL;
	struct err e;

	if (tree_is_root(w))
		made = json_parse(root, sizeof(root) - 1, &e);
	json_put_begin(&body, NULL, '{');
	json_put_key(&body, "entry");
	tree_put(made ? made : json_first(entries), &body);
	json_put_end(&body, '}');
	connect_reply(w->request, &body);
}

static bool tree_answer_stat(struct session_work *w)
{
	auto_json struct json *entries = session_content_entries(w);

	if (json_count(entries) == 1 || tree_is_root(w))
		tree_reply_entry(w, entries);
	else
		connect_refuse(w->request, CONNECT_INTERNAL, "the sandbox says no entry");
	return true;
}

/* Done: say what is there now. */
static bool tree_answer_changed(struct session_work *w)
{
	w->ask.files.action = FILES_LIST;
	w->ask.files.itself = true;
	w->ask.files.max_depth = 0;
	if (w->to)
		w->ask.files.path = w->to;
	w->answer = tree_answer_stat;
	session_work_start(w);
	return false;
}

void tree_run_stat(struct request *r)
{
	struct session_work *w = tree_new(r, FILES_LIST, "path", tree_answer_stat);

	if (!w)
		return;
	w->ask.files.itself = true;
	w->ask.files.max_depth = 0;
	session_work_queue(w, session_work_start);
}

static bool tree_answer_list(struct session_work *w)
{
	auto_json struct json *entries = session_content_entries(w);
	auto_buf struct buf body = {0};

	if (session_content_is_file(w, entries)) {
		connect_refuse(w->request, CONNECT_INVALID, NO_DIRECTORY);
		return true;
	}
	json_put_begin(&body, NULL, '{');
	json_put_begin(&body, "entries", '[');
	for (const struct json *n = json_first(entries); n; n = json_next(n))
		tree_put(n, &body);
	buf_text(&body, "]}");
	connect_reply(w->request, &body);
	return true;
}

static void tree_run(struct session_work *w)
{
	if (w)
		session_work_queue(w, session_work_start);
}

void tree_run_list(struct request *r)
{
	tree_run(tree_new(r, FILES_LIST, "path", tree_answer_list));
}

void tree_run_make(struct request *r)
{
	tree_run(tree_new(r, FILES_MAKE, "path", tree_answer_changed));
}

void tree_run_move(struct request *r)
{
	struct session_work *w = tree_new(r, FILES_RENAME, "source", tree_answer_changed);

	if (w && !w->to) {
		connect_refuse(r, CONNECT_INVALID, "destination: a path is needed");
		session_work_free(w);
		return;
	}
	tree_run(w);
}

static bool tree_answer_removed(struct session_work *w)
{
	auto_buf struct buf body = {0};

	buf_text(&body, "{}");
	connect_reply(w->request, &body);
	return true;
}

/* Clients take a path that is missing for removed. */
static void tree_refuse_remove(struct session_work *w, const struct err *e)
{
	if (e->kind == ERR_NOT_FOUND && w->result.was_there)
		(void)tree_answer_removed(w);
	else
		tree_refuse(w, e);
}

void tree_run_remove(struct request *r)
{
	struct session_work *w = tree_new(r, FILES_DELETE, "path", tree_answer_removed);

	if (w)
		w->refuse = tree_refuse_remove;
	tree_run(w);
}

/* -- watching -------------------------------------------------------------------------------- */

void tree_run_watch(struct request *r)
{
	struct e2b_box *b = entry_box(r);
	auto_json struct json *message = b ? connect_read_stream(r) : NULL;

	if (message)
		watcher_start(r, b, message, false);
}

void tree_run_watcher(struct request *r)
{
	struct e2b_box *b = entry_box(r);
	auto_json struct json *message = b ? connect_read(r) : NULL;

	if (message)
		watcher_start(r, b, message, true);
}

void tree_run_events(struct request *r)
{
	const struct e2b_box *b = entry_box(r);
	auto_json struct json *message = b ? connect_read(r) : NULL;

	if (message)
		watcher_poll(r, b, message);
}

void tree_run_unwatch(struct request *r)
{
	const struct e2b_box *b = entry_box(r);
	auto_json struct json *message = b ? connect_read(r) : NULL;

	if (message)
		watcher_remove(r, b, message);
}
