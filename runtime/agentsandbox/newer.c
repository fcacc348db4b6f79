/*
 * newer - /v1/files: files and directories of a sandbox as sandboxd serves them.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "agentsandbox/calls.h"
#include "agentsandbox/claim.h"
#include "base/encode.h"
#include "base/json_put.h"
#include "base/own.h"
#include "box/box_upload.h"
#include "loop/clock.h"
#include "request/session_content.h"
#include "web/query.h"

#define JSON         "application/json"
#define LEADS_OUT    "path traversal outside sandbox root is forbidden"
#define IS_FOLDER    "target path is a directory"
#define NO_MODE      "mode: four octal digits, the first is 0"
#define NO_RECURSIVE "recursive: true or false"
#define CLEAR_PASSES 8
#define NOT_EMPTY    "directory is not empty; pass recursive=true to remove it"

/* Begin with what has the path of the request. */
static struct session_work *newer_ask(struct request *r, const char *name,
				      bool (*answer)(struct session_work *w))
{
	auto_free char *path = claim_path(claim_said(r));
	struct session_work *w = session_content_new(r, name, FILES_LIST, path, answer);

	w->refuse = claim_refuse;
	w->ask.files.anywhere = true;
	w->ask.files.itself = true;
	return w;
}

static bool newer_is_folder(const struct session_work *w)
{
	auto_json struct json *entries = session_content_entries(w);

	return !strcmp(json_text_at(json_first(entries), "type"), "directory");
}

/* Go on with what is in the directory. Returns false: the work goes on. */
static bool newer_look_inside(struct session_work *w, bool (*answer)(struct session_work *w))
{
	w->ask.files.itself = false;
	w->ask.files.max_depth = 1;
	w->answer = answer;
	session_work_start(w);
	return false;
}

/* -- get ------------------------------------------------------------------------------------- */

static void newer_put(const struct json *entry, struct buf *out)
{
	const char *type = json_text_at(entry, "type");
	char modified[CLOCK_UTC_SIZE];

	if (strcmp(type, "file") != 0 && strcmp(type, "directory") != 0)
		return;
	clock_utc_at(json_uint_at(entry, "mtime", 0) * 1000, modified);
	json_put(out, "{name:%s, size:%lu, type:%s, modified_at:%s, mode:%s}",
		 session_content_name(entry), (unsigned long)json_uint_at(entry, "size", 0), type,
		 modified, json_text_at(entry, "mode"));
}

static bool newer_answer_listed(struct session_work *w)
{
	auto_json struct json *entries = session_content_entries(w);
	auto_free char *path = own_printf("/%s", w->path + strlen(CLAIM_HOME) +
							 (w->path[strlen(CLAIM_HOME)] == '/'));
	auto_buf struct buf body = {0};

	json_put_begin(&body, NULL, '{');
	json_put_text(&body, "path", path);
	json_put_begin(&body, "entries", '[');
	for (const struct json *n = json_first(entries); n; n = json_next(n))
		newer_put(n, &body);
	json_put_end(&body, ']');
	json_put_end(&body, '}');
	request_reply(w->request, 200, JSON, &body);
	return true;
}

static bool newer_answer_found(struct session_work *w)
{
	if (newer_is_folder(w))
		return newer_look_inside(w, newer_answer_listed);
	w->ask.files.action = FILES_GET;
	w->answer = session_content_answer;
	session_content_get(w);
	return false;
}

static void newer_go_get(struct request *r, const char *name)
{
	session_work_start(newer_ask(r, name, newer_answer_found));
}

void newer_run_get(struct request *r)
{
	claim_run_path(r, LEADS_OUT, newer_go_get);
}

/* -- put ------------------------------------------------------------------------------------- */

static void newer_reply_put(struct session_work *w, const struct box_upload *u)
{
	(void)u;
	request_reply(w->request, 204, NULL, NULL);
}

static const struct box_upload_face newer_face = {
	.resolve = claim_path,
	.reply = newer_reply_put,
	.refuse = claim_refuse,
	.status = 400,
	.no_path = IS_FOLDER,
	.no_file = "the form has no part called file",
	.leads_out = LEADS_OUT,
};

static void newer_read_mode(struct box_upload *u, const struct request *r)
{
	auto_free char *mode = query_text(request_query(r), "mode");

	if (!mode)
		return;
	if (strlen(mode) != 4 || mode[0] != '0' || strspn(mode, "01234567") != 4)
		box_upload_fail(u, 400, NO_MODE);
	else
		u->work->ask.files.mode = S_IFREG | (mode_t)strtoul(mode, NULL, 8);
}

static struct box_upload *newer_begin(struct request *r)
{
	char name[HANDLE_BYTES] = "";
	struct box_upload *u;

	(void)claim_name(r, name); /* claim_run() refuses it */
	u = box_upload_open(r, &newer_face, name, own_strdup(claim_said(r)));
	newer_read_mode(u, r);
	return u;
}

bool newer_take(struct request *r, const char *bytes, size_t length)
{
	return box_upload_take(r->work ? box_upload_of(r) : newer_begin(r), bytes, length);
}

/* -- delete ---------------------------------------------------------------------------------- */

static bool newer_answer_deleted(struct session_work *w)
{
	request_reply(w->request, 204, NULL, NULL);
	return true;
}

static bool newer_delete(struct session_work *w, bool (*answer)(struct session_work *w))
{
	w->ask.files.action = FILES_DELETE;
	w->answer = answer;
	session_work_start(w);
	return false;
}

/* The root stays, and what is in it is deleted, one after the other. */
struct clearing {
	struct json *entries; /* owned; of one listing */
	const struct json *next;
	unsigned passes;
};

static void newer_free_clearing(void *more)
{
	struct clearing *c = more;

	json_free(c->entries);
	free(c);
}

static bool newer_answer_root(struct session_work *w);

static bool newer_clear_next(struct session_work *w)
{
	struct clearing *c = w->more;
	const char *bytes;

	if (!c->next) {
		w->ask.files.action = FILES_LIST;
		w->ask.files.path = CLAIM_HOME;
		return newer_look_inside(w, newer_answer_root);
	}
	bytes = json_string_at(c->next, "path_hex");
	free(w->to);
	w->to = own_printf("/%s", json_text_at(c->next, "path"));
	if (bytes) {
		free(w->to);
		w->to = own_zeroed(strlen(bytes) / 2 + 2, 1);
		*w->to = '/';
		/* It is ours: a wrong one would be a path that is not there. */
		(void)decode_hex(bytes, w->to + 1);
	}
	c->next = json_next(c->next);
	w->ask.files.path = w->to;
	return newer_delete(w, newer_clear_next);
}

/* Programs may go on to write: that comes to an end, too. */
static bool newer_answer_root(struct session_work *w)
{
	struct clearing *c = w->more;

	json_free(c->entries);
	c->entries = session_content_entries(w);
	c->next = json_first(c->entries);
	if (!c->next)
		return newer_answer_deleted(w);
	if (c->passes++ < CLEAR_PASSES)
		return newer_clear_next(w);
	request_refuse(w->request, 409, NOT_EMPTY);
	return true;
}

static bool newer_clear(struct session_work *w)
{
	w->more = own_zeroed(1, sizeof(struct clearing));
	w->free_more = newer_free_clearing;
	return newer_clear_next(w);
}

static bool newer_answer_inside(struct session_work *w)
{
	auto_json struct json *entries = session_content_entries(w);

	if (!json_first(entries))
		return newer_delete(w, newer_answer_deleted);
	request_refuse(w->request, 409, NOT_EMPTY);
	return true;
}

static bool newer_answer_condemned(struct session_work *w)
{
	auto_free char *recursive = query_text(request_query(w->request), "recursive");
	const bool is_all = recursive && !strcmp(recursive, "true");
	const bool is_root = !strcmp(w->path, CLAIM_HOME);

	if (is_root && is_all)
		return newer_clear(w);
	if (is_root) {
		request_refuse(w->request, 409, NOT_EMPTY);
		return true;
	}
	if (newer_is_folder(w) && !is_all)
		return newer_look_inside(w, newer_answer_inside);
	return newer_delete(w, newer_answer_deleted);
}

static void newer_go_delete(struct request *r, const char *name)
{
	session_work_queue(newer_ask(r, name, newer_answer_condemned), session_work_start);
}

void newer_run_delete(struct request *r)
{
	auto_free char *recursive = query_text(request_query(r), "recursive");

	if (recursive && strcmp(recursive, "true") != 0 && strcmp(recursive, "false") != 0)
		request_refuse(r, 400, NO_RECURSIVE);
	else
		claim_run_path(r, LEADS_OUT, newer_go_delete);
}
