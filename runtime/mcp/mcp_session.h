/*
 * mcp_session - the sessions of one connection: their list, their users, their end.
 *
 * A session begins with its first call. It ends with the connection, by reset_session, or when it
 * is lost; the next call then begins another under the same handle, and reports it. Calls in one
 * session run in order of arrival; calls in different sessions run in parallel.
 *
 * In the supervisor it has an unguessable name, and the supervisor ends it when it has been idle
 * for MCP_LEASE_MS. A live connection renews it before that, so nothing stays behind if this
 * process is killed.
 *
 * Runs: mcp. Needs: nothing beyond what asking a supervisor for a cell needs.
 */
#ifndef GLOVEBOX_MCP_MCP_SESSION_H
#define GLOVEBOX_MCP_MCP_SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "mcp/mcp_backend.h"
#include "mcp/mcp_listing.h"
#include "mcp/mcp_policy.h"
#include "service/notebook.h"

#define MCP_LEASE_MS    300000
#define MCP_OWN_SESSION "main" /* handle used by calls without one */

struct mcp_call;
struct mcp_connection;

struct mcp_session {
	struct mcp_connection *connection;
	char *handle;
	char name[SESSION_NAME_MAX]; /* in the supervisor */
	bool is_users; /* it lives in the user's supervisor, even if another one serves now */
	bool is_begun;
	char *lost; /* owned; why the earlier session ended; NULL: it was not lost */
	TAILQ_HEAD(, mcp_call) calls; /* FIFO; the first one runs */
	struct mcp_listing listing;   /* files after the last call */
	uint64_t used_us;             /* monotonic */
	struct notebook *renewal;     /* running, or NULL */
	struct notebook_result renewed;
	struct mcp_session *next;
};

struct mcp_connection {
	struct mcp_backend *backend;
	const struct mcp_policy *policy; /* NULL: stdio */
	bool is_lasting;                 /* calls share its sessions, under names of the client */
	struct mcp_session *sessions;
	struct hub_timer renewal;
};

/*
 * mcp_connection_open - @backend, @policy  must outlive it.
 * @is_lasting  the client's calls share the connection, and sessions have the client's names; else
 *              the connection is one message, and the policy names sessions.
 * End it with mcp_connection_close(), or, with a policy, mcp_connection_leave().
 */
void mcp_connection_open(struct mcp_connection *d, struct mcp_backend *backend,
			 const struct mcp_policy *policy, bool is_lasting);

/*
 * mcp_connection_close - end every session and wait for that, @wait_ms at most; calls must be gone
 * before. Safe if never opened.
 */
void mcp_connection_close(struct mcp_connection *d, unsigned wait_ms);

/* Release the sessions, which go on in the supervisor; calls must be gone before. */
void mcp_connection_leave(struct mcp_connection *d);

/*
 * mcp_session_find - find or create the session of a handle (NULL: MCP_OWN_SESSION).
 * Errors: ERR_INPUT: a malformed handle; ERR_LIMIT: too many sessions.
 */
struct mcp_session *mcp_session_find(struct mcp_connection *d, const char *handle, struct err *e);

/*
 * mcp_session_add - add a session of the policy. @is_begun  it is in the supervisor already.
 * mcp_session_known() finds it again, or returns NULL.
 */
struct mcp_session *mcp_session_add(struct mcp_connection *d, const char *handle, bool is_begun);
struct mcp_session *mcp_session_known(struct mcp_connection *d, const char *handle);

/* The policy's error for a session that has ended, never was, or belongs to another client. */
void mcp_session_absent(const char *handle, struct err *e);

/* Report first that this call began the session. @was_lost  why the earlier one ended; NULL. */
void mcp_session_put_notice(const struct mcp_session *s, const char *was_lost, struct buf *text);

/*
 * Give a session that is about to begin a new name in the present supervisor, and no files. On a
 * lasting connection the policy has set the name before.
 */
void mcp_session_rename(struct mcp_session *s);

/* Return the runtime directory of the session's supervisor (wire/runtime_dir.h). Borrowed. */
const char *mcp_session_where(const struct mcp_session *s);

/* Note that the session has begun, or was used. */
void mcp_session_touch(struct mcp_session *s);

/* The session has ended. @why  NULL: on request. */
void mcp_session_forget(struct mcp_session *s, const char *why);

#endif
