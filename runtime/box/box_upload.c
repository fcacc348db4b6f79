/*
 * box_upload - files that a request puts into a session.
 */
#include "box/box_upload.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "web/media_type.h"
#include "workspace/files_path.h"

#define PART   "file"
#define PACKED "Content-Encoding: send the bytes as they are"

static void box_upload_free(void *more)
{
	struct box_upload *u = more;

	multipart_close(u->form);
	free(u->path);
	for (size_t i = 0; i < u->count; i++)
		free(u->files[i].path);
	free(u);
}

void box_upload_fail(struct box_upload *u, unsigned status, const char *why)
{
	if (u->status)
		return;
	u->status = status;
	u->why = why;
	session_content_drop(u->work);
}

/* -- what comes ------------------------------------------------------------------------------ */

static void box_upload_begin_file(struct box_upload *u, const char *said)
{
	struct box_upload_file *f = &u->files[u->count];
	char *path = *said ? u->face->resolve(said) : NULL;

	if (!*said) {
		box_upload_fail(u, u->face->status, u->face->no_path);
	} else if (!path) {
		box_upload_fail(u, 403, u->face->leads_out);
	} else if (strlen(path) > FILES_PATH_BYTES_MAX) {
		box_upload_fail(u, 400, u->face->no_path);
		free(path);
	} else {
		*f = (struct box_upload_file){.path = path, .begin = u->work->content_bytes};
		u->count++;
	}
}

static void box_upload_add(struct box_upload *u, const char *bytes, size_t length)
{
	if (u->status || !u->count)
		return;
	if (session_content_add(u->work, bytes, length))
		box_upload_fail(u, 507, u->work->e.text);
	else
		u->files[u->count - 1].bytes += length;
}

/* The parser bounds how many parts there are. */
static void box_upload_take_part(void *context, const char *name, const char *filename,
				 const char *bytes, size_t length)
{
	struct box_upload *u = context;

	if (!length)
		u->is_other = !name || strcmp(name, PART) != 0;
	if (u->is_other)
		return;
	if (length)
		box_upload_add(u, bytes, length);
	else
		box_upload_begin_file(u, u->path ? u->path : filename ? filename : "");
}

struct box_upload *box_upload_open(struct request *r, const struct box_upload_face *face,
				   const char *name, char *path)
{
	const char *type = request_header(r, "Content-Type");
	const char *packed = request_header(r, "Content-Encoding");
	struct box_upload *u = own_zeroed(1, sizeof(*u));
	struct err e;

	u->face = face;
	u->path = path;
	u->work = session_content_new(r, name, FILES_PUT, "", NULL);
	u->work->refuse = face->refuse;
	u->work->ask.files.anywhere = true;
	u->work->more = u;
	u->work->free_more = box_upload_free;
	if (session_content_open(u->work))
		box_upload_fail(u, 507, u->work->e.text);
	else if (packed && strcmp(packed, "identity") != 0)
		box_upload_fail(u, 415, PACKED);
	else if (!type || !media_type_is(type, "multipart/form-data"))
		box_upload_begin_file(u, path ? path : "");
	else if (multipart_open(type, box_upload_take_part, u, &u->form, &e))
		box_upload_fail(u, face->status, "the form has no boundary");
	return u;
}

struct box_upload *box_upload_of(const struct request *r)
{
	return ((struct session_work *)r->work)->more;
}

bool box_upload_take(struct box_upload *u, const char *bytes, size_t length)
{
	struct err e;

	if (!u->status && length && u->form && multipart_add(u->form, bytes, length, &e))
		box_upload_fail(u, u->face->status, "the form is malformed");
	else if (length && !u->form)
		box_upload_add(u, bytes, length);
	return !u->status;
}

bool box_upload_is_refused(const struct box_upload *u)
{
	return u->status != 0;
}

/* -- its end --------------------------------------------------------------------------------- */

static bool box_upload_answer(struct session_work *w);

/* Put the file whose turn it is. */
static void box_upload_put(struct session_work *w)
{
	const struct box_upload *u = w->more;
	const struct box_upload_file *f = &u->files[u->at];

	w->answer = box_upload_answer;
	w->ask.files.path = f->path;
	w->ask.files.max_bytes = f->bytes;
	w->ask.files.is_cut = true;
	(void)lseek(w->content, (off_t)f->begin, SEEK_SET); /* of a file: it cannot fail */
	session_work_start(w);
}

static bool box_upload_answer(struct session_work *w)
{
	struct box_upload *u = w->more;

	if (++u->at < u->count) {
		box_upload_put(w);
		return false;
	}
	u->face->reply(w, u);
	return true;
}

void box_upload_end(struct request *r)
{
	struct session_work *w = r->work;
	struct box_upload *u = w->more;
	struct err e;

	if (!u->status && u->form && multipart_end(u->form, &e))
		box_upload_fail(u, u->face->status, "the form is cut");
	if (!u->status && !u->count)
		box_upload_fail(u, u->face->status, u->face->no_file);
	if (!u->status) {
		session_work_queue(w, box_upload_put);
		return;
	}
	request_refuse(r, u->status, "%s", u->why);
	session_work_free(w);
}
