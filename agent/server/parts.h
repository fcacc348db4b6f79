/*
 * parts - split bytes into lines, or server-sent events.
 *
 * A line ends with LF or CRLF; empty ones are skipped. Events follow the HTML standard: a line ends
 * with CR, too, the `data` lines of an event are joined by LF, an empty line ends it; comments, all
 * other fields and events without data are skipped. One exception serves llama.cpp: a field `error`
 * counts as data. In both forms, an incomplete part at the end of the stream is the last part.
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
	/* Receives a line, or an event's data, and may modify it. Not 0: *e says why. */
	int (*part)(void *context, char *text, size_t length, struct err *e);
	void *context;
	size_t max;       /* bytes; 0: PARTS_MAX */
	struct buf line;  /* the incomplete line */
	struct buf data;  /* data of the incomplete event, each line with a LF */
	bool after_cr;    /* skip a LF that follows */
	bool after_start; /* past the place of a byte order mark */
};

/* Split more bytes. Errors: ERR_INPUT: a part is too long; those of part(). */
int parts_take(struct parts *p, const char *bytes, size_t length, struct err *e);

/* The stream has ended: pass on the last part. */
int parts_finish(struct parts *p, struct err *e);

void parts_fini(struct parts *p);

#endif
