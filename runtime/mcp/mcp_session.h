/*
 * mcp_session - the sessions of one connection: which there are, who uses them, and their end.
 *
 * A session begins with its first call, and ends with the connection, by reset_session, or because
 * it was lost; then its next call begins another under the same handle, and says so. Its calls take
 * turns, in the order in which they came; calls of different sessions run side by side.
 *
 * In the supervisor it has a name that nobody can guess. It ends there by itself, when it has not
 * been used for MCP_LEASE_MS: while we live we use it before that, so that nothing stays if we are
 * killed.
 *
 * Runs: mcp. Needs: nothing beyond what asking a supervisor for a cell needs.
 */
#ifndef GLOVEBOX_MCP_MCP_SESSION_H
#define GLOVEBOX_MCP_MCP_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "mcp/mcp_house.h"
#include "mcp/mcp_listing.h"
#include "mcp/mcp_place.h"
#include "service/notebook.h"

#define MCP_LEASE_MS    300000
#define MCP_OWN_SESSION "main" /* the handle of a call that names none */

struct mcp_call;
struct mcp_desk;

struct mcp_session {
	struct mcp_desk *desk;
	char *handle;
	char name[SESSION_NAME_MAX]; /* in the supervisor */
	bool is_users;               /* it lives in the user's supervisor, whichever serves now */
	bool is_begun;
	char *lost;                 /* why the one before is gone; NULL: it was not lost */
	struct mcp_call *calls;     /* the first has its turn */
	struct mcp_listing listing; /* its files, after its last call */
	uint64_t used_us;           /* monotonic */
	struct notebook *renewal;   /* under way, or NULL */
	struct notebook_result renewed;
	struct mcp_session *next;
};

struct mcp_desk {
	struct mcp_place *place;
	const struct mcp_house *house; /* NULL: the connection is over stdio */
	bool is_lasting;               /* it has sessions of its own, under names of its own */
	struct mcp_session *sessions;
	struct hub_timer renewal;
};

/*
 * mcp_desk_open - @place, @house  outlive it.
 * @is_lasting  the client's calls share it, so a session has the name that the client gave it; else
 * the desk is one message's, and a session has the name that the house made.
 * End it with mcp_desk_close(), or, with a house, mcp_desk_leave().
 */
void mcp_desk_open(struct mcp_desk *d, struct mcp_place *place, const struct mcp_house *house,
		   bool is_lasting);

/*
 * mcp_desk_close - end every session, whose calls are gone already; waits for that, so many ms at
 * most. Safe if it was never opened.
 */
void mcp_desk_close(struct mcp_desk *d, unsigned wait_ms);

/* Forget the sessions, which live on; their calls are gone already. */
void mcp_desk_leave(struct mcp_desk *d);

/*
 * mcp_session_find - the session of that handle (NULL: the connection's own), begun or not.
 * Errors: ERR_INPUT: it cannot be a handle; ERR_LIMIT: there are too many.
 */
struct mcp_session *mcp_session_find(struct mcp_desk *d, const char *handle, struct err *e);

/*
 * mcp_session_add - a house's: one more that the desk knows. @is_begun  it is there already.
 * mcp_session_known() finds it again; NULL: it does not.
 */
struct mcp_session *mcp_session_add(struct mcp_desk *d, const char *handle, bool is_begun);
struct mcp_session *mcp_session_known(struct mcp_desk *d, const char *handle);

/* A house's: the error for a session that is not there, never was, or is another's. */
void mcp_session_absent(const char *handle, struct err *e);

/* What is said first of a call that has begun it. @was_lost  why the one before is gone; NULL. */
void mcp_session_put_notice(const struct mcp_session *s, const char *was_lost, struct buf *text);

/*
 * A new name in the supervisor that serves now, and no files: it is about to begin. The house of a
 * lasting desk has set the name before.
 */
void mcp_session_rename(struct mcp_session *s);

/* The supervisor in which it lives (wire/runtime_dir.h). Borrowed. */
const char *mcp_session_where(const struct mcp_session *s);

/* It has begun, or has been used. */
void mcp_session_touch(struct mcp_session *s);

/* It is gone. @why  NULL: somebody wanted that. */
void mcp_session_forget(struct mcp_session *s, const char *why);

#endif
