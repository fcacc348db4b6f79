/*
 * http_sockets - the descriptors of an HTTP client: its connections, and those it waits for.
 *
 * Two tables, since an idle connection is open but not awaited, and the pipe of a resolver thread
 * is awaited but not a connection.
 *
 * Runs: the agent.
 */
#ifndef GLOVEBOX_AGENT_HTTP_SOCKETS_H
#define GLOVEBOX_AGENT_HTTP_SOCKETS_H

#include <stdint.h>

#include "loop/loop.h"

#define HTTP_SOCKETS_MAX 8 /* connections; it tries two addresses at once */

struct http_sockets {
	int open[HTTP_SOCKETS_MAX];      /* -1: none */
	struct pollfd awaited[LOOP_MAX]; /* for loop_arrange(), all of it; .fd -1: none */
};

void http_sockets_init(struct http_sockets *s);

/* Add a connection that was opened; http_sockets_remove() one that will be closed. */
void http_sockets_add(struct http_sockets *s, int fd);
void http_sockets_remove(struct http_sockets *s, int fd);

/*
 * Return the bytes that open connections have received, by the kernel's count: it includes all
 * framing.
 */
uint64_t http_sockets_received(const struct http_sockets *s);

/*
 * http_sockets_await - wait for these events of a descriptor; 0: stop waiting.
 * Drops pending reports of it. -1: too many descriptors.
 */
int http_sockets_await(struct http_sockets *s, int fd, short events);

/* Return the next descriptor with a report, and drop the report. -1: none. */
int http_sockets_ready(struct http_sockets *s);

#endif
