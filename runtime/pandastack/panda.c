/*
 * panda - a box as PandaStack's API has it, and work on its session.
 */
#include "pandastack/panda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "loop/clock.h"
#include "request/files.h"

#define LONG_MS    (365ull * 24 * 3600 * 1000) /* a later end need not be known */
#define PANDA_BUSY "the sandbox is busy with another run"

/* -- the table ------------------------------------------------------------------------------- */

const struct box_face panda_face = {.size = sizeof(struct box)};

struct box *panda_find(const struct server *s, const char *name)
{
	return box_find(s, &panda_face, name);
}

struct box *panda_meet(const struct session_work *w)
{
	return box_meet(w->server, &panda_face, w->name, w->key);
}

/* -- work ------------------------------------------------------------------------------------ */

bool panda_is_theirs(struct request *r)
{
	if (handle_check(&r->server->sessions.secret, r->key->id, r->segments[0]))
		return true;
	request_refuse(r, 404, PANDA_NOT_FOUND);
	return false;
}

struct session_work *panda_work(struct request *r, enum notebook_action action,
				bool (*answer)(struct session_work *w))
{
	struct session_work *w;

	if (!panda_is_theirs(r))
		return NULL;
	w = session_work_new(r, action, answer);
	w->refuse = panda_refuse;
	w->ask.life.most_ms = r->key->ceiling.quota.ttl_ms;
	return w;
}

static bool panda_answer_awake(struct session_work *w)
{
	struct request *r = w->request;

	panda_meet(w)->is_asleep = false;
	session_work_resume(w, take_ptr(&w->more));
	r->route->run(r);
	return true;
}

static void panda_free_begun(void *begun)
{
	session_work_free(begun);
}

bool panda_wakes(struct request *r)
{
	const struct box *p = panda_find(r->server, r->segments[0]);
	struct session_work *begun = r->work;
	struct session_work *w;

	if (!p || !p->is_asleep)
		return false;
	w = panda_work(r, NOTEBOOK_THAW, panda_answer_awake);
	if (!w)
		return true;
	w->more = begun;
	w->free_more = panda_free_begun;
	session_work_defer(w);
	session_work_queue(w, session_work_start);
	return true;
}

/* The sandbox itself could not be worked on. Returns whether that is so. */
static bool panda_refuse_sandbox(struct session_work *w, const struct err *e)
{
	const bool is_files = w->ask.action == NOTEBOOK_FILES;

	if (w->result.was_there)
		return false;
	if (e->kind == ERR_BUSY) {
		request_refuse(w->request, 409, "%s", is_files ? PANDA_PAUSED : PANDA_BUSY);
		return true;
	}
	if (e->kind != ERR_NOT_FOUND && e->kind != ERR_GONE)
		return false;
	request_refuse(w->request, 404, PANDA_NOT_FOUND);
	box_forget_named(w->server, &panda_face, w->name);
	return true;
}

void panda_refuse(struct session_work *w, const struct err *e)
{
	const char *root = w->ask.action == NOTEBOOK_FILES ? "/" : "";

	if (panda_refuse_sandbox(w, e))
		return;
	if (e->kind == ERR_NOT_FOUND)
		request_refuse(w->request, 404, "%s%s", root, e->text);
	else if (e->kind == ERR_INPUT || e->kind == ERR_LIMIT)
		request_refuse(w->request, 400, "%s%s", root, e->text);
	else if (e->kind == ERR_DENIED)
		request_refuse(w->request, 403, "%s%s", root, e->text);
	else
		files_refuse(w->request, e);
}

int panda_read_time(struct request *r, const struct json *body, const char *member, double unit_ms,
		    uint64_t most_ms, uint64_t *ms)
{
	const struct json *node = json_get(body, member);
	double value = 0;

	most_ms = clock_earlier(most_ms, 100 * LONG_MS);

	if (!node)
		return 0;
	if (json_double(node, &value) || value <= 0 || value * unit_ms > (double)most_ms) {
		request_refuse(r, 400, "%s: a number above 0, %.0f at most", member,
			       (double)most_ms / unit_ms);
		return -1;
	}
	*ms = (uint64_t)(value * unit_ms);
	*ms += !*ms;
	return 0;
}
