/*
 * mcp_client - clients of /mcp with an Mcp-Session-Id, and their sessions.
 */
#include "serve/mcp_client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "loop/clock.h"
#include "request/server.h"
#include "request/terms.h"
#include "web/query.h"

#define CLIENT_OWNER    "mcp:%s" /* no key has an id of this form */
#define NEEDED          "its client was idle longest, and another one needed its place"
#define IDLE            "its client was idle for too long"

#define TIMEOUT_MS      30000
#define TIMEOUT_MOST_MS 55000ull /* most clients give up after 60 s */
#define OUTPUT_MAX      50000
#define SESSIONS_MOST   4 /* per client */
#define IDLE_MS         1800000ull
#define TTL_MS          86400000ull

/* Created for the first client. */
static struct mcp_clients *mcp_client_all(struct server *server)
{
	if (!server->clients)
		server->clients = own_zeroed(1, sizeof(*server->clients));
	return server->clients;
}

/* -- the backend of a client's sessions ------------------------------------------------------ */

int mcp_client_backend(const struct request *r, struct mcp_backend *p, struct err *e)
{
	struct server *server = r->server;
	const uint64_t ttl_ms = clock_earlier(TTL_MS, r->key->ceiling.quota.ttl_ms);
	auto_free char *egress = query_text(request_query(r), "egress");

	*p = (struct mcp_backend){.hub = server->hub, .supplier = &server->supplier};
	if (terms_read(r, NULL, &p->terms, e) || terms_reach_text(r, egress, &p->terms, e))
		return -1;
	p->image = server->image;
	p->installed = buf_string(&server->installed);
	p->life =
		(struct session_terms){.idle_ms = clock_earlier(IDLE_MS, ttl_ms), .ttl_ms = ttl_ms};
	p->options.sessions_max = SESSIONS_MOST;
	p->options.timeout_ms = TIMEOUT_MS;
	p->options.timeout_max_ms =
		clock_earlier(clock_earlier(server->options.timeout_max_ms, TIMEOUT_MOST_MS),
			      p->terms.limits.wall_time_ms);
	p->options.output_max = clock_earlier(OUTPUT_MAX, p->terms.limits.output_bytes);
	return 0;
}

/* -- end of sessions ------------------------------------------------------------------------- */

/* A session being dropped, without a waiting request. If the drop fails, its idle time ends it. */
struct mcp_drop {
	struct server *server;
	struct key *key; /* held */
	char name[SESSION_NAME_MAX];
	struct notebook *notebook;
	struct notebook_result result;
	LIST_ENTRY(mcp_drop) link;
};

static void mcp_client_free_drop(struct mcp_drop *d)
{
	LIST_REMOVE(d, link);
	notebook_free(d->notebook);
	notebook_result_fini(&d->result);
	key_release(d->key);
	free(d);
}

void mcp_client_await(struct server *server, struct mcp_wait *w)
{
	LIST_INSERT_HEAD(&mcp_client_all(server)->waits, w, link);
	w->is_waiting = true;
}

void mcp_client_forget(struct mcp_wait *w)
{
	if (w->is_waiting)
		LIST_REMOVE(w, link);
	w->is_waiting = false;
}

/* A notified call may wait again at once: detach the list, so each is notified once. */
static void mcp_client_tell(struct server *server)
{
	struct mcp_waits told = mcp_client_all(server)->waits;
	struct mcp_wait *w = LIST_FIRST(&told);

	LIST_INIT(&mcp_client_all(server)->waits);
	if (w)
		w->link.le_prev = &LIST_FIRST(&told);
	while ((w = LIST_FIRST(&told))) {
		mcp_client_forget(w);
		w->done(w->context);
	}
}

static void mcp_client_dropped(void *context)
{
	struct mcp_drop *d = context;
	struct server *server = d->server;

	mcp_client_free_drop(d);
	mcp_client_tell(server);
}

static void mcp_client_drop(const struct mcp_client *c, const struct mcp_session *s)
{
	struct server *server = c->server;
	struct mcp_drop *d = own_zeroed(1, sizeof(*d));
	const struct notebook_request request = {
		.action = NOTEBOOK_DROP, .where = mcp_session_where(s), .name = d->name};
	struct err e;

	d->server = server;
	d->key = c->key;
	key_hold(d->key);
	snprintf(d->name, sizeof(d->name), "%s", s->name);
	LIST_INSERT_HEAD(&mcp_client_all(server)->drops, d, link);
	if (notebook_start(server->hub, &request, &d->result, mcp_client_dropped, d, &d->notebook,
			   &e)) {
		log_error(&server->log, &e);
		mcp_client_free_drop(d);
	}
}

/* -- life of a client ------------------------------------------------------------------------ */

static void mcp_client_free(struct mcp_client *c)
{
	hub_silence(c->server->hub, &c->idle);
	mcp_connection_leave(&c->connection);
	spec_fini(&c->backend.terms);
	key_release(c->key);
	free(c);
}

static void mcp_client_finish(struct mcp_client *c)
{
	for (const struct mcp_session *s = c->connection.sessions; s; s = s->next) {
		if (s->is_begun)
			mcp_client_drop(c, s);
	}
	mcp_client_free(c);
}

static bool mcp_client_has_sessions(const struct mcp_client *c)
{
	const struct mcp_session *s = c->connection.sessions;

	while (s && !s->is_begun)
		s = s->next;
	return s;
}

void mcp_client_end(struct mcp_client *c, const char *why)
{
	LIST_REMOVE(c, link);
	c->is_over = true;
	if (why && mcp_client_has_sessions(c))
		mcp_ended_add(&mcp_client_all(c->server)->ended, c->id, c->key->id, why);
	if (!c->under_way)
		mcp_client_finish(c);
}

static void mcp_client_be_idle(void *context)
{
	mcp_client_end(context, IDLE);
}

int mcp_client_enter(struct mcp_client *c, const struct request *r, struct err *e)
{
	struct mcp_backend fresh;

	/* Refresh the backend: the key's ceiling may have changed. */
	if (!c->under_way) {
		const int bad = mcp_client_backend(r, &fresh, e);

		if (bad) {
			spec_fini(&fresh.terms);
			return -1;
		}
		spec_fini(&c->backend.terms);
		c->backend = fresh;
	}
	hub_silence(c->server->hub, &c->idle);
	c->under_way++;
	return 0;
}

void mcp_client_leave(struct mcp_client *c)
{
	if (--c->under_way)
		return;
	if (c->is_over) {
		mcp_client_finish(c);
		return;
	}
	c->used_us = monotonic_us();
	hub_ring(c->server->hub, &c->idle, c->used_us + c->backend.life.idle_ms * 1000);
}

/* -- making room ----------------------------------------------------------------------------- */

/*
 * Return the client that was idle longest, or NULL. @key  only clients of this key; NULL: of all.
 * @has_sessions  only clients with sessions.
 */
static struct mcp_client *mcp_client_idle_longest(struct server *server, const struct key *key,
						  bool has_sessions)
{
	struct mcp_client *found = NULL;
	struct mcp_client *c;

	LIST_FOREACH (c, &mcp_client_all(server)->all, link) {
		if (!c->under_way && (!key || c->key == key) &&
		    (!has_sessions || mcp_client_has_sessions(c)) &&
		    (!found || c->used_us < found->used_us))
			found = c;
	}
	return found;
}

static uint64_t mcp_client_count(struct server *server, const struct key *key)
{
	const struct mcp_client *c;
	uint64_t count = 0;

	LIST_FOREACH (c, &mcp_client_all(server)->all, link)
		count += !key || c->key == key;
	return count;
}

/* How many clients one key may have: the same share as of runs (capacity_places()). */
static uint64_t mcp_client_part(struct server *server, const struct key *key)
{
	const uint64_t most = server->options.mcp_sessions_max;

	return clock_earlier(key->ceiling.quota.sessions,
			     server->options.keys ? (most + 1) / 2 : most);
}

static bool mcp_client_make_room(struct server *server, const struct key *key)
{
	const uint64_t most = server->options.mcp_sessions_max;
	const uint64_t part = mcp_client_part(server, key);

	if (!part)
		return false;
	for (;;) {
		const bool is_keys = mcp_client_count(server, key) >= part;
		struct mcp_client *c;

		if (!is_keys && mcp_client_count(server, NULL) < most)
			return true;
		c = mcp_client_idle_longest(server, is_keys ? key : NULL, false);
		if (!c)
			return false;
		mcp_client_end(c, NEEDED);
	}
}

static bool mcp_client_is_dropping(struct server *server, const struct key *key)
{
	const struct mcp_drop *d;

	LIST_FOREACH (d, &mcp_client_all(server)->drops, link) {
		if (d->key == key)
			return true;
	}
	return false;
}

bool mcp_client_yield(struct server *server, const struct key *key)
{
	while (!mcp_client_is_dropping(server, key)) {
		struct mcp_client *c = mcp_client_idle_longest(server, key, true);

		if (!c)
			return false;
		mcp_client_end(c, NEEDED);
	}
	return true;
}

struct mcp_client *mcp_client_open(const struct request *r, const struct mcp_policy *policy)
{
	struct server *server = r->server;
	auto_free char *owner = own_printf(CLIENT_OWNER, r->key->id);
	struct mcp_client *c;
	struct err e;

	if (!mcp_client_make_room(server, r->key))
		return NULL;
	c = own_zeroed(1, sizeof(*c));
	c->server = server;
	c->key = r->key;
	key_hold(c->key);
	c->idle = (struct hub_timer){.ring = mcp_client_be_idle, .context = c};
	mcp_connection_open(&c->connection, &c->backend, policy, true);
	if (mcp_client_backend(r, &c->backend, &e)) {
		mcp_client_free(c);
		return NULL;
	}
	handle_make(&server->sessions.secret, owner, server->options.node, c->id);
	c->lost = mcp_ended_take(&mcp_client_all(server)->ended, c->key->id);
	c->under_way = 1;
	LIST_INSERT_HEAD(&mcp_client_all(server)->all, c, link);
	return c;
}

/* -- all clients ----------------------------------------------------------------------------- */

struct mcp_client *mcp_client_find(const struct request *r, const char *id)
{
	auto_free char *owner = own_printf(CLIENT_OWNER, r->key->id);
	struct mcp_client *c;

	if (!handle_check(&r->server->sessions.secret, owner, id))
		return NULL;
	LIST_FOREACH (c, &mcp_client_all(r->server)->all, link) {
		if (c->key == r->key && !strcmp(c->id, id))
			return c;
	}
	return NULL;
}

const char *mcp_client_why(const struct request *r, const char *id)
{
	auto_free char *owner = own_printf(CLIENT_OWNER, r->key->id);

	if (!handle_check(&r->server->sessions.secret, owner, id))
		return NULL;
	return mcp_ended_tell(&mcp_client_all(r->server)->ended, id);
}

void mcp_client_end_all(struct server *server, const struct key *key)
{
	struct mcp_client *next;

	for (struct mcp_client *c = LIST_FIRST(&mcp_client_all(server)->all); c; c = next) {
		next = LIST_NEXT(c, link);
		if (c->key == key)
			mcp_client_end(c, NULL);
	}
}

void mcp_client_close(struct server *server)
{
	struct mcp_clients *clients = server->clients;
	struct mcp_client *c;

	if (!clients)
		return;
	while ((c = LIST_FIRST(&clients->all))) {
		LIST_REMOVE(c, link);
		mcp_client_free(c);
	}
	while (!LIST_EMPTY(&clients->drops))
		mcp_client_free_drop(LIST_FIRST(&clients->drops));
	own_free(&server->clients);
}
