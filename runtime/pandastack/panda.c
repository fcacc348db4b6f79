/*
 * panda - a sandbox as clients of PandaStack's API know it.
 */
#include "pandastack/panda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "loop/clock.h"
#include "request/files.h"

#define PANDA_NOT_FOUND "sandbox not found"
#define UNKNOWN_MS      (24 * 3600 * 1000ull) /* of a session that is not asked how long it lives */
#define LONG_MS         (365ull * 24 * 3600 * 1000) /* a later end need not be known */
#define PANDA_BUSY      "the sandbox is busy with another run"

/* -- the table ------------------------------------------------------------------------------- */

struct panda *panda_find(const struct server *s, const char *name)
{
	struct panda *p;

	LIST_FOREACH (p, &s->pandas, link) {
		if (!strcmp(p->name, name))
			return p;
	}
	return NULL;
}

struct panda *panda_meet(struct server *s, const char *name, const struct key *owner)
{
	struct panda *p = panda_find(s, name);

	if (p)
		return p;
	p = own_zeroed(1, sizeof(*p));
	snprintf(p->name, sizeof(p->name), "%s", name);
	snprintf(p->owner, sizeof(p->owner), "%s", owner->id);
	p->template = own_strdup(s->image);
	buf_text(&p->metadata, "{}");
	p->ends_us = monotonic_us() + UNKNOWN_MS * 1000;
	for (unsigned i = 0; i < PANDA_CONTEXTS; i++)
		snprintf(p->contexts[i].slot, sizeof(p->contexts[i].slot), "%u", i + 1);
	LIST_INSERT_HEAD(&s->pandas, p, link);
	return p;
}

void panda_lives(struct panda *p, uint64_t age_ms, uint64_t ttl_ms)
{
	const uint64_t left_ms = clock_earlier(ttl_ms - clock_earlier(age_ms, ttl_ms), LONG_MS);

	if (ttl_ms)
		p->ends_us = monotonic_us() + left_ms * 1000;
}

static void panda_free(struct panda *p)
{
	LIST_REMOVE(p, link);
	free(p->template);
	buf_fini(&p->metadata);
	free(p);
}

void panda_forget(struct server *s, const char *name)
{
	struct panda *p = panda_find(s, name);

	if (p)
		panda_free(p);
}

void panda_sweep(struct server *s)
{
	const uint64_t now = monotonic_us();
	struct panda *next;

	for (struct panda *p = LIST_FIRST(&s->pandas); p; p = next) {
		next = LIST_NEXT(p, link);
		if (p->ends_us < now)
			panda_free(p);
	}
}

void panda_forget_all(struct server *s)
{
	while (!LIST_EMPTY(&s->pandas))
		panda_free(LIST_FIRST(&s->pandas));
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

	panda_meet(w->server, w->name, w->key)->is_hibernated = false;
	r->work = NULL;
	r->abandon = NULL;
	if (w->more)
		session_work_adopt(take_ptr(&w->more));
	r->body = w->source;
	w->source = (struct buf){0};
	r->route->run(r);
	return true;
}

static void panda_free_begun(void *begun)
{
	session_work_free(begun);
}

bool panda_wakes(struct request *r)
{
	const struct panda *p = panda_find(r->server, r->segments[0]);
	struct session_work *begun = r->work;
	struct session_work *w;

	if (!p || !p->is_hibernated)
		return false;
	w = panda_work(r, NOTEBOOK_THAW, panda_answer_awake);
	if (!w)
		return true;
	w->more = begun;
	w->free_more = panda_free_begun;
	w->source = r->body; /* it is dropped when its route returns */
	r->body = (struct buf){0};
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
	panda_forget(w->server, w->name);
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
