/*
 * files - the routes of /v1/files: uploads of clients and outputs of programs.
 */
#include "request/files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/json_put.h"
#include "base/own.h"
#include "request/charge.h"
#include "request/gate.h"
#include "request/server.h"
#include "request/upload.h"
#include "store/file_store.h"
#include "store/file_store_name.h"

/* A deletion: it has happened, and is about to be durable. */
struct deletion {
	struct request *request;
	void (*reply)(struct request *r);
	struct settling settling; /* of names */
};

static void files_abandon_deletion(struct request *r)
{
	struct deletion *d = r->work;

	settler_forget(&r->server->settler, &d->settling);
	free(d);
	r->work = NULL;
	r->abandon = NULL;
}

static void files_refuse_until(struct request *r, unsigned status, const char *why)
{
	gate_advise(r, r->server->options.retry_s);
	request_refuse(r, status, "%s", why);
}

void files_refuse(struct request *r, const struct err *e)
{
	if (e->kind == ERR_NOT_FOUND)
		request_refuse(r, 404, "%s", e->text);
	else if (e->kind == ERR_LIMIT && e->number == EFBIG)
		request_refuse(r, 413, "File size exceeds maximum of %" PRIu64 " MB",
			       r->server->options.file_max_mb);
	else if (e->kind == ERR_LIMIT)
		request_refuse(r, 413, "%s", e->text);
	else if (e->kind == ERR_BUSY)
		files_refuse_until(r, 429, e->text);
	else if (file_store_is_full(e))
		request_refuse(r, 507, "the disk is full");
	else if (e->kind == ERR_SYSTEM && (e->number == EMFILE || e->number == ENFILE))
		files_refuse_until(r, 503, "too many files are open");
	else
		request_refuse(r, e->kind == ERR_INPUT ? 422 : 500, "%s", e->text);
}

/* -- uploads --------------------------------------------------------------------------------- */

static void files_put_file(struct buf *out, const struct stored_file *file, bool with_time)
{
	json_put_begin(out, NULL, '{');
	json_put_text(out, "file_id", file->id);
	json_put_text(out, "filename", file->filename);
	json_put_uint(out, "size_bytes", file->size_bytes);
	if (with_time) {
		json_put_key(out, "upload_time");
		json_write_number(file->upload_time, out);
	}
	json_put_end(out, '}');
}

static void files_refuse_missing(struct upload *u)
{
	static const char missing[] =
		"{\"detail\":[{\"type\":\"missing\",\"loc\":[\"body\",\"file\"],"
		"\"msg\":\"Field required\",\"input\":null}]}";
	auto_buf struct buf body = {0};

	buf_text(&body, missing);
	request_reply(u->request, 422, "application/json", &body);
}

static void files_reply_upload(struct upload *u)
{
	auto_buf struct buf body = {0};

	files_put_file(&body, upload_file(u, 0), false);
	request_reply(u->request, 201, "application/json", &body);
}

static const struct upload_face files_face = {
	.is_one = true,
	.reply = files_reply_upload,
	.missing = files_refuse_missing,
	.refuse = files_refuse,
};

bool files_take_upload(struct request *r, const char *bytes, size_t length)
{
	return upload_take(r, &files_face, bytes, length);
}

void files_run_upload(struct request *r)
{
	upload_end(r);
}

/* -- downloads and lists --------------------------------------------------------------------- */

void files_run_list(struct request *r)
{
	const struct file_store_entry *at = NULL;
	auto_buf struct buf body = {0};
	struct stored_file file;

	json_put_begin(&body, NULL, '{');
	json_put_begin(&body, "files", '[');
	while ((at = file_store_next(r->server->files, r->key->id, at, &file)))
		files_put_file(&body, &file, true);
	json_put_end(&body, ']');
	json_put_end(&body, '}');
	request_reply(r, 200, "application/json", &body);
}

static void files_refuse_id(struct request *r, const struct err *e)
{
	if (e->kind == ERR_NOT_FOUND)
		request_refuse(r, 404, "File with ID '%s' not found", r->segments[0]);
	else
		files_refuse(r, e);
}

int files_send(struct request *r, const char *id, struct err *e)
{
	char disposition[FILE_STORE_HEADER_SIZE];
	struct stored_file file;
	int fd;

	if (file_store_open_file(r->server->files, r->key->id, id, &file, &fd, charge_of(r), e))
		return -1;
	file_store_name_for_header(file.filename, disposition);
	request_set_header(r, "Content-Disposition", disposition);
	request_reply_file(r, "application/octet-stream", fd, file.size_bytes);
	return 0;
}

void files_run_get(struct request *r)
{
	struct err e;

	if (files_send(r, r->segments[0], &e))
		files_refuse_id(r, &e);
}

/* After an error a power failure may bring a deleted file back. */
static void files_deleted(void *context, const struct err *failure)
{
	struct deletion *d = context;

	if (failure)
		files_refuse(d->request, failure);
	else
		d->reply(d->request);
	free(d);
}

int files_delete(struct request *r, const char *id, void (*reply)(struct request *r), struct err *e)
{
	struct deletion *d;

	if (file_store_delete(r->server->files, r->key->id, id, e))
		return -1;
	d = own_zeroed(1, sizeof(*d));
	d->request = r;
	d->reply = reply;
	d->settling = (struct settling){.settled = files_deleted, .context = d};
	r->work = d;
	r->abandon = files_abandon_deletion;
	settler_ask(&r->server->settler, &d->settling);
	return 0;
}

static void files_reply_deleted(struct request *r)
{
	request_reply(r, 204, NULL, NULL);
}

void files_run_delete(struct request *r)
{
	struct err e;

	if (files_delete(r, r->segments[0], files_reply_deleted, &e))
		files_refuse_id(r, &e);
}
