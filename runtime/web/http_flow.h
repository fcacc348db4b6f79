/*
 * http_flow - move the bytes of a connection between its channel and its buffers.
 *
 * Never waits. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_WEB_HTTP_FLOW_H
#define GLOVEBOX_WEB_HTTP_FLOW_H

#include "web/http_parts.h"

#define HTTP_FLOW_BYTES 32768 /* read at once */

/* The result of a step of a connection. */
enum step {
	STEP_ON,
	STEP_WAIT, /* for its socket, or for its next turn */
	STEP_END,  /* close it */
};

/* Read some bytes, at most @room, to the end of `in`. STEP_END: there are no more, or an error. */
enum step http_flow_fill(struct http_connection *c, size_t room);

/* The first bytes of `in` are used: drop them. */
void http_flow_use(struct http_connection *c, size_t length);

/* Send `out`. STEP_ON: all of it is sent. */
enum step http_flow_flush(struct http_connection *c);

#endif
