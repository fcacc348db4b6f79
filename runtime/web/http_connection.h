/*
 * http_connection - one connection of a client: requests come in, one after the other, and replies
 * go out.
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_WEB_HTTP_CONNECTION_H
#define GLOVEBOX_WEB_HTTP_CONNECTION_H

#include "web/http_parts.h"

/* http_connection_open - begin. @listener  borrowed; it was accepted there. @fd  taken over. */
void http_connection_open(struct http *h, const struct http_listener *listener, int fd);

/* Its request, if any, ends incomplete. Not within its turn. */
void http_connection_close(struct http_connection *c);

/* Go on as far as that is possible now. It may be freed. */
void http_connection_turn(struct http_connection *c);

#endif
