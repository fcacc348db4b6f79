/*
 * sse - bytes in any cuts become server-sent events.
 *
 * As the HTML standard has it: lines end with CRLF, CR or LF, the `data` lines of an event
 * are joined by LF, an empty line ends it, comments, all other fields and events without
 * data are skipped. Two exceptions for servers as they are: a field `error` counts as data
 * (llama.cpp), and an event that the end of the stream cut off is still one.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_SSE_H
#define GLOVEBOX_AGENT_SSE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

#define SSE_EVENT_MAX (64ul << 20)

struct sse {
	/* Gets the data of an event; it may be changed in place. Not 0: *e says why. */
	int (*event)(void *context, char *data, size_t length, struct err *e);
	void *context;
	struct buf line;  /* that has not ended */
	struct buf data;  /* of the event that has not ended, each line with a LF */
	bool after_cr;    /* a LF that comes now belongs to it */
	bool after_start; /* the byte order mark is no more to be expected */
	size_t event_max; /* bytes; 0: SSE_EVENT_MAX */
};

/* Take what came. Errors: ERR_INPUT for an event that is too long; what event() says. */
int sse_take(struct sse *s, const char *bytes, size_t length, struct err *e);

/* The stream is over: what is pending is the last event. */
int sse_finish(struct sse *s, struct err *e);

void sse_fini(struct sse *s);

#endif
