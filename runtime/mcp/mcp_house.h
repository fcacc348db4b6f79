/*
 * mcp_house - whose the sessions are, where they are not the connection's own.
 *
 * A face that serves many says by this who may use which session, when a call may begin, and what
 * is written down of it. Without one (stdio) a connection has sessions of its own, which begin
 * under any name, and end with it (mcp/mcp_session.h).
 *
 * With a house a connection is one message. A call without a session begins one, whose handle the
 * house has made, and its result names it; a call with one finds it, or is told that there is none.
 * Where the client has a name, its messages share a lasting desk (struct mcp_desk), and sessions
 * begin under any name, as over stdio.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_MCP_MCP_HOUSE_H
#define GLOVEBOX_MCP_MCP_HOUSE_H

#include "base/err.h"

struct mcp_call;

struct mcp_house {
	const char *instructions;         /* for models: what becomes of sessions */
	const char *instructions_lasting; /* the end of a sentence: until when they stay, too */

	/*
	 * Set c->session (mcp_session_add()). @handle  NULL: it names none.
	 * Errors: ERR_NOT_FOUND: mcp_session_absent(); ERR_INPUT. Both are for the model.
	 */
	int (*enter)(struct mcp_call *c, const char *handle, struct err *e);

	/* It has its turn: now or later one of mcp_call_go() and mcp_call_fail(). */
	void (*admit)(struct mcp_call *c);

	/* Its session is there; what it asks for begins. */
	void (*begin)(struct mcp_call *c);

	/* It is over, or was cancelled: c->result. Errors: nobody may have the result. */
	int (*judge)(struct mcp_call *c, struct err *e);

	/* No session could begin: replace *e by what a stranger may know. */
	void (*explain)(struct mcp_call *c, struct err *e);

	/* It is freed, in any step: c->keeping, if `enter` has set it. */
	void (*leave)(struct mcp_call *c);
};

#endif
