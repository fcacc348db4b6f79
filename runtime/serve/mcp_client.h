/*
 * mcp_client - the clients of /mcp that have an Mcp-Session-Id, and the sessions of each.
 *
 * `initialize` gives a client an id (serve/handle.h), which names the node and is the key's alone.
 * While the id lives, the server holds what a connection of stdio would hold: which sessions the
 * client has begun under which names (mcp/mcp_session.h). The sessions themselves are the
 * supervisor's, and count in the key's quota.
 *
 *   room   --max-mcp-sessions at once. A key has as many as it may have sessions, and half of
 *          all at most; without --keys, all. The client that was idle longest ends for a new
 *          one: of the same key if the key's part is full, else of all. A client with a message
 *          under way is not idle; if all are busy, the new one gets no id, and its calls share
 *          nothing. Where a key may have no more sessions, the client of the same key that was idle
 *          longest ends for one of another client.
 *   end    DELETE, a place for another, idleness, or the removal of the key. Its sessions end with
 *          it. An id that has ended is unknown (404), so the client initializes anew; the first
 *          session that it begins then says why the one before is gone.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_MCP_CLIENT_H
#define GLOVEBOX_SERVE_MCP_CLIENT_H

#include "client/hub.h"
#include "mcp/mcp_place.h"
#include "mcp/mcp_session.h"
#include "serve/handle.h"
#include "serve/keys.h"
#include "serve/mcp_ended.h"

struct mcp_drop;
struct request;
struct server;

struct mcp_client {
	struct server *server;
	struct key *key; /* held */
	char id[HANDLE_BYTES];
	struct mcp_place place;
	struct mcp_desk desk;
	const char *lost;      /* why those before are gone; NULL: nobody is to be told */
	unsigned under_way;    /* messages */
	uint64_t used_us;      /* monotonic; the end of its last message */
	struct hub_timer idle; /* rings when it has not been used for too long */
	bool is_over;          /* its id is unknown; it is freed after its last message */
	struct mcp_client *next;
	struct mcp_client **at;
};

/* A call waits until sessions have ended; embed it in its owner, all zero. */
struct mcp_wait {
	void (*done)(void *context); /* one more has */
	void *context;
	struct mcp_wait *next;
	struct mcp_wait **at; /* NULL: it does not wait */
};

struct mcp_clients {
	struct mcp_client *first;
	struct mcp_ended ended;
	struct mcp_drop *drops; /* ends of sessions that are under way */
	struct mcp_wait *waits; /* for these */
};

/*
 * mcp_client_place - fill in a place for the sessions of a request's key.
 * Errors: ERR_LIMIT: those of terms_read() (422); *p is then to be ended all the same.
 */
int mcp_client_place(const struct request *r, struct mcp_place *p, struct err *e);

/*
 * mcp_client_open - a new client for the key of a request, with one message under way: end that
 * with mcp_client_leave(). NULL: all places are taken.
 */
struct mcp_client *mcp_client_open(const struct request *r, const struct mcp_house *house);

/*
 * mcp_client_find - the client of that id and of the key of the request.
 * @id  from a stranger. NULL: there is none.
 */
struct mcp_client *mcp_client_find(const struct request *r, const char *id);

/*
 * mcp_client_why - why the id, which is unknown, has ended; NULL: that is not known, or the id is
 * another key's. From now on the client of that id knows it, too. @id  from a stranger.
 */
const char *mcp_client_why(const struct request *r, const char *id);

/*
 * mcp_client_enter - a message begins.
 * Errors: those of mcp_client_place(); then no message has begun.
 */
int mcp_client_enter(struct mcp_client *c, const struct request *r, struct err *e);

/* mcp_client_leave - a message is over. The client may be freed. */
void mcp_client_leave(struct mcp_client *c);

/*
 * mcp_client_end - end a client and its sessions: at once, or after its last message, which the
 * caller has cancelled. @why  for its next session; NULL: it wants that itself.
 */
void mcp_client_end(struct mcp_client *c, const char *why);

/*
 * mcp_client_yield - a key may have no more sessions: end the client of that key that was idle
 * longest. Returns whether a session of the key is ending: mcp_client_await() it.
 */
bool mcp_client_yield(struct server *server, const struct key *key);

/* mcp_client_await - wait until the next session has ended. Safe to forget at any time. */
void mcp_client_await(struct server *server, struct mcp_wait *w);
void mcp_client_forget(struct mcp_wait *w);

/* mcp_client_end_all - end those of a key. */
void mcp_client_end_all(struct server *server, const struct key *key);

/* mcp_client_close - the server ends: forget all of them. No message is under way. */
void mcp_client_close(struct server *server);

#endif
