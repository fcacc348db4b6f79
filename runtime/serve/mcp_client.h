/*
 * mcp_client - clients of /mcp with an Mcp-Session-Id, and their sessions.
 *
 * `initialize` gives a client an id (tenant/handle.h), which names the node and is valid for its
 * key only. While the id lives, the server keeps what a stdio connection keeps: which sessions the
 * client has begun under which names (mcp/mcp_session.h). The sessions are in the supervisor, and
 * count in the key's quota.
 *
 *   room   --max-mcp-sessions at once. A key may have as many clients as sessions, and at most half
 *          of all clients; without --keys, all. A new client evicts the client that was idle
 *          longest: of the same key if the key's share is full, else of all. A client with a
 *          running message is not idle; if none is idle, the new client gets no id, and its
 *          calls share nothing. If a key has no session left, a call evicts the client of the
 *          same key that was idle longest.
 *   end    DELETE, eviction, idleness, or removal of the key; its sessions end with it. The client
 *          gets 404 for the old id, and initializes anew; its next session begins with the
 *          reason why the last one ended.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_MCP_CLIENT_H
#define GLOVEBOX_SERVE_MCP_CLIENT_H

#include <sys/queue.h>

#include "client/hub.h"
#include "mcp/mcp_backend.h"
#include "mcp/mcp_session.h"
#include "serve/mcp_ended.h"
#include "tenant/handle.h"
#include "tenant/keys.h"

struct mcp_drop;
struct request;
struct server;

struct mcp_client {
	struct server *server;
	struct key *key; /* held */
	char id[HANDLE_BYTES];
	struct mcp_backend backend;
	struct mcp_connection connection;
	const char *lost;      /* why its former sessions ended; NULL: nothing to report */
	unsigned under_way;    /* running messages */
	uint64_t used_us;      /* monotonic end of its last message */
	struct hub_timer idle; /* evicts it after its idle time */
	bool is_over;          /* its id is invalid; freed after its last message */
	LIST_ENTRY(mcp_client) link;
};

/* A call that waits for a session to end; embed it in its owner, all zero. */
struct mcp_wait {
	void (*done)(void *context); /* called when a session has ended */
	void *context;
	LIST_ENTRY(mcp_wait) link;
	bool is_waiting;
};

struct mcp_clients {
	LIST_HEAD(, mcp_client) all;
	struct mcp_ended ended;
	LIST_HEAD(, mcp_drop) drops;          /* sessions being dropped */
	LIST_HEAD(mcp_waits, mcp_wait) waits; /* calls waiting for them */
};

/*
 * mcp_client_backend - fill in the backend for the sessions of a request's key.
 * Errors: ERR_LIMIT: those of terms_read() (422); free p->terms even then.
 */
int mcp_client_backend(const struct request *r, struct mcp_backend *p, struct err *e);

/*
 * mcp_client_open - create a client for the key of a request, with one running message, which ends
 * with mcp_client_leave(). NULL: no room.
 */
struct mcp_client *mcp_client_open(const struct request *r, const struct mcp_policy *policy);

/*
 * mcp_client_find - find a client by its id and the key of the request.
 * @id  from a client. NULL: unknown.
 */
struct mcp_client *mcp_client_find(const struct request *r, const char *id);

/*
 * mcp_client_why - return why an unknown id has ended; NULL: not known, or another key's. The
 * reason counts as reported to its client. @id  from a client.
 */
const char *mcp_client_why(const struct request *r, const char *id);

/*
 * mcp_client_enter - begin a message.
 * Errors: those of mcp_client_backend(); the message has not begun then.
 */
int mcp_client_enter(struct mcp_client *c, const struct request *r, struct err *e);

/* mcp_client_leave - end a message. May free the client. */
void mcp_client_leave(struct mcp_client *c);

/*
 * mcp_client_end - end a client and its sessions: at once, or after its last message, which the
 * caller has cancelled. @why  reported with its next session; NULL: the client asked for it.
 */
void mcp_client_end(struct mcp_client *c, const char *why);

/*
 * mcp_client_yield - evict the client of a key that was idle longest, to free a session. Returns
 * whether a session of the key is ending: mcp_client_await() it.
 */
bool mcp_client_yield(struct server *server, const struct key *key);

/*
 * mcp_client_await - call w->done when the next session has ended. mcp_client_forget() is always
 * safe.
 */
void mcp_client_await(struct server *server, struct mcp_wait *w);
void mcp_client_forget(struct mcp_wait *w);

/* mcp_client_end_all - end the clients of a key. */
void mcp_client_end_all(struct server *server, const struct key *key);

/* mcp_client_close - shutdown: free all clients, none of which has a running message. */
void mcp_client_close(struct server *server);

#endif
