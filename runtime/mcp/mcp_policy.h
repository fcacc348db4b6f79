/*
 * mcp_policy - the policy of a server with many users: callbacks that authorise, admit and record
 * calls.
 *
 * A face with many users decides by it which user may use which session, when a call may begin, and
 * what the server records. Without a policy (stdio) a connection has sessions of its own, which
 * begin under any name, and end with it (mcp/mcp_session.h).
 *
 * With a policy a connection is one message. A call without a session begins one under a handle
 * that the policy chooses, and the result names it; a call with a handle gets that session, or an
 * error. A client with a name has a lasting connection (struct mcp_connection), which its messages
 * share; there sessions begin under any name, as over stdio.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_MCP_MCP_POLICY_H
#define GLOVEBOX_MCP_MCP_POLICY_H

#include "base/err.h"

struct mcp_call;

struct mcp_policy {
	const char *instructions;         /* for models: how sessions begin and end */
	const char *instructions_lasting; /* end of a sentence: how long sessions last */

	/*
	 * Authorise the call and set c->session (mcp_session_add()). @handle  NULL: the call names
	 * none.
	 * Errors: ERR_NOT_FOUND: mcp_session_absent(); ERR_INPUT. The model reads both.
	 */
	int (*enter)(struct mcp_call *c, const char *handle, struct err *e);

	/* The call has its turn: call mcp_call_go() or mcp_call_fail(), now or later. */
	void (*admit)(struct mcp_call *c);

	/* The session is there; the tool's work begins. */
	void (*begin)(struct mcp_call *c);

	/*
	 * The work is over or cancelled, see c->result. Errors: the client must not get the result.
	 */
	int (*judge)(struct mcp_call *c, struct err *e);

	/* No session could begin: replace *e by a text that the client may read. */
	void (*explain)(struct mcp_call *c, struct err *e);

	/* The call is freed, in any step: free c->permit, which `enter` may have set. */
	void (*leave)(struct mcp_call *c);
};

#endif
