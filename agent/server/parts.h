/*
 * parts - bytes in pieces of any size become lines, or server-sent events.
 *
 * A line ends with LF or CRLF; empty ones are left out. Events follow the HTML standard: a line
 * ends with CR, too, the `data` lines of an event are joined by LF, an empty line ends it,
 * comments, all other fields and events without data are skipped. One exception is made for a real
 * server: a field `error` counts as data (llama.cpp). In both forms, an incomplete part at the end
 * of the stream is the last part.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_PARTS_H
#define GLOVEBOX_AGENT_PARTS_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

#define PARTS_MAX (64ul << 20)

enum parts_form { PARTS_LINES, PARTS_EVENTS };

struct parts {
	enum parts_form form;
	/* Gets a line, or an event's data; it may be changed in place. Not 0: *e says why. */
	int (*part)(void *context, char *text, size_t length, struct err *e);
	void *context;
	size_t max;       /* bytes; 0: PARTS_MAX */
	struct buf line;  /* the incomplete one */
	struct buf data;  /* of the incomplete event, each line with a LF */
	bool after_cr;    /* a LF that comes now belongs to that CR */
	bool after_start; /* no byte order mark can come any more */
};

/* Take what came. Errors: ERR_INPUT for a part that is too long; those of part(). */
int parts_take(struct parts *p, const char *bytes, size_t length, struct err *e);

/* The stream is over: what is pending is the last part. */
int parts_finish(struct parts *p, struct err *e);

void parts_fini(struct parts *p);

#endif
