/*
 * session_files - the files in the /workspace of a session: /v1/sessions/ID/files, and all of them
 * as /files.tar.
 *
 * Contents pass through an unnamed file on our disk, not through memory: a program could change its
 * own copy while it is read, and a slow client would block the session for others.
 */
#include "serve/routes.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/json_put.h"
#include "base/own.h"
#include "request/charge.h"
#include "request/files.h"
#include "request/server.h"
#include "request/session_work.h"
#include "session/session_spec.h"
#include "store/file_store_name.h"

#define CONTENT     "content"
#define FIRST_BYTES (8u << 20) /* initial charge for a content of unknown size */
/* An archive adds headers to files of WORKSPACE_BYTES. */
#define ARCHIVE_BYTES (WORKSPACE_BYTES + (64u << 20))

static struct session_work *session_files_new(struct request *r, enum files_action action,
					      bool (*answer)(struct session_work *w))
{
	struct session_work *w = session_work_new(r, NOTEBOOK_FILES, answer);

	w->path = own_strdup(r->segments[1] ? r->segments[1] : "");
	w->ask.files.action = action;
	w->ask.files.path = w->path;
	w->ask.files.content_fd = -1;
	return w;
}

static void session_files_begin(struct session_work *w)
{
	if (session_work_is_theirs(w))
		session_work_queue(w, session_work_start);
	else
		session_work_free(w);
}

/* Create a file for a content; closing it removes it. */
static int session_files_open(struct session_work *w, struct err *e)
{
	char scratch[FILE_STORE_SCRATCH_SIZE];
	auto_fd int directory = -1;

	if (file_store_scratch(w->server->files, &directory, scratch, e))
		return -1;
	w->content = openat(directory, CONTENT, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (w->content < 0)
		err_sys(e, "make a file");
	file_store_scratch_end(w->server->files, &directory, scratch);
	w->ask.files.content_fd = w->content;
	return w->content < 0 ? -1 : 0;
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

/* Hand the content, and its charge, to the request's reply. */
static void session_files_reply(struct session_work *w, const char *type)
{
	file_store_hold_cut(&w->held, w->result.files.got.bytes);
	*charge_of(w->request) = w->held;
	w->held = (struct file_store_hold){0};
	request_reply_file(w->request, type, take_fd(&w->content), w->result.files.got.bytes);
}

static bool session_files_answer_got(struct session_work *w)
{
	char name[FILE_STORE_NAME_MAX + 1];
	char disposition[FILE_STORE_HEADER_SIZE];

	file_store_name_clean(w->path, strlen(w->path), name);
	file_store_name_for_header(name, disposition);
	request_set_header(w->request, "Content-Disposition", disposition);
	session_files_reply(w, "application/octet-stream");
	return true;
}

/* Charge the key for the bytes that the child may write, before it starts. */
static int session_files_charge(struct session_work *w, uint64_t bytes, struct err *e)
{
	file_store_hold_end(&w->held);
	if (file_store_hold_left(w->server->files, w->key->id, bytes, 0, &w->held, e))
		return -1;
	w->ask.files.max_written = w->held.bytes;
	return 0;
}

static void session_files_go_content(struct session_work *w)
{
	struct err e;

	if (!session_files_charge(w, FIRST_BYTES, &e) && !session_files_open(w, &e)) {
		session_work_start(w);
		return;
	}
	files_refuse(w->request, &e);
	session_work_free(w);
}

/* The content exceeds the charge: repeat with the largest one. */
static bool session_files_go_again(struct session_work *w)
{
	const struct files_result *files = &w->result.files;
	const bool is_archive = w->ask.files.action == FILES_ARCHIVE;
	const uint64_t most = is_archive ? ARCHIVE_BYTES : files->got.size_bytes;
	struct err e;

	if (w->result.error.number != EFBIG || w->held.bytes >= most)
		return false;
	if (w->content_bytes) /* this was the largest charge */
		err_set(&e, ERR_LIMIT, "the quota for files is used up");
	else if (!session_files_charge(w, most, &e) &&
		 (ftruncate(w->content, 0) || lseek(w->content, 0, SEEK_SET)))
		err_sys(&e, "read a file");
	else if (w->held.bytes) {
		w->content_bytes = w->held.bytes;
		session_work_start(w);
		return true;
	}
	files_refuse(w->request, &e);
	session_work_free(w);
	return true;
}

static void session_files_begin_content(struct session_work *w)
{
	w->again = session_files_go_again;
	if (session_work_is_theirs(w))
		session_work_queue(w, session_files_go_content);
	else
		session_work_free(w);
}

void session_files_run_get(struct request *r)
{
	session_files_begin_content(session_files_new(r, FILES_GET, session_files_answer_got));
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
	session_files_reply(w, "application/x-tar");
	return true;
}

/* The archive is complete before the reply begins: a slow client must not block the session. */
void session_files_run_archive(struct request *r)
{
	session_files_begin_content(
		session_files_new(r, FILES_ARCHIVE, session_files_answer_archive));
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

static int session_files_check_size(struct session_work *w, uint64_t bytes)
{
	if (bytes <= w->server->options.file_max_mb << 20)
		return 0;
	err_set(&w->e, ERR_LIMIT, "the file is too large");
	w->e.number = EFBIG;
	return -1;
}

static struct session_work *session_files_begin_put(struct request *r)
{
	struct session_work *w = session_files_new(r, FILES_PUT, session_files_answer_put);

	if (!handle_check(&r->server->sessions.secret, r->key->id, w->name))
		w->has_failed = err_set(&w->e, ERR_NOT_FOUND, "no such session");
	else
		w->has_failed = session_files_check_size(w, request_length(r)) ||
				session_files_open(w, &w->e);
	return w;
}

static int session_files_add(struct session_work *w, const char *bytes, size_t length)
{
	if (session_files_check_size(w, w->content_bytes + length))
		return -1;
	if (file_store_hold(w->server->files, w->key->id, length, &w->held, &w->e))
		return -1;
	w->content_bytes += length;
	return io_write_all(w->content, bytes, length) ? err_sys(&w->e, "write a file") : 0;
}

bool session_files_take(struct request *r, const char *bytes, size_t length)
{
	struct session_work *w = r->work ? r->work : session_files_begin_put(r);

	if (!w->has_failed)
		w->has_failed = session_files_add(w, bytes, length);
	if (w->has_failed) { /* frees the partial content */
		own_close(&w->content);
		file_store_hold_end(&w->held);
	}
	return !w->has_failed;
}

void session_files_run_put(struct request *r)
{
	struct session_work *w = r->work;

	if (!w->has_failed && lseek(w->content, 0, SEEK_SET) < 0)
		w->has_failed = err_sys(&w->e, "read a file");
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
