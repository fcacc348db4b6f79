/*
 * ndjson - bytes in any cuts become lines.
 *
 * A line ends with LF or CRLF, the last one also with the end of the stream; empty lines
 * are left out. A line has at most 64 MiB.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_NDJSON_H
#define GLOVEBOX_AGENT_NDJSON_H

#include "base/buf.h"
#include "base/err.h"

#define NDJSON_LINE_MAX (64ul << 20)

struct ndjson {
	/* Gets a line without its end; it may be changed in place. Not 0: *e says why. */
	int (*line)(void *context, char *text, size_t length, struct err *e);
	void *context;
	struct buf pending; /* a line that has not ended */
	size_t line_max;    /* bytes; 0: NDJSON_LINE_MAX */
};

/* Take what came. Errors: ERR_INPUT for a line that is too long; what line() says. */
int ndjson_take(struct ndjson *n, const char *bytes, size_t length, struct err *e);

/* The stream is over: what is pending is the last line. */
int ndjson_finish(struct ndjson *n, struct err *e);

void ndjson_fini(struct ndjson *n);

#endif
