/*
 * content - /files of E2B's envd: what files hold, as bytes or as the parts of a form.
 */
#include "e2b/calls.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json_put.h"
#include "base/own.h"
#include "e2b/e2b_box.h"
#include "e2b/entry.h"
#include "e2b/running.h"
#include "request/files.h"
#include "request/session_content.h"
#include "web/media_type.h"
#include "web/multipart.h"
#include "web/query.h"
#include "workspace/files_path.h"

#define PART    "file"
#define NO_PATH "path: the path of a file is needed"
#define NO_FILE "the form has no part called file"
#define PACKED  "Content-Encoding: send the bytes as they are"

/* The status of an error at a path; 0: it has another cause. */
static unsigned content_status(const struct err *e)
{
	switch (e->kind) {
	case ERR_NOT_FOUND:
		return 404;
	case ERR_INPUT:
		return 400;
	case ERR_DENIED:
		return 403;
	default:
		return 0;
	}
}

static void content_refuse(struct session_work *w, const struct err *e)
{
	const bool absent = e->kind == ERR_NOT_FOUND || e->kind == ERR_GONE || e->kind == ERR_BUSY;

	if (absent && !w->result.was_there)
		running_gone(w, e);
	else if (content_status(e))
		request_refuse(w->request, content_status(e), "/%s", e->text);
	else
		files_refuse(w->request, e);
}

static struct session_work *content_new(struct request *r, const char *name,
					enum files_action action, const char *path,
					bool (*answer)(struct session_work *w))
{
	struct session_work *w = session_content_new(r, name, action, path, answer);

	w->refuse = content_refuse;
	w->ask.files.anywhere = true;
	return w;
}

/* -- get ------------------------------------------------------------------------------------- */

static bool content_answer_got(struct session_work *w)
{
	session_content_reply(w, "application/octet-stream");
	return true;
}

void content_run_get(struct request *r)
{
	auto_free char *said = query_text(request_query(r), "path");
	auto_free char *path = e2b_box_path(said ? said : "");
	struct e2b_box *b = entry_box(r);

	if (b && !said)
		request_refuse(r, 400, NO_PATH);
	else if (b)
		session_content_get(
			content_new(r, b->box.name, FILES_GET, path, content_answer_got));
}

/* -- put ------------------------------------------------------------------------------------- */

struct upload_file {
	char *path;     /* owned; absolute */
	uint64_t begin; /* of its bytes in the content of the work */
	uint64_t bytes;
};

/* An upload: the files of a form, whose bytes lie behind one another; they are put in this order.
 */
struct upload {
	struct session_work *work;
	struct multipart *form; /* owned; NULL: the body is the file */
	char *path;             /* owned; of the query; NULL */
	struct upload_file files[MULTIPART_PARTS];
	size_t count;
	size_t at;       /* the file that is put */
	unsigned status; /* of a refusal; 0: none */
	const char *why;
	bool is_other; /* the part that comes has another name than `file` */
};

static void content_free(void *more)
{
	struct upload *u = more;

	multipart_close(u->form);
	free(u->path);
	for (size_t i = 0; i < u->count; i++)
		free(u->files[i].path);
	free(u);
}

static void content_fail(struct upload *u, unsigned status, const char *why)
{
	if (u->status)
		return;
	u->status = status;
	u->why = why;
	session_content_drop(u->work);
}

static void content_begin_file(struct upload *u, const char *path)
{
	struct upload_file *f = &u->files[u->count];

	if (!*path || strlen(path) > FILES_PATH_BYTES_MAX) {
		content_fail(u, 400, NO_PATH);
		return;
	}
	*f = (struct upload_file){.path = e2b_box_path(path), .begin = u->work->content_bytes};
	u->count++;
}

static void content_add(struct upload *u, const char *bytes, size_t length)
{
	if (u->status || !u->count)
		return;
	if (session_content_add(u->work, bytes, length))
		content_fail(u, 507, u->work->e.text);
	else
		u->files[u->count - 1].bytes += length;
}

/* A piece of a part; the parser bounds how many there are. */
static void content_take_part(void *context, const char *name, const char *filename,
			      const char *bytes, size_t length)
{
	struct upload *u = context;

	if (!length)
		u->is_other = !name || strcmp(name, PART) != 0;
	if (u->is_other)
		return;
	if (length)
		content_add(u, bytes, length);
	else
		content_begin_file(u, u->path ? u->path : filename ? filename : "");
}

static void content_read_head(struct upload *u, const struct request *r)
{
	const char *type = request_header(r, "Content-Type");
	const char *packed = request_header(r, "Content-Encoding");
	struct err e;

	u->path = query_text(request_query(r), "path");
	if (packed && strcmp(packed, "identity") != 0)
		content_fail(u, 415, PACKED);
	else if (!type || !media_type_is(type, "multipart/form-data"))
		content_begin_file(u, u->path ? u->path : "");
	else if (multipart_open(type, content_take_part, u, &u->form, &e))
		content_fail(u, 400, "the form has no boundary");
}

static bool content_answer_put(struct session_work *w);

static struct session_work *content_begin(struct request *r)
{
	struct upload *u = own_zeroed(1, sizeof(*u));
	char name[HANDLE_BYTES] = "";
	struct session_work *w;

	(void)entry_name(r, name);
	w = content_new(r, name, FILES_PUT, "", content_answer_put);
	w->more = u;
	w->free_more = content_free;
	u->work = w;
	if (session_content_open(w))
		content_fail(u, 507, w->e.text);
	else
		content_read_head(u, r);
	return w;
}

bool content_take(struct request *r, const char *bytes, size_t length)
{
	struct session_work *w = r->work ? r->work : content_begin(r);
	struct upload *u = w->more;
	struct err e;

	if (!u->status && length && u->form && multipart_add(u->form, bytes, length, &e))
		content_fail(u, 400, "the form is malformed");
	else if (length && !u->form)
		content_add(u, bytes, length);
	return !u->status;
}

/* Put the file whose turn it is. Returns false, since the work goes on. */
static bool content_put(struct session_work *w)
{
	const struct upload *u = w->more;
	const struct upload_file *f = &u->files[u->at];

	w->ask.files.path = f->path;
	w->ask.files.max_bytes = f->bytes;
	w->ask.files.is_cut = true;
	(void)lseek(w->content, (off_t)f->begin, SEEK_SET); /* of a file: it cannot fail */
	session_work_start(w);
	return false;
}

static bool content_answer_put(struct session_work *w)
{
	struct upload *u = w->more;
	auto_buf struct buf body = {0};

	if (++u->at < u->count)
		return content_put(w);
	json_put_begin(&body, NULL, '[');
	for (size_t i = 0; i < u->count; i++)
		json_put(&body, "{name:%s, type:'file', path:%s}",
			 strrchr(u->files[i].path, '/') + 1, u->files[i].path);
	json_put_end(&body, ']');
	request_reply(w->request, 200, "application/json", &body);
	return true;
}

static void content_go(struct session_work *w)
{
	(void)content_put(w);
}

void content_run_put(struct request *r)
{
	struct session_work *w = r->work;
	struct upload *u = w->more;
	struct err e;

	if (!u->status && u->form && multipart_end(u->form, &e))
		content_fail(u, 400, "the form is cut");
	if (!u->status && !u->count)
		content_fail(u, 400, NO_FILE);
	if (!u->status) {
		session_work_queue(w, content_go);
		return;
	}
	request_refuse(r, u->status, "%s", u->why);
	session_work_free(w);
}
