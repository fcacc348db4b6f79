/*
 * session_content - the content of files of a session.
 */
#include "request/session_content.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "request/charge.h"
#include "request/files.h"
#include "request/server.h"
#include "session/session_spec.h"

#define CONTENT     "content"
#define FIRST_BYTES (8u << 20) /* initial charge for a content of unknown size */
/* An archive adds headers to files of WORKSPACE_BYTES. */
#define ARCHIVE_BYTES (WORKSPACE_BYTES + (64u << 20))

struct session_work *session_content_new(struct request *r, const char *name,
					 enum files_action action, const char *path,
					 bool (*answer)(struct session_work *w))
{
	struct session_work *w = session_work_named(r, name, NOTEBOOK_FILES, answer);

	w->path = own_strdup(path);
	w->ask.files.action = action;
	w->ask.files.path = w->path;
	w->ask.files.content_fd = -1;
	return w;
}

/* Create a file for a content; closing it removes it. */
static int session_content_make(struct session_work *w, struct err *e)
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

/* -- get ------------------------------------------------------------------------------------- */

/* Hand the content, and its charge, to the request's reply. */
void session_content_reply(struct session_work *w, const char *type)
{
	file_store_hold_cut(&w->held, w->result.files.got.bytes);
	*charge_of(w->request) = w->held;
	w->held = (struct file_store_hold){0};
	request_reply_file(w->request, type, take_fd(&w->content), w->result.files.got.bytes);
}

bool session_content_answer(struct session_work *w)
{
	session_content_reply(w, "application/octet-stream");
	return true;
}

struct json *session_content_entries(const struct session_work *w)
{
	const struct buf *said = &w->result.files.json;
	struct err ignored;

	return json_parse(buf_string(said), said->length, &ignored);
}

/* Entries of absolute paths have no slash in front. */
bool session_content_is_file(const struct session_work *w, const struct json *entries)
{
	const struct json *first = json_first(entries);

	return first && !strcmp(json_text_at(first, "path"), w->path + 1);
}

const char *session_content_name(const struct json *entry)
{
	const char *path = json_text_at(entry, "path");
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Charge the key for the bytes that the child may write, before it starts. */
static int session_content_charge(struct session_work *w, uint64_t bytes, struct err *e)
{
	file_store_hold_end(&w->held);
	if (file_store_hold_left(w->server->files, w->key->id, bytes, 0, &w->held, e))
		return -1;
	w->ask.files.max_written = w->held.bytes;
	return 0;
}

static void session_content_go(struct session_work *w)
{
	struct err e;

	if (!session_content_charge(w, FIRST_BYTES, &e) && !session_content_make(w, &e)) {
		session_work_start(w);
		return;
	}
	files_refuse(w->request, &e);
	session_work_free(w);
}

/* The content exceeds the charge: repeat with the largest one. */
static bool session_content_again(struct session_work *w)
{
	const struct files_result *files = &w->result.files;
	const bool is_archive = w->ask.files.action == FILES_ARCHIVE;
	const uint64_t most = is_archive ? ARCHIVE_BYTES : files->got.size_bytes;
	struct err e;

	if (w->result.error.number != EFBIG || w->held.bytes >= most)
		return false;
	if (w->content_bytes) /* this was the largest charge */
		err_set(&e, ERR_LIMIT, "the quota for files is used up");
	else if (!session_content_charge(w, most, &e) &&
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

void session_content_get(struct session_work *w)
{
	w->again = session_content_again;
	session_work_queue(w, session_content_go);
}

/* -- put ------------------------------------------------------------------------------------- */

static int session_content_check_size(struct session_work *w, uint64_t bytes)
{
	if (bytes <= w->server->options.file_max_mb << 20)
		return 0;
	err_set(&w->e, ERR_LIMIT, "the file is too large");
	w->e.number = EFBIG;
	return -1;
}

int session_content_open(struct session_work *w)
{
	return session_content_check_size(w, request_length(w->request)) ||
			       session_content_make(w, &w->e)
		       ? -1
		       : 0;
}

int session_content_add(struct session_work *w, const char *bytes, size_t length)
{
	if (session_content_check_size(w, w->content_bytes + length))
		return -1;
	if (file_store_hold(w->server->files, w->key->id, length, &w->held, &w->e))
		return -1;
	w->content_bytes += length;
	return io_write_all(w->content, bytes, length) ? err_sys(&w->e, "write a file") : 0;
}

void session_content_drop(struct session_work *w)
{
	own_close(&w->content);
	file_store_hold_end(&w->held);
}

int session_content_rewind(struct session_work *w)
{
	return lseek(w->content, 0, SEEK_SET) < 0 ? err_sys(&w->e, "read a file") : 0;
}

/* -- paths ----------------------------------------------------------------------------------- */

/* Append a part; ".." takes the one before. */
static void session_content_step(struct buf *out, const char *part, size_t length)
{
	if (!length || (length == 1 && *part == '.'))
		return;
	if (length == 2 && !memcmp(part, "..", 2)) {
		size_t end = out->length;

		while (end && out->data[--end] != '/')
			;
		buf_cut(out, end);
		return;
	}
	buf_text(out, "/");
	buf_add(out, part, length);
}

static void session_content_walk(struct buf *out, const char *text)
{
	while (*text) {
		const size_t length = strcspn(text, "/");

		session_content_step(out, text, length);
		text += length;
		text += *text == '/';
	}
}

char *session_content_path(const char *home, const char *text)
{
	auto_buf struct buf out = {0};

	if (*text != '/')
		session_content_walk(&out, home);
	session_content_walk(&out, text);
	return out.length ? buf_take(&out) : own_strdup("/");
}
