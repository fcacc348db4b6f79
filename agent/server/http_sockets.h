/*
 * http_sockets - the descriptors of an HTTP client: which are its connections, and which are
 * awaited.
 *
 * Those are two tables. An idle connection is open and not awaited; the pipe of a thread that looks
 * up a name is awaited and no connection.
 *
 * Runs: the agent.
 */
#ifndef GLOVEBOX_AGENT_HTTP_SOCKETS_H
#define GLOVEBOX_AGENT_HTTP_SOCKETS_H

#include <stdint.h>

#include "base/loop.h"

#define HTTP_SOCKETS_MAX 8 /* connections; it tries two addresses at once */

struct http_sockets {
	int open[HTTP_SOCKETS_MAX];      /* -1: none */
	struct pollfd awaited[LOOP_MAX]; /* for loop_arrange(), all of it; .fd -1: none */
};

void http_sockets_init(struct http_sockets *s);

/* A connection is open, or about to be closed. */
void http_sockets_add(struct http_sockets *s, int fd);
void http_sockets_remove(struct http_sockets *s, int fd);

/* Everything that the open ones have received: only the kernel sees what surrounds a body. */
uint64_t http_sockets_received(const struct http_sockets *s);

/*
 * http_sockets_await - await these events of a descriptor from now on; 0: it is not awaited.
 * What was reported of it is forgotten. -1: too many are awaited.
 */
int http_sockets_await(struct http_sockets *s, int fd, short events);

/* The next descriptor of which something was reported, which is then forgotten. -1: no more. */
int http_sockets_ready(struct http_sockets *s);

#endif
