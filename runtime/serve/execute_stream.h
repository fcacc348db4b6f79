/*
 * execute_stream - the output and the result of a run as server-sent events, as they come.
 *
 *   event: output | display | result | error
 *   data: JSON, one line of ASCII
 *
 * print() writes a line and its end apart: output waits a moment for the end of its line, so that
 * both are one event.
 *
 * While nothing else is sent, a comment comes every five seconds: proxies keep the connection, and
 * a client that is gone without a word is noticed.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_EXECUTE_STREAM_H
#define GLOVEBOX_SERVE_EXECUTE_STREAM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "client/hub.h"
#include "serve/event_text.h"
#include "serve/http.h"

/* All zero before it begins. */
struct execute_stream {
	struct request *request; /* NULL: whoever asked has left, or it has not begun */
	struct event_text texts[2];
	struct buf piece;  /* of a line whose end has not come */
	int piece_of;      /* stdout (0) or stderr (1) */
	unsigned displays; /* so far */
	bool has_begun;
	struct hub *hub;            /* NULL: it has not begun */
	struct hub_timer heartbeat; /* after silence */
	struct hub_timer moment;    /* the piece waits no longer */
};

/* Send the headers; there is no other reply from now on. */
void execute_stream_begin(struct execute_stream *s, struct request *r);

/* Some output: of stdout (0) or stderr (1), in pieces of any kind. */
void execute_stream_take(struct execute_stream *s, int i, const char *bytes, size_t length);

/* The next of the result's displays stands here, behind the output so far. */
void execute_stream_display(struct execute_stream *s);

/* What is left of the output, and the result; the request has ended. */
void execute_stream_end(struct execute_stream *s, const struct buf *result);

/* Instead of a result: what kept the service from it. */
void execute_stream_fail(struct execute_stream *s, const char *message);

/* It does not end the request. */
void execute_stream_fini(struct execute_stream *s);

#endif
