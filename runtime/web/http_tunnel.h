/*
 * http_tunnel - a connection after an upgrade (web/http.h, struct duplex).
 *
 * Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_WEB_HTTP_TUNNEL_H
#define GLOVEBOX_WEB_HTTP_TUNNEL_H

#include "web/http_flow.h"

/* Move what can be moved, in both directions. */
enum step http_tunnel_step(struct http_connection *c);

/* Whether bytes of the client are wanted now. */
bool http_tunnel_hears(const struct http_connection *c);

#endif
