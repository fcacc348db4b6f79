/*
 * mcp_wire - MCP over two descriptors: one message a line, in both directions.
 *
 * Other processes may share the descriptors, so their flags are not changed: we read only when
 * epoll reports data, and write at most PIPE_BUF bytes, which a ready pipe takes. While too many
 * bytes wait for a client that does not read, we do not read from it.
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
	struct hub_timer polling; /* for a regular file, which epoll(7) refuses */
	bool is_file;
	struct mcp_lines lines;
	struct buf waiting; /* to be written, starting at `sent` */
	size_t sent;
	bool has_ended;
	void (*ended)(void *context); /* called once, when either side of the connection ends */
	void *context;
};

/*
 * mcp_wire_open - read from @in and write to @out, both borrowed, from now on.
 * @w  with `lines` (its functions and its bound), `ended` and `context` filled in; end it with
 * mcp_wire_close(). Errors: ERR_SYSTEM.
 */
int mcp_wire_open(struct mcp_wire *w, struct hub *hub, int in, int out, struct err *e);

/* Send a message, which must have no newline. */
void mcp_wire_send(struct mcp_wire *w, const struct buf *message);

/* Whether everything has been written, or dropped because the reader is gone. */
bool mcp_wire_is_idle(const struct mcp_wire *w);

/* Close it and drop what waits. Safe if never opened. */
void mcp_wire_close(struct mcp_wire *w);

#endif
