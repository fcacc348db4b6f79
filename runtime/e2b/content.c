/*
 * content - /files of E2B's envd: what files hold, as bytes or as the parts of a form.
 */
#include "e2b/calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_put.h"
#include "base/own.h"
#include "e2b/box.h"
#include "e2b/entry.h"
#include "request/files.h"
#include "request/session_content.h"
#include "web/media_type.h"
#include "web/multipart.h"
#include "web/query.h"

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
		entry_refuse_gone(w->request);
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
	auto_free char *path = box_path(said ? said : "");
	struct box *b = entry_box(r);

	if (b && !said)
		request_refuse(r, 400, NO_PATH);
	else if (b)
		session_content_get(content_new(r, b->name, FILES_GET, path, content_answer_got));
}

/* -- put ------------------------------------------------------------------------------------- */

/* An upload while its body comes; then its works go one after the other. */
struct upload {
	struct request *request;
	char name[HANDLE_BYTES];    /* of the session */
	struct multipart *form;     /* owned; NULL: the body is the file */
	char *path;                 /* owned; of the query; NULL */
	struct session_work *first; /* owned */
	struct session_work *last;
	unsigned status; /* of a refusal; 0: none */
	const char *why;
	bool is_other; /* the part that comes has another name than `file` */
};

static void content_free(struct upload *u)
{
	if (u->first)
		session_work_free(u->first);
	multipart_close(u->form);
	free(u->path);
	free(u);
}

static void content_abandon(struct request *r)
{
	content_free(r->work);
}

static void content_fail(struct upload *u, unsigned status, const char *why)
{
	if (!u->status)
		u->why = why;
	u->status = u->status ? u->status : status;
}

static bool content_answer_put(struct session_work *w);

static void content_begin_file(struct upload *u, const char *path)
{
	auto_free char *absolute = box_path(path);
	struct session_work *w =
		content_new(u->request, u->name, FILES_PUT, absolute, content_answer_put);

	u->request->work = u;
	u->request->abandon = content_abandon;
	if (u->last)
		u->last->next = w;
	else
		u->first = w;
	u->last = w;
	w->has_failed = session_content_open(w) != 0;
}

static void content_add(struct upload *u, const char *bytes, size_t length)
{
	struct session_work *w = u->last;

	if (w && !w->has_failed && session_content_add(w, bytes, length)) {
		w->has_failed = true;
		session_content_drop(w);
	}
	if (w && w->has_failed)
		content_fail(u, 507, w->e.text);
}

/* A piece of a part. */
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
	else if (u->path || filename)
		content_begin_file(u, u->path ? u->path : filename);
	else
		content_fail(u, 400, NO_PATH);
}

static struct upload *content_begin(struct request *r)
{
	struct upload *u = own_zeroed(1, sizeof(*u));
	const char *type = request_header(r, "Content-Type");
	const char *packed = request_header(r, "Content-Encoding");
	struct err e;

	r->work = u;
	r->abandon = content_abandon;
	u->request = r;
	u->path = query_text(request_query(r), "path");
	(void)entry_name(r, u->name);
	if (packed && strcmp(packed, "identity") != 0)
		content_fail(u, 415, PACKED);
	else if (!type || !media_type_is(type, "multipart/form-data"))
		u->path ? content_begin_file(u, u->path) : content_fail(u, 400, NO_PATH);
	else if (multipart_open(type, content_take_part, u, &u->form, &e))
		content_fail(u, 400, "the form has no boundary");
	return u;
}

bool content_take(struct request *r, const char *bytes, size_t length)
{
	struct upload *u = r->work ? r->work : content_begin(r);
	struct err e;

	if (!u->status && length && u->form && multipart_add(u->form, bytes, length, &e))
		content_fail(u, 400, "the form is malformed");
	else if (!u->status && length && !u->form)
		content_add(u, bytes, length);
	return !u->status;
}

static void content_put(struct session_work *w)
{
	if (!w->has_failed)
		w->has_failed = session_content_rewind(w) != 0;
	if (!w->has_failed) {
		session_work_queue(w, session_work_start);
		return;
	}
	files_refuse(w->request, &w->e);
	session_work_free(w);
}

static bool content_answer_put(struct session_work *w)
{
	const char *slash = strrchr(w->path, '/');
	struct buf *body = &w->out[0];
	struct session_work *next;

	if (!body->length)
		json_put_begin(body, NULL, '[');
	json_put(body, "{name:%s, type:'file', path:%s}", slash ? slash + 1 : w->path, w->path);
	next = session_work_take_next(w);
	if (next) {
		next->out[0] = *body;
		*body = (struct buf){0};
		content_put(next);
		return true;
	}
	json_put_end(body, ']');
	request_reply(w->request, 200, "application/json", body);
	return true;
}

void content_run_put(struct request *r)
{
	struct upload *u = r->work;
	struct session_work *first;
	struct err e;

	if (!u->status && u->form && multipart_end(u->form, &e))
		content_fail(u, 400, "the form is cut");
	if (!u->status && !u->first)
		content_fail(u, 400, NO_FILE);
	if (u->status) {
		request_refuse(r, u->status, "%s", u->why);
		content_free(u);
		return;
	}
	first = take_ptr(&u->first);
	content_free(u);
	r->work = NULL;
	session_work_adopt(first);
	content_put(first);
}
