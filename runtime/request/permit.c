/*
 * permit - quota, place, count of sessions and account of a request.
 */
#include "request/permit.h"

#include <string.h>

#include "base/own.h"
#include "request/server.h"

void permit_open(struct permit *p, struct server *server, struct key *key)
{
	*p = (struct permit){.server = server, .key = key};
	key_hold(key);
}

/* -- a place --------------------------------------------------------------------------------- */

/* Half of the places, at least one, for a key whose ceiling names no number. */
static uint64_t permit_places(const struct permit *p)
{
	const uint64_t named = p->key->ceiling.quota.runs;

	if (named != SPEC_UNLIMITED || !p->server->options.keys)
		return named;
	return (p->server->options.runs_max + 1) / 2;
}

static void permit_refuse(struct permit *p, enum metrics_reason reason, const struct err *e,
			  uint64_t seconds)
{
	account_reject(&p->account, reason);
	p->decided(p->context, e, seconds);
}

static void permit_placed(void *context, bool admitted)
{
	struct permit *p = context;
	struct err e;

	if (admitted) {
		p->decided(p->context, NULL, 0);
		return;
	}
	err_set(&e, ERR_BUSY, "no place came free in time");
	permit_refuse(p, METRICS_SATURATED, &e, p->server->options.retry_s);
}

void permit_ask(struct permit *p, permit_decided *decided, void *context)
{
	const bool is_run = p->account.server;
	struct admission_line *line = is_run ? &p->key->runs : &p->key->upkeep;
	uint64_t seconds = p->server->options.retry_s;
	struct err e;

	p->decided = decided;
	p->context = context;
	if (is_run && quota_enter_run(p->key, &seconds, &e)) {
		permit_refuse(p, METRICS_QUOTA, &e, seconds);
		return;
	}
	p->has_quota = is_run;
	line->most = permit_places(p);
	p->ticket = (struct ticket){.decided = permit_placed, .context = p};
	admission_ask(is_run ? &p->server->admission : &p->server->upkeep, line, &p->ticket);
}

/* -- one more session ------------------------------------------------------------------------ */

/* The session counts from now on, until permit_begun(). */
static void permit_enter(struct permit *p)
{
	LIST_INSERT_HEAD(&p->server->sessions.beginning, p, link);
	p->is_beginning = true;
	p->decided(p->context, NULL, 0);
}

void permit_begun(struct permit *p)
{
	if (!p->is_beginning)
		return;
	LIST_REMOVE(p, link);
	p->is_beginning = false;
	p->key->use.begun++;
}

static bool permit_is_listed(const struct notebook_result *list, const char *name)
{
	for (size_t i = 0; i < list->session_count; i++) {
		if (!strcmp(list->sessions[i].name, name))
			return true;
	}
	return false;
}

static uint64_t permit_sessions(const struct permit *p)
{
	const struct sessions *s = &p->server->sessions;
	const struct permit *x;
	uint64_t count = 0;

	for (size_t i = 0; i < p->list.session_count; i++)
		count += handle_check(&s->secret, p->key->id, p->list.sessions[i].name);
	LIST_FOREACH (x, &s->beginning, link)
		count += x->key == p->key && !permit_is_listed(&p->list, x->name);
	return count;
}

static void permit_counted(void *context)
{
	struct permit *p = context;
	uint64_t seconds = 1;
	struct err e;

	notebook_free(take_ptr(&p->notebook));
	e = p->list.error;
	if (p->list.failed)
		p->decided(p->context, &e, 0);
	else if (p->begun != p->key->use.begun)
		permit_count(p, p->name, p->decided, p->context);
	else if (quota_check_sessions(p->key, permit_sessions(p), &seconds, &e))
		p->decided(p->context, &e, seconds);
	else
		permit_enter(p);
}

void permit_count(struct permit *p, const char *name, permit_decided *decided, void *context)
{
	const struct notebook_request request = {.action = NOTEBOOK_SESSIONS,
						 .where = supplier_where(&p->server->supplier)};
	struct err e;

	p->name = name;
	p->decided = decided;
	p->context = context;
	permit_begun(p);
	p->begun = p->key->use.begun;
	notebook_result_fini(&p->list);
	if (p->key->ceiling.quota.sessions == SPEC_UNLIMITED)
		permit_enter(p);
	else if (notebook_start(p->server->hub, &request, &p->list, permit_counted, p, &p->notebook,
				&e))
		decided(context, &e, 0);
}

/* -- the end --------------------------------------------------------------------------------- */

void permit_leave(struct permit *p)
{
	if (!p->key)
		return;
	account_close(&p->account);
	notebook_free(take_ptr(&p->notebook));
	notebook_result_fini(&p->list);
	permit_begun(p);
	if (p->has_quota)
		quota_leave_run(p->key);
	admission_leave(&p->ticket); /* admits others, who count sessions that are beginning */
	key_release(take_ptr(&p->key));
}
