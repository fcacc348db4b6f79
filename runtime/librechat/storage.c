/*
 * storage - files of storage sessions: uploaded, listed, downloaded, deleted.
 */
#include <stdio.h>
#include <string.h>

#include "base/json_put.h"
#include "base/own.h"
#include "librechat/calls.h"
#include "librechat/exec.h"
#include "librechat/stored_id.h"
#include "loop/clock.h"
#include "request/files.h"
#include "request/server.h"
#include "request/upload.h"
#include "web/query.h"

#define JSON      "application/json"
#define BYTES     "application/octet-stream"
#define NOT_FOUND "File not found"

/* -- uploads --------------------------------------------------------------------------------- */

static void storage_begin(struct upload *u)
{
	stored_id_new_folder(u->folder);
}

/* A name that would lead out of a directory is cut to its last part. */
static const char *storage_name(const char *filename)
{
	const char *last = filename + strlen(filename);

	if (exec_files_is_name(filename))
		return filename;
	while (last > filename && !strchr("/\\", last[-1]))
		last--;
	return exec_files_is_name(last) ? last : "unnamed";
}

static void storage_put_uploaded(const struct stored_file *file, struct buf *out)
{
	char id[STORED_ID_SIZE];

	stored_id_of(file->id, id);
	json_put(out, "{status:'success', fileId:%s, filename:%s}", id, stored_id_name(file));
}

/* The members of both replies: to one file, and to many. */
static void storage_reply(struct upload *u)
{
	auto_buf struct buf body = {0};
	char session[STORED_ID_SIZE];

	(void)stored_id_session(upload_file(u, 0), session);
	json_put_begin(&body, NULL, '{');
	json_put(&body, "message:'success', session_id:%s, storage_session_id:%s", session,
		 session);
	json_put_begin(&body, "files", '[');
	for (size_t i = 0; i < u->count; i++)
		storage_put_uploaded(upload_file(u, i), &body);
	json_put_end(&body, ']');
	json_put(&body, "succeeded:%lu, failed:0", (unsigned long)u->count);
	json_put_end(&body, '}');
	request_reply(u->request, 200, JSON, &body);
}

static void storage_refuse_none(struct upload *u)
{
	request_refuse(u->request, 400, "No files provided");
}

static const struct upload_face storage_face = {
	.begin = storage_begin,
	.name = storage_name,
	.reply = storage_reply,
	.missing = storage_refuse_none,
	.refuse = files_refuse,
};

bool storage_take(struct request *r, const char *bytes, size_t length)
{
	return upload_take(r, &storage_face, bytes, length);
}

void storage_run_upload(struct request *r)
{
	upload_end(r);
}

/* -- one file -------------------------------------------------------------------------------- */

static bool storage_is_in(const struct stored_file *file, const char *session)
{
	char own[STORED_ID_SIZE];

	return stored_id_session(file, own) && !strcmp(own, session);
}

/* Find the file of the path in its session. Returns -1: it is not there, and that was answered. */
static int storage_find(struct request *r, struct stored_file *out)
{
	char id[FILE_STORE_ID_SIZE];
	struct err ignored;

	if (stored_id_read(r->segments[1], id) &&
	    !file_store_find(r->server->files, r->key->id, id, out, &ignored) &&
	    storage_is_in(out, r->segments[0]))
		return 0;
	request_refuse(r, 404, NOT_FOUND);
	return -1;
}

void storage_run_download(struct request *r)
{
	struct stored_file file;
	struct err e;

	if (!storage_find(r, &file) && files_send(r, file.id, &e))
		files_refuse(r, &e);
}

static void storage_reply_deleted(struct request *r)
{
	auto_buf struct buf body = {0};

	json_put(&body, "{message:'File deleted successfully', session_id:%s, fileId:%s}",
		 r->segments[0], r->segments[1]);
	request_reply(r, 200, JSON, &body);
}

void storage_run_delete(struct request *r)
{
	struct stored_file file;
	struct err e;

	if (!storage_find(r, &file) && files_delete(r, file.id, storage_reply_deleted, &e))
		files_refuse(r, &e);
}

/* -- what they are --------------------------------------------------------------------------- */

/* SESSION/ID and the ending of its name: clients take both apart again. */
static void storage_put_object_name(const struct stored_file *file, const char *key,
				    struct buf *out)
{
	const char *name = stored_id_name(file);
	const char *slash = strrchr(name, '/');
	const char *dot = strrchr(slash ? slash : name, '.');
	char session[STORED_ID_SIZE];
	char id[STORED_ID_SIZE];
	auto_free char *object = NULL;

	(void)stored_id_session(file, session);
	stored_id_of(file->id, id);
	object = own_printf("%s/%s%s", session, id, dot ? dot : "");
	json_put_text(out, key, object);
}

static void storage_put_size(const struct stored_file *file, struct buf *out)
{
	char modified[CLOCK_UTC_SIZE];

	clock_utc_ms_at((uint64_t)(file->upload_time * 1000), modified);
	json_put(out, "size:%lu, lastModified:%s, etag:%s, contentType:'" BYTES "'",
		 (unsigned long)file->size_bytes, modified, file->id);
}

static void storage_put_summary(const struct stored_file *file, struct buf *out)
{
	json_put_begin(out, NULL, '{');
	storage_put_object_name(file, "name", out);
	storage_put_size(file, out);
	json_put_end(out, '}');
}

static void storage_put_ids(const struct stored_file *file, struct buf *out)
{
	char session[STORED_ID_SIZE];
	char id[STORED_ID_SIZE];

	(void)stored_id_session(file, session);
	stored_id_of(file->id, id);
	json_put(out, "id:%s, session_id:%s, storage_session_id:%s", id, session, session);
}

static void storage_put_full(const struct stored_file *file, struct buf *out)
{
	json_put_begin(out, NULL, '{');
	storage_put_object_name(file, "name", out);
	storage_put_ids(file, out);
	storage_put_size(file, out);
	json_put_begin(out, "metadata", '{');
	json_put_text(out, "content-type", BYTES);
	json_put_text(out, "original-filename", stored_id_name(file));
	json_put_end(out, '}');
	json_put_end(out, '}');
}

static void storage_put_normalized(const struct stored_file *file, struct buf *out)
{
	json_put_begin(out, NULL, '{');
	storage_put_ids(file, out);
	json_put_text(out, "name", stored_id_name(file));
	storage_put_size(file, out);
	json_put_end(out, '}');
}

static void storage_put_simple(const struct stored_file *file, struct buf *out)
{
	storage_put_object_name(file, NULL, out);
}

static const struct {
	const char *detail;
	void (*put)(const struct stored_file *file, struct buf *out);
} storage_details[] = {
	{"simple",     storage_put_simple    },
	{"summary",    storage_put_summary   },
	{"full",       storage_put_full      },
	{"normalized", storage_put_normalized},
};

void storage_run_list(struct request *r)
{
	auto_free char *detail = query_text(request_query(r), "detail");
	const struct file_store_entry *at = NULL;
	const size_t count = sizeof(storage_details) / sizeof(storage_details[0]);
	struct stored_file file;
	auto_buf struct buf body = {0};
	size_t form = 0;

	while (detail && form < count && strcmp(storage_details[form].detail, detail) != 0)
		form++;
	if (form == count) {
		request_refuse(r, 400, "detail: say simple, summary, full or normalized");
		return;
	}
	json_put_begin(&body, NULL, '[');
	while ((at = file_store_next(r->server->files, r->key->id, at, &file))) {
		if (storage_is_in(&file, r->segments[0]) &&
		    exec_files_is_name(stored_id_name(&file)))
			storage_details[form].put(&file, &body);
	}
	json_put_end(&body, ']');
	request_reply(r, 200, JSON, &body);
}

void storage_run_describe(struct request *r)
{
	auto_buf struct buf body = {0};
	struct stored_file file;

	if (storage_find(r, &file))
		return;
	json_put_begin(&body, NULL, '{');
	storage_put_object_name(&file, "name", &body);
	storage_put_size(&file, &body);
	json_put(&body, "originalFilename:%s, readOnly:false", stored_id_name(&file));
	json_put_end(&body, '}');
	request_reply(r, 200, JSON, &body);
}
