/*
 * sessions - the supervisor's table of sessions: kept here, driven by others.
 *
 * A client that made one hands its descriptors over ("keep"); a client that wants
 * to use one borrows copies ("borrow") and gives it back ("return"), at most one at
 * a time. A borrower that vanishes leaves the interpreter in the middle of
 * something: then the session ends, and its name says so for a while. Who gives one back
 * as lost is told what became of it, if it was ended here: its time was over, say.
 *
 * Runs: the warm supervisor.
 */
#ifndef GLOVEBOX_CELL_SESSIONS_H
#define GLOVEBOX_CELL_SESSIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"
#include "cell/endings.h"
#include "cell/lost_sessions.h"
#include "cell/session.h"
#include "cell/wire.h"

#define SESSIONS_MAX 4096
#define NOBODY       0

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
	uint64_t oom_kills; /* by the end of the last call */
};

/* Why it is to go, or NULL. @ended  its cell has. */
const char *kept_session_why_over(const struct kept_session *k, bool ended, uint64_t now_us);

/* Why one that runs on by itself is to go: it has too many sockets (host/socket_count.h). NULL. */
const char *kept_session_why_full(const struct kept_session *k);

struct sessions {
	struct kept_session *items;
	unsigned count;
	unsigned capacity;
	unsigned turn; /* of looking for sockets: not at all of them each time */
	struct lost_sessions lost;
	struct endings *endings; /* borrowed */
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

/* All end with their nursery. Before it does: it would wait for those that v1 froze, and we for it.
 */
void sessions_lose(struct sessions *s);

void sessions_fini(struct sessions *s);

#endif
