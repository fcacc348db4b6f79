/*
 * execute_stream - the output and the result of a run as events, as they come.
 *
 * serve's own are server-sent ones:
 *
 *   event: output | display | result | error
 *   data: JSON, one line of ASCII
 *
 * print() writes a line and its newline apart, so output waits a moment for the end of its line,
 * and both are one event.
 *
 * After five seconds without an event a comment is sent, so that proxies keep the connection, and
 * we notice a client that vanished.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_REQUEST_EXECUTE_STREAM_H
#define GLOVEBOX_REQUEST_EXECUTE_STREAM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "client/hub.h"
#include "web/event_text.h"
#include "web/http.h"

/* The events of a face. Each function appends one. */
struct stream_form {
	const char *type;                                               /* of the reply */
	const char *heartbeat;                                          /* sent after silence */
	void (*output)(struct buf *out, int i, const struct buf *text); /* stdout (0), stderr (1) */
	void (*display)(struct buf *out, unsigned index);               /* NULL: none */
	void (*result)(struct buf *out, const struct buf *result);
	void (*error)(struct buf *out, const char *message); /* in place of a result */
	void (*say_ending)(struct request *r); /* the server shuts down; NULL: the stream is cut */
};

/* Embed it all zero, but for the form: NULL is serve's own. */
struct execute_stream {
	const struct stream_form *form;
	struct request *request; /* NULL: not begun, or the client disconnected */
	struct event_text texts[2];
	struct buf piece;  /* a line whose end has not arrived */
	int piece_of;      /* stdout (0) or stderr (1) */
	unsigned displays; /* events of kind display sent so far */
	bool has_begun;
	struct hub *hub;            /* NULL: not begun */
	struct hub_timer heartbeat; /* sends a comment after silence */
	struct hub_timer moment;    /* ends the wait of the piece */
};

/* Append a server-sent event. @data  one line. */
void execute_stream_put_event(struct buf *out, const char *event, const struct buf *data);

/* Send the headers; from now on the reply is this stream. */
void execute_stream_begin(struct execute_stream *s, struct request *r);

/* Send some output of stdout (0) or stderr (1), cut anywhere. */
void execute_stream_take(struct execute_stream *s, int i, const char *bytes, size_t length);

/* Send the next display of the result, after the output so far. */
void execute_stream_display(struct execute_stream *s);

/* Send the rest of the output and the result, and end the request. */
void execute_stream_end(struct execute_stream *s, const struct buf *result);

/* Send an error event in place of the result, and end the request. */
void execute_stream_fail(struct execute_stream *s, const char *message);

/* Free the stream; the request goes on. */
void execute_stream_fini(struct execute_stream *s);

#endif
