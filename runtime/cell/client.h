/*
 * client - requests to the warm supervisor of this user.
 *
 * Runs: clients.
 */
#ifndef GLOVEBOX_CELL_CLIENT_H
#define GLOVEBOX_CELL_CLIENT_H

#include "base/err.h"
#include "base/json.h"
#include "cell/session.h"
#include "cell/wire.h"

/*
 * client_connect - ERR_NOT_FOUND, with the remedy, when no supervisor is running.
 * @out_fd  owned by the caller.
 */
int client_connect(int *out_fd, struct err *e);

/*
 * client_ask - one request, one answer.
 *
 * @fds     to send along; borrowed.
 * @answer  on success ended by wire_fini().
 * @json    on success the answer parsed; json_free().
 * Errors: also those that the supervisor answers with.
 */
int client_ask(int socket, const struct buf *request, const int *fds, unsigned fd_count,
	       struct wire_message *answer, struct json **json, struct err *e);

/* What a session was made with, beside its sandbox. */
struct session_terms {
	uint64_t idle_ms; /* without use, then it ends; 0: no bound */
	uint64_t ttl_ms;  /* in all */
};

/* Hand a session over to the supervisor's keeping. Our descriptors stay ours. */
int client_keep(const char *name, const struct session *session, const struct session_terms *terms,
		struct err *e);

/*
 * client_borrow - drive a kept session; waits while another does. A frozen one is thawed.
 *
 * @files       only for /workspace: the interpreter is left alone, frozen or not, and
 *              outlives us.
 * @wait_ms     how long another may have it; at most SESSION_WAIT_MS.
 * @connection  owned by the caller: when it closes without client_return(), the
 *              supervisor ends the session.
 */
int client_borrow(const char *name, bool files, uint64_t wait_ms, struct session *out,
		  int *connection, struct err *e);

/* To freeze or thaw it: the interpreter is left alone, and the supervisor expects it frozen. */
int client_borrow_to_freeze(const char *name, struct session *out, int *connection, struct err *e);

/*
 * client_lose - give back one that was lost in a call.
 * @e  what session_ask() said; made more exact by what the supervisor knows.
 */
void client_lose(struct session *session, const struct session_call *call, int *connection,
		 struct err *e);

/* Give it back, with what has become of its checkpoints, and close everything of it here. */
int client_return(struct session *session, bool lost, int *connection, struct err *e);

#endif
