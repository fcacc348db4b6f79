/*
 * removal - end everything that runs for a key which was removed from the keys file.
 */
#include "serve/removal.h"

#include <stdlib.h>

#include "base/own.h"
#include "librechat/dialogue.h"
#include "loop/clock.h"
#include "request/server.h"
#include "serve/mcp_http.h"
#include "service/notebook.h"
#include "tenant/handle.h"

#define AGAIN_US 1000000 /* as a rule enough for abandoned work to end */

struct removal {
	struct server *server;
	struct key *key; /* held */
	struct notebook *notebook;
	struct notebook_result list; /* all sessions */
	struct notebook_result dropped;
	size_t at;    /* next index in `list` */
	bool is_busy; /* a session was dropped, or the supervisor did not answer */
	struct hub_timer again;
	LIST_ENTRY(removal) link; /* of server->removals */
};

static void removal_free(struct removal *r)
{
	LIST_REMOVE(r, link);
	hub_silence(r->server->hub, &r->again);
	notebook_free(r->notebook);
	notebook_result_fini(&r->list);
	notebook_result_fini(&r->dropped);
	key_release(r->key);
	free(r);
}

/* Done if nothing else holds the key, and it had no session: it cannot begin any more. */
static void removal_end_turn(struct removal *r)
{
	if (r->is_busy || r->key->holders > 1)
		hub_ring(r->server->hub, &r->again, monotonic_us() + AGAIN_US);
	else
		removal_free(r);
}

static int removal_ask(struct removal *r, const struct notebook_request *request,
		       struct notebook_result *result, void (*done)(void *context))
{
	struct err e;

	notebook_result_fini(result);
	if (!notebook_start(r->server->hub, request, result, done, r, &r->notebook, &e))
		return 0;
	log_error(&r->server->log, &e);
	r->is_busy = true;
	return -1;
}

static void removal_drop(struct removal *r);

static void removal_dropped(void *context)
{
	struct removal *r = context;

	notebook_free(take_ptr(&r->notebook));
	removal_drop(r);
}

/* Drop the key's next session. If the drop fails, the next list has the session again. */
static void removal_drop(struct removal *r)
{
	struct notebook_request request = {.action = NOTEBOOK_DROP,
					   .where = supplier_where(&r->server->supplier)};

	while (r->at < r->list.session_count) {
		request.name = r->list.sessions[r->at++].name;
		if (!handle_check(&r->server->sessions.secret, r->key->id, request.name))
			continue;
		r->is_busy = true;
		if (!removal_ask(r, &request, &r->dropped, removal_dropped))
			return;
	}
	removal_end_turn(r);
}

static void removal_listed(void *context)
{
	struct removal *r = context;

	notebook_free(take_ptr(&r->notebook));
	r->is_busy = r->list.failed;
	r->at = 0;
	removal_drop(r);
}

static void removal_list(void *context)
{
	struct removal *r = context;
	const struct notebook_request request = {.action = NOTEBOOK_SESSIONS,
						 .where = supplier_where(&r->server->supplier)};

	if (removal_ask(r, &request, &r->list, removal_listed))
		removal_end_turn(r);
}

void removal_begin(struct server *server, struct key *key)
{
	struct removal *r = own_zeroed(1, sizeof(*r));

	r->server = server;
	r->key = key;
	key_hold(key);
	r->again = (struct hub_timer){.ring = removal_list, .context = r};
	LIST_INSERT_HEAD(&server->removals, r, link);
	http_dismiss(server->http, key);
	dialogue_end_of(server, key);
	mcp_http_leave(server, key);
	removal_list(r);
}

void removal_close(struct server *server)
{
	while (!LIST_EMPTY(&server->removals))
		removal_free(LIST_FIRST(&server->removals));
}
