/*
 * older - upload, download, list and exists: files of a sandbox as the first runtime serves them.
 */
#include <stdlib.h>
#include <string.h>

#include "agentsandbox/calls.h"
#include "agentsandbox/claim.h"
#include "base/json_put.h"
#include "base/own.h"
#include "box/box_upload.h"
#include "request/session_content.h"

#define JSON      "application/json"
#define NOT_FOUND "File not found"
#define NO_FOLDER "Path is not a directory"
#define DENIED    "Access denied"

/* -- contents -------------------------------------------------------------------------------- */

static void older_reply_uploaded(struct session_work *w, const struct box_upload *u)
{
	auto_free char *message = own_printf("File '%s' uploaded successfully.",
					     u->files[0].path + sizeof(CLAIM_HOME));
	auto_buf struct buf body = {0};

	json_put(&body, "{message:%s}", message);
	request_reply(w->request, 200, JSON, &body);
}

static const struct box_upload_face older_face = {
	.resolve = claim_path,
	.reply = older_reply_uploaded,
	.refuse = claim_refuse,
	.status = 422,
	.no_path = "file: a part with a filename is needed",
	.no_file = "file: a part with a filename is needed",
	.leads_out = DENIED,
};

bool older_take(struct request *r, const char *bytes, size_t length)
{
	char name[HANDLE_BYTES] = "";

	if (r->work)
		return box_upload_take(box_upload_of(r), bytes, length);
	(void)claim_name(r, name); /* claim_run() refuses it */
	return box_upload_take(box_upload_open(r, &older_face, name, NULL), bytes, length);
}

/* Begin work on the path of the request. */
static struct session_work *older_work(struct request *r, const char *name,
				       enum files_action action,
				       bool (*answer)(struct session_work *w))
{
	auto_free char *path = claim_path(claim_said(r));
	struct session_work *w = session_content_new(r, name, action, path, answer);

	w->refuse = claim_refuse;
	w->ask.files.anywhere = true;
	return w;
}

/* Directories, links and devices have no content to send. */
static void older_refuse_download(struct session_work *w, const struct err *e)
{
	if (w->result.was_there && (e->kind == ERR_NOT_FOUND || e->kind == ERR_INPUT))
		request_refuse(w->request, 404, NOT_FOUND);
	else
		claim_refuse(w, e);
}

static void older_go_download(struct request *r, const char *name)
{
	struct session_work *w = older_work(r, name, FILES_GET, session_content_answer);

	w->refuse = older_refuse_download;
	session_content_get(w);
}

void older_run_download(struct request *r)
{
	claim_run_path(r, DENIED, older_go_download);
}

/* -- names ----------------------------------------------------------------------------------- */

static void older_put(const struct json *entry, struct buf *out)
{
	json_put(out, "{name:%s, size:%lu, type:%s, mod_time:%lu}", session_content_name(entry),
		 (unsigned long)json_uint_at(entry, "size", 0),
		 strcmp(json_text_at(entry, "type"), "directory") ? "file" : "directory",
		 (unsigned long)json_uint_at(entry, "mtime", 0));
}

static bool older_answer_list(struct session_work *w)
{
	auto_json struct json *entries = session_content_entries(w);
	auto_buf struct buf body = {0};

	if (session_content_is_file(w, entries)) {
		request_refuse(w->request, 404, NO_FOLDER);
		return true;
	}
	json_put_begin(&body, NULL, '[');
	for (const struct json *n = json_first(entries); n; n = json_next(n))
		older_put(n, &body);
	json_put_end(&body, ']');
	request_reply(w->request, 200, JSON, &body);
	return true;
}

static void older_refuse_list(struct session_work *w, const struct err *e)
{
	if (w->result.was_there && (e->kind == ERR_NOT_FOUND || e->kind == ERR_INPUT))
		request_refuse(w->request, 404, NO_FOLDER);
	else
		claim_refuse(w, e);
}

static void older_go_list(struct request *r, const char *name)
{
	struct session_work *w = older_work(r, name, FILES_LIST, older_answer_list);

	w->refuse = older_refuse_list;
	w->ask.files.max_depth = 1;
	session_work_queue(w, session_work_start);
}

void older_run_list(struct request *r)
{
	claim_run_path(r, DENIED, older_go_list);
}

static void older_reply_exists(struct session_work *w, bool exists)
{
	auto_buf struct buf body = {0};

	json_put(&body, "{path:%s, exists:%i}", claim_said(w->request), exists);
	request_reply(w->request, 200, JSON, &body);
}

static bool older_answer_exists(struct session_work *w)
{
	older_reply_exists(w, true);
	return true;
}

static void older_refuse_exists(struct session_work *w, const struct err *e)
{
	if (w->result.was_there && (e->kind == ERR_NOT_FOUND || e->kind == ERR_INPUT))
		older_reply_exists(w, false);
	else
		claim_refuse(w, e);
}

static void older_go_exists(struct request *r, const char *name)
{
	struct session_work *w = older_work(r, name, FILES_LIST, older_answer_exists);

	w->refuse = older_refuse_exists;
	w->ask.files.itself = true;
	session_work_queue(w, session_work_start);
}

void older_run_exists(struct request *r)
{
	claim_run_path(r, DENIED, older_go_exists);
}
