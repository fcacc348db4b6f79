/*
 * mcp_wire - MCP over two descriptors: one message a line, in both directions.
 *
 * Neither descriptor is changed, because others may share them: nothing is read before epoll says
 * that there is something, and what is written is no more than a pipe then takes (PIPE_BUF). A
 * client that does not read is not read from either, once so much waits for it.
 *
 * Runs: mcp. Needs: nothing.
 */
#ifndef GLOVEBOX_MCP_MCP_WIRE_H
#define GLOVEBOX_MCP_MCP_WIRE_H

#include "base/buf.h"
#include "base/err.h"
#include "client/hub.h"
#include "mcp/mcp_lines.h"

struct mcp_wire {
	struct hub *hub;
	int in; /* borrowed */
	int out;
	struct hub_watch reading;
	struct hub_watch writing;
	struct hub_timer polling; /* for a file, which epoll(7) does not take */
	bool is_file;
	struct mcp_lines lines;
	struct buf waiting; /* to be written, from `sent` on */
	size_t sent;
	bool has_ended;
	void (*ended)(void *context); /* once: the client says no more, or hears no more */
	void *context;
};

/*
 * mcp_wire_open - read from `in` and write to `out`, which are borrowed, from now on.
 * @w  with `lines` (its functions and its bound), `ended` and `context` filled in; end it with
 * mcp_wire_close(). Errors: ERR_SYSTEM.
 */
int mcp_wire_open(struct mcp_wire *w, struct hub *hub, int in, int out, struct err *e);

/* Send a message, which has no newline in it. */
void mcp_wire_send(struct mcp_wire *w, const struct buf *message);

/* Whether everything has been written; what nobody reads any more counts as that. */
bool mcp_wire_is_idle(const struct mcp_wire *w);

/* Safe if it was never opened. What waits is lost. */
void mcp_wire_close(struct mcp_wire *w);

#endif
