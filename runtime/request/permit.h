/*
 * permit - what a request needs before it runs something or works on a session, and gives back at
 * its end: a run of its key's quota, a place, the count of its key's sessions, and its account.
 *
 *   permit_open     the request asks; account_open(&p->account, ...) makes it a run
 *   permit_ask      a run of the quota, if it is a run, and a place
 *   permit_count    a new session: may the key have one more?
 *   permit_leave    gives all of it back; in any state
 *
 * There are two pools of places of equal size: for runs, and for other work on sessions (files,
 * checkpoints, freezes), which must not wait for programs. A key gets its "concurrency" from each
 * pool, or half of the pool if its ceiling names none.
 *
 * The supervisor's list is counted each time a key wants one more session: a remembered count could
 * drift. Two requests must not count at once and then both begin, so sessions that are beginning
 * count as well; if one of them has ended since the list was asked for (key->use.begun differs), it
 * is asked for again.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_REQUEST_PERMIT_H
#define GLOVEBOX_REQUEST_PERMIT_H

#include <sys/queue.h>

#include "request/account.h"
#include "service/notebook.h"
#include "tenant/admission.h"

/*
 * Called once for each permit_ask() and permit_count(), perhaps before they return.
 * @refusal  NULL: granted. ERR_BUSY: not now; another kind: the supervisor did not say.
 * @seconds  of ERR_BUSY: when to ask again.
 */
typedef void permit_decided(void *context, const struct err *refusal, uint64_t seconds);

/* Embed it, all zero. */
struct permit {
	struct server *server;
	struct key *key;        /* held; NULL: not open */
	struct account account; /* of a run; else closed */
	/* private to permit.c */
	permit_decided *decided;
	void *context;
	struct ticket ticket;
	bool has_quota;
	const char *name;        /* of a session that is counted or begins; borrowed */
	LIST_ENTRY(permit) link; /* of sessions.beginning, if it is_beginning */
	bool is_beginning;
	uint64_t begun; /* key->use.begun when the list was asked for */
	struct notebook *notebook;
	struct notebook_result list;
};

/* @key  held until permit_leave(). */
void permit_open(struct permit *p, struct server *server, struct key *key);

/* A refusal closes the account of a run. */
void permit_ask(struct permit *p, permit_decided *decided, void *context);

/*
 * permit_count - count a session as beginning, if the key may have one more.
 * @name  borrowed until permit_begun(). A refusal leaves the account open: ask again, or reject it.
 */
void permit_count(struct permit *p, const char *name, permit_decided *decided, void *context);

/* The session is in the supervisor's list, or has failed to begin. Safe without one. */
void permit_begun(struct permit *p);

/* Give back all that was granted, and admit those that wait for it. Safe in any state. */
void permit_leave(struct permit *p);

#endif
