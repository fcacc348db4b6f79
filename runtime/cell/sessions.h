/*
 * sessions - the supervisor's table of sessions: kept here, driven by others.
 *
 * A client that made one hands its descriptors over ("keep"); a client that wants
 * to use one borrows copies ("borrow") and gives it back ("return"), at most one at
 * a time. A borrower that vanishes leaves the interpreter in the middle of
 * something: then the session ends, and its name says so for a while.
 *
 * Runs: the warm supervisor.
 */
#ifndef GLOVEBOX_CELL_SESSIONS_H
#define GLOVEBOX_CELL_SESSIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"
#include "cell/anchors.h"
#include "cell/session.h"
#include "cell/wire.h"

#define SESSIONS_MAX  4096
#define SESSIONS_LOST 64
#define NOBODY        0

struct kept_session {
	char name[SESSION_NAME_MAX];
	struct session session;
	uint64_t borrower; /* a client's number; NOBODY */
	bool for_files;    /* borrowed for /workspace: the interpreter is not in use */
	uint64_t made_us;
	uint64_t used_us;
	uint64_t idle_ms; /* without use; 0: no bound */
	uint64_t ttl_ms;  /* in all */
	uint64_t calls;
};

struct sessions {
	struct kept_session *items;
	unsigned count;
	unsigned capacity;
	struct anchors anchors;
	/* Of those that ended by themselves, the last few: a ring. */
	struct {
		char name[SESSION_NAME_MAX];
		const char *why; /* "was idle for too long" */
	} lost[SESSIONS_LOST];
	unsigned lost_next;
};

/*
 * sessions_request - one request about sessions.
 *
 * @client  who asks; the same number in sessions_leave().
 * @answer  JSON text; @fds, *fd_count: descriptors to send along, borrowed.
 * Returns 0; 1 when it must wait for another borrower; -1: not about sessions.
 */
int sessions_request(struct sessions *s, uint64_t client, const char *op,
		     const struct json *request, struct wire_message *m, struct buf *answer,
		     int *fds, unsigned *fd_count);

/* A loan that has not reached its client. */
void sessions_take_back(struct sessions *s, uint64_t client);

/* A client hung up. */
void sessions_leave(struct sessions *s, uint64_t client);

/* Drop those that died and those whose time is over. Returns how many are left. */
unsigned sessions_check(struct sessions *s, uint64_t now_us);

/* Before their nursery ends: on v1 it would wait for those that are frozen, and we for it. */
void sessions_thaw(struct sessions *s);

void sessions_fini(struct sessions *s);

#endif
