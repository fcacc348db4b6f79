/*
 * claim - the sandbox that a request of agent-sandbox's API means, begun if it is not there.
 */
#include "agentsandbox/claim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "box/box.h"
#include "box/box_upload.h"
#include "loop/clock.h"
#include "request/capacity.h"
#include "request/files.h"
#include "request/server.h"
#include "request/terms.h"

#define DEFAULT    "default"
#define LABEL_MOST 63
#define LIFE_MS    (24 * 3600 * 1000ull)
#define NO_NAME                                                                                    \
	"X-Sandbox-ID and X-Sandbox-Namespace: letters a to z, digits and dashes, at most 63"
#define ENDED "the sandbox has ended"

/* A request that waits for its sandbox. */
struct claim {
	struct session_work *work;
	void (*go)(struct request *r, const char *name);
	struct session_work *begun;   /* owned; the work that the request had; NULL */
	LIST_HEAD(, claim) followers; /* that wait for what this one begins */
	LIST_ENTRY(claim) link;       /* of a leader's followers, if it follows */
	bool follows;
};

/* -- names ----------------------------------------------------------------------------------- */

/* A label of DNS (RFC 1123). NULL: it is malformed. */
static const char *claim_label(const struct request *r, const char *header)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
	const char *text = request_header(r, header);
	size_t length;

	if (!text)
		return DEFAULT;
	length = strlen(text);
	return length && length <= LABEL_MOST && strspn(text, letters) == length && *text != '-' &&
			       text[length - 1] != '-'
		       ? text
		       : NULL;
}

int claim_name(const struct request *r, char out[HANDLE_BYTES])
{
	const struct server *s = r->server;
	const char *id = claim_label(r, "X-Sandbox-ID");
	const char *namespace = claim_label(r, "X-Sandbox-Namespace");
	auto_free char *text = NULL;

	if (!id || !namespace)
		return -1;
	text = own_printf("agent-sandbox/%s/%s", namespace, id);
	handle_derive(&s->sessions.secret, r->key->id, s->options.node, text, out);
	return 0;
}

const char *claim_said(const struct request *r)
{
	return r->segments[0] ? r->segments[0] : "";
}

char *claim_path(const char *text)
{
	auto_buf struct buf path = {0};

	buf_text(&path, CLAIM_HOME);
	while (*text) {
		const size_t length = strcspn(text, "/");

		if (length == 2 && !strncmp(text, "..", 2)) {
			if (path.length == strlen(CLAIM_HOME))
				return NULL;
			buf_cut(&path, (size_t)(strrchr(buf_string(&path), '/') - path.data));
		} else if (length && !(length == 1 && *text == '.')) {
			buf_printf(&path, "/%.*s", (int)length, text);
		}
		text += length + (text[length] == '/');
	}
	return buf_take(&path);
}

/* -- the session ----------------------------------------------------------------------------- */

void claim_refuse(struct session_work *w, const struct err *e)
{
	if (e->kind == ERR_GONE || (e->kind == ERR_NOT_FOUND && !w->result.was_there))
		request_refuse(w->request, 502, ENDED);
	else if (e->kind == ERR_BUSY && !w->result.was_there)
		request_refuse(w->request, 503, "%s", e->text);
	else if (e->kind == ERR_NOT_FOUND)
		request_refuse(w->request, 404, "path does not exist within the sandbox");
	else if (w->ask.files.action == FILES_PUT && !strcmp(w->ask.files.path, CLAIM_HOME))
		request_refuse(w->request, 400, "target path is a directory");
	else if (e->kind == ERR_DENIED)
		request_refuse(w->request, 403, "Access denied");
	else if (e->kind == ERR_INPUT || e->kind == ERR_EXISTS)
		request_refuse(w->request, 400, "/%s", e->text);
	else
		files_refuse(w->request, e);
}

static bool claim_go(struct session_work *w);
static bool claim_answer_listed(struct session_work *w);
static void claim_refuse_begun(struct session_work *w, const struct err *e);

static void claim_look(struct session_work *w)
{
	w->ask.action = NOTEBOOK_SESSIONS;
	w->answer = claim_answer_listed;
	w->again = NULL;
	w->refuse = claim_refuse_begun;
	session_work_start(w);
}

static void claim_unfollow(struct claim *n)
{
	if (n->follows)
		LIST_REMOVE(n, link);
	n->follows = false;
}

/*
 * The one that was to begin the sandbox is over. If its client disconnected, the others look again,
 * and one of them begins it; otherwise it has been refused, and so are they.
 * @e  why no cell could be had; NULL: it had no place.
 */
static void claim_dismiss(struct claim *leader, const struct err *e)
{
	struct claim *n;

	while ((n = LIST_FIRST(&leader->followers))) {
		struct session_work *w = n->work;

		claim_unfollow(n);
		if (!leader->work->request) {
			claim_look(w);
			continue;
		}
		if (e)
			capacity_refuse(w->request, e);
		else
			capacity_refuse_place(w->request, w->server->options.retry_s);
		session_work_free(w);
	}
}

static void claim_free(void *more)
{
	struct claim *n = more;

	claim_unfollow(n);
	claim_dismiss(n, NULL);
	if (n->begun)
		session_work_free(n->begun);
	free(n);
}

/*
 * The sandbox is there: run the route's second half in the place of this work, which has no place
 * of its key's any more.
 */
static bool claim_go(struct session_work *w)
{
	struct claim *n = w->more;
	struct claim *follower;
	struct request *r = w->request;

	permit_leave(&w->permit);
	while ((follower = LIST_FIRST(&n->followers))) {
		claim_unfollow(follower);
		(void)claim_go(follower->work);
		session_work_free(follower->work);
	}
	session_work_resume(w, take_ptr(&n->begun));
	n->go(r, w->name);
	return true;
}

/* The claim that begins the sandbox, or ends what it has begun; NULL: none. */
static struct claim *claim_leader(const struct session_work *w)
{
	const struct session_work *other;

	LIST_FOREACH (other, &w->server->sessions.works, link) {
		const bool begins =
			other->ask.action == NOTEBOOK_BEGIN || other->ask.action == NOTEBOOK_DROP;

		if (other != w && begins && other->free_more == claim_free &&
		    !strcmp(other->name, w->name))
			return other->more;
	}
	return NULL;
}

static int claim_plan(struct session_work *w, struct err *e)
{
	if (terms_read(w->request, NULL, &w->terms, e) ||
	    terms_reach_all(w->request, &w->terms, e) || box_plan(w, CLAIM_HOME, e))
		return -1;
	w->ask.begin.life.ttl_ms = clock_earlier(w->key->ceiling.quota.ttl_ms, LIFE_MS);
	return 0;
}

/* Another process has begun it meanwhile: look again, as one that asks for the first time. */
static bool claim_again(struct session_work *w)
{
	if (w->result.error.kind != ERR_EXISTS)
		return false;
	permit_leave(&w->permit);
	permit_open(&w->permit, w->server, w->key);
	spec_fini(&w->terms);
	claim_look(w);
	return true;
}

/* It cannot be had: the others that wait for it are told the same. */
static void claim_refuse_begun(struct session_work *w, const struct err *e)
{
	claim_dismiss(w->more, e);
	capacity_refuse(w->request, e);
}

static bool claim_begin(struct session_work *w)
{
	struct err e;

	if (claim_plan(w, &e)) {
		request_refuse(w->request, 503, "%s", e.text);
		return true;
	}
	account_open(&w->permit.account, w->request, METRICS_SESSION_CREATE);
	w->ask.action = NOTEBOOK_BEGIN;
	w->answer = claim_go;
	w->again = claim_again;
	w->refuse = claim_refuse_begun;
	session_work_queue(w, sessions_go);
	return false;
}

static bool claim_answer_listed(struct session_work *w)
{
	struct claim *leader = claim_leader(w);
	struct claim *n = w->more;

	if (!leader)
		return box_session(w, w->name) ? claim_go(w) : claim_begin(w);
	LIST_INSERT_HEAD(&leader->followers, n, link);
	n->follows = true;
	return false;
}

void claim_run(struct request *r, void (*go)(struct request *r, const char *name))
{
	struct session_work *begun = r->work;
	struct session_work *w;
	char name[HANDLE_BYTES];
	struct claim *n;

	if (claim_name(r, name)) {
		request_refuse(r, 400, NO_NAME);
		if (begun)
			session_work_free(begun);
		return;
	}
	w = session_work_named(r, name, NOTEBOOK_SESSIONS, claim_answer_listed);
	n = own_zeroed(1, sizeof(*n));
	n->work = w;
	n->go = go;
	n->begun = begun;
	w->more = n;
	w->free_more = claim_free;
	session_work_defer(w);
	claim_look(w);
}

void claim_run_path(struct request *r, const char *leads_out,
		    void (*go)(struct request *r, const char *name))
{
	auto_free char *path = claim_path(claim_said(r));

	if (path)
		claim_run(r, go);
	else
		request_refuse(r, 403, "%s", leads_out);
}

static void claim_go_upload(struct request *r, const char *name)
{
	(void)name;
	box_upload_end(r);
}

void claim_run_upload(struct request *r)
{
	if (box_upload_is_refused(box_upload_of(r)))
		box_upload_end(r);
	else
		claim_run(r, claim_go_upload);
}
