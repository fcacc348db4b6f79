/*
 * supervisor - the warm supervisor of one user: a nursery, a pool, who asks.
 *
 * One process, one thread, one poll loop. Requests arrive on a unix socket that
 * only the same user may connect to; each connection is one request and one answer
 * (a client that waits for a cell keeps its connection).
 */
#ifndef GLOVEBOX_CELL_SUPERVISOR_H
#define GLOVEBOX_CELL_SUPERVISOR_H

#include <stdint.h>

#include "base/err.h"
#include "cell/nursery.h"

struct supervisor_options {
	struct nursery_options nursery;
	unsigned pool;         /* cells kept ready, 1 to POOL_MAX / 2 */
	uint64_t idle_exit_ms; /* without a request; 0: never */
	int listen_fd;         /* from socket activation; -1: make the socket */
	int ready_fd;          /* a line is written here once the pool is full, or why it
				  cannot be; -1: nobody waits */
};

/*
 * supervisor_run - until told to stop, idle, or a signal.
 * Errors: the socket, or a nursery that does not come up at the first try.
 */
int supervisor_run(const struct supervisor_options *options, struct err *e);

#endif
