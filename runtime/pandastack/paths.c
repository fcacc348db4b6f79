/*
 * paths - fs: files and directories of a sandbox, at any path.
 */
#include "pandastack/calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_put.h"
#include "base/own.h"
#include "pandastack/panda.h"
#include "request/files.h"
#include "request/session_content.h"
#include "web/query.h"

/* Begin work on the path of the query; NULL: refused and answered. */
static struct session_work *paths_work(struct request *r, enum files_action action,
				       bool (*answer)(struct session_work *w))
{
	auto_free char *said = query_text(request_query(r), "path");
	auto_free char *path = session_content_path(PANDA_HOME, said ? said : "");
	struct session_work *w;

	if (!panda_is_theirs(r))
		return NULL;
	if (!said) {
		request_refuse(r, 400, "path: a path is needed");
		return NULL;
	}
	if (action != FILES_PUT && panda_wakes(r))
		return NULL;
	w = session_content_new(r, r->segments[0], action, path, answer);
	w->refuse = panda_refuse;
	w->ask.files.anywhere = true;
	return w;
}

/* -- contents -------------------------------------------------------------------------------- */

void paths_run_get(struct request *r)
{
	struct session_work *w = paths_work(r, FILES_GET, session_content_answer);

	if (w)
		session_content_get(w);
}

static bool paths_answer_put(struct session_work *w)
{
	auto_buf struct buf reply = {0};

	json_put(&reply, "{path:%s, size:%lu}", w->path, (unsigned long)w->content_bytes);
	request_reply(w->request, 200, PANDA_JSON, &reply);
	return true;
}

/* Whether paths_work() gives work: a refusal waits for paths_run_put(). */
static bool paths_has_work(const struct request *r)
{
	auto_free char *said = query_text(request_query(r), "path");

	return said && handle_check(&r->server->sessions.secret, r->key->id, r->segments[0]);
}

bool paths_take(struct request *r, const char *bytes, size_t length)
{
	struct session_work *w = r->work;

	if (!w) {
		w = paths_has_work(r) ? paths_work(r, FILES_PUT, paths_answer_put) : NULL;
		if (!w)
			return false;
		w->has_failed = session_content_open(w) != 0;
	}
	if (!w->has_failed)
		w->has_failed = session_content_add(w, bytes, length) != 0;
	if (w->has_failed)
		session_content_drop(w);
	return !w->has_failed;
}

void paths_run_put(struct request *r)
{
	struct session_work *w = r->work;

	if (!w) {
		(void)paths_work(r, FILES_PUT, paths_answer_put);
		return;
	}
	if (panda_wakes(r))
		return;
	if (!w->has_failed)
		w->has_failed = session_content_rewind(w) != 0;
	if (!w->has_failed) {
		session_work_queue(w, session_work_start);
		return;
	}
	files_refuse(r, &w->e);
	session_work_free(w);
}

/* -- names ----------------------------------------------------------------------------------- */

/* An entry of a listing (workspace/files.h), whose paths are relative to /. */
static void paths_put(const struct json *entry, struct buf *out)
{
	const char *path = json_text_at(entry, "path");
	auto_free char *absolute = own_printf("/%s", path);

	json_put(out, "{name:%s, path:%s, is_dir:%i, size:%lu, mode:%s, mtime:%lu}",
		 session_content_name(entry), absolute,
		 !strcmp(json_text_at(entry, "type"), "directory"),
		 (unsigned long)json_uint_at(entry, "size", 0), json_text_at(entry, "mode"),
		 (unsigned long)json_uint_at(entry, "mtime", 0));
}

static bool paths_answer_list(struct session_work *w)
{
	auto_json struct json *entries = session_content_entries(w);
	auto_buf struct buf reply = {0};

	if (session_content_is_file(w, entries)) {
		request_refuse(w->request, 400, "the path is not a directory");
		return true;
	}
	json_put_begin(&reply, NULL, '{');
	json_put_begin(&reply, "entries", '[');
	for (const struct json *n = json_first(entries); n; n = json_next(n))
		paths_put(n, &reply);
	buf_text(&reply, "]}");
	request_reply(w->request, 200, PANDA_JSON, &reply);
	return true;
}

/* The root has no name in a listing. */
static bool paths_answer_stat(struct session_work *w)
{
	auto_json struct json *entries = session_content_entries(w);
	auto_buf struct buf reply = {0};

	if (strcmp(w->path, "/") != 0)
		paths_put(json_first(entries), &reply);
	else
		json_put(&reply, "{name:'/', path:'/', is_dir:true, size:0, mode:'0755', mtime:0}");
	request_reply(w->request, 200, PANDA_JSON, &reply);
	return true;
}

static void paths_list(struct session_work *w, bool itself)
{
	if (!w)
		return;
	w->ask.files.itself = itself;
	w->ask.files.max_depth = !itself;
	session_work_queue(w, session_work_start);
}

void paths_run_list(struct request *r)
{
	paths_list(paths_work(r, FILES_LIST, paths_answer_list), false);
}

void paths_run_stat(struct request *r)
{
	struct session_work *w = paths_work(r, FILES_LIST, paths_answer_stat);

	paths_list(w, w && strcmp(w->path, "/") != 0);
}
