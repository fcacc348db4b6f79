/*
 * panda - a sandbox as clients of PandaStack's API know it: a session of the server, with what they
 * have told of it.
 *
 * Metadata and contexts are known to this server alone and end with it: a panda is made anew,
 * without them, when a client names a session that it does not know.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_PANDASTACK_PANDA_H
#define GLOVEBOX_PANDASTACK_PANDA_H

#include <sys/queue.h>

#include "base/buf.h"
#include "request/server.h"
#include "request/session_work.h"
#include "tenant/handle.h"

#define PANDA_JSON          "application/json"
#define PANDA_HOME          "/workspace"
#define PANDA_CONTEXTS      16
#define PANDA_PAUSED        "the sandbox is paused or hibernated: resume or wake it"
#define PANDA_NO_PERSISTENT "persistent: a sandbox ends with its ttl_seconds here"

/* Names of the interpreter. */
struct panda_context {
	char id[DIGEST_HEX]; /* "": the slot is free */
	char slot[12];       /* what the interpreter calls it: a later one replaces it */
	bool is_fresh;       /* begins anew with its next run */
};

struct panda {
	LIST_ENTRY(panda) link;  /* of server->pandas */
	char name[HANDLE_BYTES]; /* of its session */
	char owner[DIGEST_HEX];  /* the id of a key */
	char *template;          /* owned; as it was asked for */
	struct buf metadata;     /* a JSON object */
	uint64_t began_ms;       /* of the epoch; 0: not asked yet */
	uint64_t boot_ms;        /* from the request to the reply */
	uint64_t ends_us;        /* monotonic; it has ended by then */
	bool is_hibernated;      /* until it wakes; a frozen one that is not is paused */
	struct panda_context contexts[PANDA_CONTEXTS];
};

/* The panda of a session; NULL: it has none. panda_meet(): makes it. */
struct panda *panda_find(const struct server *s, const char *name);
struct panda *panda_meet(struct server *s, const char *name, const struct key *owner);

/* Its session has this age, and lives so long in all; 0: without a limit. */
void panda_lives(struct panda *p, uint64_t age_ms, uint64_t ttl_ms);

/* The session has ended: forget it. Safe if it is not known. */
void panda_forget(struct server *s, const char *name);

/* The same of those whose time is over, and of all. */
void panda_sweep(struct server *s);
void panda_forget_all(struct server *s);

/* Whether the path names a session of the key; false: refused and answered. */
bool panda_is_theirs(struct request *r);

/* Begin work on the sandbox of the path; NULL: it is not the key's, and that was answered. */
struct session_work *panda_work(struct request *r, enum notebook_action action,
				bool (*answer)(struct session_work *w));

/*
 * panda_wakes - wake the sandbox of the path if it is hibernated, and then run the route anew, with
 * the work that the request has. Returns whether that is so: the caller has no part in it any more.
 */
bool panda_wakes(struct request *r);

/* The `refuse` of work on a sandbox. */
void panda_refuse(struct session_work *w, const struct err *e);

/* Read seconds or milliseconds, a number. @unit_ms  of one. Returns -1: refused and answered. */
int panda_read_time(struct request *r, const struct json *body, const char *member, double unit_ms,
		    uint64_t most_ms, uint64_t *ms);

#endif
