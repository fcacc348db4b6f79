/*
 * addresses - the sockets of a server: its own, and one for each --face.
 *
 * Touches the OS. Runs: serve, before anything is started: clients wait until it serves.
 * Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_ADDRESSES_H
#define GLOVEBOX_SERVE_ADDRESSES_H

#include "request/server.h"

struct addresses {
	struct http_listener all[HTTP_LISTENERS]; /* owned until http_open() */
	char *said[HTTP_LISTENERS];               /* owned; each as text for people */
	unsigned count;
};

/* addresses_open - bind them. End with addresses_close(), after an error, too. */
int addresses_open(const struct server *server, bool is_tls, struct addresses *out, struct err *e);
void addresses_close(struct addresses *a);

/*
 * addresses_say - log a line for each, and put those of faces into the server.
 * Returns all of them in one line, owned by the caller.
 */
char *addresses_say(const struct addresses *a, struct server *server);

#endif
