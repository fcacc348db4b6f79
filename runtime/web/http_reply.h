/*
 * http_reply - write a reply, as far as its route has said it.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_WEB_HTTP_REPLY_H
#define GLOVEBOX_WEB_HTTP_REPLY_H

#include "web/http_parts.h"

/* Write the status and the headers. */
void http_reply_head(struct exchange_state *x, struct buf *out);

enum reply_piece {
	REPLY_GOES_ON,
	REPLY_WAITS, /* its route adds more later */
	REPLY_OVER,
	REPLY_BROKEN, /* cut the connection */
};

/* Write the next piece of the body, of some 32 KiB at most, unless it waits or is over. */
enum reply_piece http_reply_piece(struct exchange_state *x, struct buf *out);

#endif
