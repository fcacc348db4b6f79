/*
 * content - /files of E2B's envd: what files hold, as bytes or as the parts of a form.
 */
#include "e2b/calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_put.h"
#include "base/own.h"
#include "box/box_upload.h"
#include "e2b/e2b_box.h"
#include "e2b/entry.h"
#include "e2b/running.h"
#include "request/files.h"
#include "request/session_content.h"
#include "web/query.h"

#define NO_PATH "path: the path of a file is needed"

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

void content_run_get(struct request *r)
{
	auto_free char *said = query_text(request_query(r), "path");
	auto_free char *path = e2b_box_path(said ? said : "");
	struct e2b_box *b = entry_box(r);

	if (b && !said)
		request_refuse(r, 400, NO_PATH);
	else if (b)
		session_content_get(
			content_new(r, b->box.name, FILES_GET, path, session_content_answer));
}

/* -- put ------------------------------------------------------------------------------------- */

static void content_reply_put(struct session_work *w, const struct box_upload *u)
{
	auto_buf struct buf body = {0};

	json_put_begin(&body, NULL, '[');
	for (size_t i = 0; i < u->count; i++)
		json_put(&body, "{name:%s, type:'file', path:%s}",
			 strrchr(u->files[i].path, '/') + 1, u->files[i].path);
	json_put_end(&body, ']');
	request_reply(w->request, 200, "application/json", &body);
}

/* A sandbox is all a client's: no path leads out. */
static const struct box_upload_face content_face = {
	.resolve = e2b_box_path,
	.reply = content_reply_put,
	.refuse = content_refuse,
	.status = 400,
	.no_path = NO_PATH,
	.no_file = "the form has no part called file",
	.leads_out = NO_PATH,
};

static struct box_upload *content_begin(struct request *r)
{
	char name[HANDLE_BYTES] = "";

	(void)entry_name(r, name);
	return box_upload_open(r, &content_face, name, query_text(request_query(r), "path"));
}

bool content_take(struct request *r, const char *bytes, size_t length)
{
	return box_upload_take(r->work ? box_upload_of(r) : content_begin(r), bytes, length);
}

void content_run_put(struct request *r)
{
	box_upload_end(r);
}
