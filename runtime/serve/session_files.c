/*
 * session_files - the files in the /workspace of a session: /v1/sessions/ID/files, and all of them
 * as /files.tar.
 */
#include "serve/routes.h"

#include <stdio.h>
#include <string.h>

#include "base/json_put.h"
#include "request/files.h"
#include "request/server.h"
#include "request/session_content.h"
#include "store/file_store_name.h"

static struct session_work *session_files_new(struct request *r, enum files_action action,
					      bool (*answer)(struct session_work *w))
{
	return session_content_new(r, r->segments[0] ? r->segments[0] : "", action,
				   r->segments[1] ? r->segments[1] : "", answer);
}

static void session_files_begin(struct session_work *w)
{
	if (session_work_is_theirs(w))
		session_work_queue(w, session_work_start);
	else
		session_work_free(w);
}

/* -- list and delete ------------------------------------------------------------------------- */

static bool session_files_answer_list(struct session_work *w)
{
	const struct files_result *files = &w->result.files;
	auto_buf struct buf body = {0};

	json_put_begin(&body, NULL, '{');
	json_put_key(&body, "files");
	buf_add(&body, files->json.data, files->json.length);
	json_put_bool(&body, "truncated", files->listed.truncated);
	json_put_uint(&body, "unread", files->listed.unread);
	json_put_end(&body, '}');
	request_reply(w->request, 200, "application/json", &body);
	return true;
}

void session_files_run_list(struct request *r)
{
	session_files_begin(session_files_new(r, FILES_LIST, session_files_answer_list));
}

static bool session_files_answer_deleted(struct session_work *w)
{
	request_reply(w->request, 204, NULL, NULL);
	return true;
}

void session_files_run_delete(struct request *r)
{
	session_files_begin(session_files_new(r, FILES_DELETE, session_files_answer_deleted));
}

/* -- get ------------------------------------------------------------------------------------- */

static bool session_files_answer_got(struct session_work *w)
{
	char name[FILE_STORE_NAME_MAX + 1];
	char disposition[FILE_STORE_HEADER_SIZE];

	file_store_name_clean(w->path, strlen(w->path), name);
	file_store_name_for_header(name, disposition);
	request_set_header(w->request, "Content-Disposition", disposition);
	session_content_reply(w, "application/octet-stream");
	return true;
}

static void session_files_begin_get(struct session_work *w)
{
	if (session_work_is_theirs(w))
		session_content_get(w);
	else
		session_work_free(w);
}

void session_files_run_get(struct request *r)
{
	session_files_begin_get(session_files_new(r, FILES_GET, session_files_answer_got));
}

/* -- archive --------------------------------------------------------------------------------- */

static bool session_files_answer_archive(struct session_work *w)
{
	const struct files_result *files = &w->result.files;
	char left_out[12];

	snprintf(left_out, sizeof(left_out), "%u", files->listed.unread);
	request_set_header(w->request, "X-Left-Out", left_out);
	request_set_header(w->request, "Content-Disposition",
			   "attachment; filename=\"workspace.tar\"");
	session_content_reply(w, "application/x-tar");
	return true;
}

/* The archive is complete before the reply begins: a slow client must not block the session. */
void session_files_run_archive(struct request *r)
{
	session_files_begin_get(session_files_new(r, FILES_ARCHIVE, session_files_answer_archive));
}

/* -- put ------------------------------------------------------------------------------------- */

static bool session_files_answer_put(struct session_work *w)
{
	auto_buf struct buf body = {0};

	json_put_begin(&body, NULL, '{');
	json_put_bytes(&body, "path", w->path, strlen(w->path));
	json_put_uint(&body, "size_bytes", w->content_bytes);
	json_put_end(&body, '}');
	request_reply(w->request, 201, "application/json", &body);
	return true;
}

static struct session_work *session_files_begin_put(struct request *r)
{
	struct session_work *w = session_files_new(r, FILES_PUT, session_files_answer_put);

	if (!handle_check(&r->server->sessions.secret, r->key->id, w->name))
		w->has_failed = err_set(&w->e, ERR_NOT_FOUND, "no such session");
	else
		w->has_failed = session_content_open(w) != 0;
	return w;
}

bool session_files_take(struct request *r, const char *bytes, size_t length)
{
	struct session_work *w = r->work ? r->work : session_files_begin_put(r);

	if (!w->has_failed)
		w->has_failed = session_content_add(w, bytes, length) != 0;
	if (w->has_failed)
		session_content_drop(w);
	return !w->has_failed;
}

void session_files_run_put(struct request *r)
{
	struct session_work *w = r->work;

	if (!w->has_failed)
		w->has_failed = session_content_rewind(w) != 0;
	if (!w->has_failed) {
		session_work_queue(w, session_work_start);
		return;
	}
	if (w->e.kind == ERR_NOT_FOUND)
		session_work_refuse(w, &w->e);
	else
		files_refuse(r, &w->e);
	session_work_free(w);
}
