/*
 * files - the routes of /v1/files: uploads of clients and outputs of programs.
 */
#include "request/files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_put.h"
#include "base/own.h"
#include "request/charge.h"
#include "request/gate.h"
#include "request/server.h"
#include "store/file_store.h"
#include "store/file_store_name.h"
#include "web/media_type.h"
#include "web/multipart.h"

#define FIELD        "file"     /* of the form */
#define AROUND_BYTES (1u << 20) /* of the form, in excess of one file of the largest size */

/* An upload; or a deletion, which uses `request` and `settling` only. */
struct upload {
	struct request *request;
	struct multipart *form;          /* owned; NULL: the body is not a form */
	uint64_t came;                   /* bytes of the form received */
	struct file_store_upload *store; /* NULL: the field has not begun, or it failed */
	char *filename;
	bool has_come;
	bool has_failed;
	struct err e;
	struct settling settling; /* of `store`, when it is complete; of a deletion: of names */
};

static void files_free_upload(struct upload *u)
{
	file_store_upload_abandon(u->store);
	multipart_close(u->form);
	free(u->filename);
	free(u);
}

/* The client is gone: discard an upload; a deletion has happened already. */
static void files_abandon_upload(struct request *r)
{
	struct upload *u = r->work;

	settler_forget(&r->server->settler, &u->settling);
	files_free_upload(u);
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

static void files_fail_upload(struct upload *u)
{
	u->has_failed = true;
	file_store_upload_abandon(u->store);
	u->store = NULL;
}

static void files_begin_field(struct upload *u, const char *filename)
{
	const struct request *r = u->request;

	file_store_upload_abandon(u->store); /* the last field wins */
	free(u->filename);
	u->store = NULL;
	u->filename = own_strdup(filename);
	u->has_come = true;
	if (file_store_upload_begin(r->server->files, r->key->id, &u->store, &u->e))
		files_fail_upload(u);
}

static void files_take_field(void *context, const char *field, const char *filename,
			     const char *bytes, size_t length)
{
	struct upload *u = context;

	if (u->has_failed || strcmp(field, FIELD) != 0)
		return;
	if (!length)
		files_begin_field(u, filename);
	else if (file_store_upload_take(u->store, bytes, length, &u->e))
		files_fail_upload(u);
}

/* Bound the form as a whole: other fields and the preamble count, too. */
static void files_check_form(struct upload *u, uint64_t bytes)
{
	const uint64_t most = (u->request->server->options.file_max_mb << 20) + AROUND_BYTES;

	if (bytes <= most || u->has_failed)
		return;
	err_set(&u->e, ERR_LIMIT, "the form is too large");
	u->e.number = EFBIG;
	files_fail_upload(u);
}

static struct upload *files_begin_upload(struct request *r)
{
	const char *type = request_header(r, "Content-Type");
	struct upload *u = own_zeroed(1, sizeof(*u));

	u->request = r;
	if (media_type_is(type, "multipart/form-data") &&
	    multipart_open(type, files_take_field, u, &u->form, &u->e))
		files_fail_upload(u);
	files_check_form(u, request_length(r));
	r->work = u;
	r->abandon = files_abandon_upload;
	return u;
}

bool files_take_upload(struct request *r, const char *bytes, size_t length)
{
	struct upload *u = r->work ? r->work : files_begin_upload(r);
	struct err malformed;

	u->came += length;
	files_check_form(u, u->came);
	if (u->form && !u->has_failed && multipart_add(u->form, bytes, length, &malformed) &&
	    !u->has_failed) {
		u->e = malformed;
		files_fail_upload(u);
	}
	return u->form && !u->has_failed;
}

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

static void files_refuse_missing(struct request *r)
{
	static const char missing[] =
		"{\"detail\":[{\"type\":\"missing\",\"loc\":[\"body\",\"file\"],"
		"\"msg\":\"Field required\",\"input\":null}]}";
	auto_buf struct buf body = {0};

	buf_text(&body, missing);
	request_reply(r, 422, "application/json", &body);
}

/* After an error a power failure may bring a deleted file back. */
static void files_settled(void *context, const struct err *failure)
{
	struct upload *u = context;
	struct request *r = u->request;
	auto_buf struct buf body = {0};

	if (failure) {
		files_refuse(r, failure);
	} else if (!u->store) {
		request_reply(r, 204, NULL, NULL);
	} else {
		files_put_file(&body, file_store_upload_file(u->store), false);
		file_store_upload_keep(take_ptr(&u->store));
		request_reply(r, 201, "application/json", &body);
	}
	files_free_upload(u);
}

static void files_settle(struct upload *u)
{
	u->settling = (struct settling){.settled = files_settled,
					.context = u,
					.uploads = &u->store,
					.count = u->store ? 1 : 0};
	settler_ask(&u->request->server->settler, &u->settling);
}

/* Returns whether the upload waits for the disk; otherwise it has been refused. */
static bool files_end_upload(struct upload *u)
{
	struct request *r = u->request;
	struct err e;

	if (u->form && !u->has_failed && multipart_end(u->form, &u->e))
		files_fail_upload(u);
	if (u->has_failed) {
		files_refuse(r, &u->e);
	} else if (!u->has_come) {
		files_refuse_missing(r);
	} else if (file_store_upload_end(u->store, u->filename, &e)) {
		files_refuse(r, &e);
	} else {
		files_settle(u);
		return true;
	}
	return false;
}

void files_run_upload(struct request *r)
{
	struct upload *u = r->work;

	if (!files_end_upload(u))
		files_free_upload(u);
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

void files_run_get(struct request *r)
{
	char disposition[FILE_STORE_HEADER_SIZE];
	struct stored_file file;
	struct err e;
	int fd;

	if (file_store_open_file(r->server->files, r->key->id, r->segments[0], &file, &fd,
				 charge_of(r), &e)) {
		files_refuse_id(r, &e);
		return;
	}
	file_store_name_for_header(file.filename, disposition);
	request_set_header(r, "Content-Disposition", disposition);
	request_reply_file(r, "application/octet-stream", fd, file.size_bytes);
}

void files_run_delete(struct request *r)
{
	struct upload *u;
	struct err e;

	if (file_store_delete(r->server->files, r->key->id, r->segments[0], &e)) {
		files_refuse_id(r, &e);
		return;
	}
	u = own_zeroed(1, sizeof(*u));
	u->request = r;
	r->work = u;
	r->abandon = files_abandon_upload;
	files_settle(u);
}
