/*
 * supervisor - the warm supervisor of one user: a nursery, a pool and its clients.
 *
 * One process, one thread, one poll loop. Requests arrive on a unix socket that only the same user
 * may connect to; each connection makes one request and gets one answer (a client that waits for a
 * cell keeps its connection).
 *
 * Runs: supervisor. Needs: what a cold start needs.
 */
#ifndef GLOVEBOX_WARM_SUPERVISOR_H
#define GLOVEBOX_WARM_SUPERVISOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "warm/nursery.h"

struct supervisor_options {
	struct nursery_options nursery;
	unsigned pool;         /* cells kept ready, 1 to POOL_MAX / 2 */
	uint64_t idle_exit_ms; /* without a request; 0: never */
	int listen_fd;         /* from socket activation; -1: make the socket */
	int ready_fd;          /* gets a struct supervisor_report; -1: none */
};

/* Written once, when the pool is full or cannot be filled. */
struct supervisor_report {
	struct err e;    /* why not; ERR_NONE: it is full */
	bool makes_none; /* permanently: the image's Python cannot make cells (nursery.h) */
	char left_out[NURSERY_LEFT_OUT_SIZE]; /* as in nursery.h */
};

/*
 * supervisor_run - serve until told to stop, idle for too long, or a signal arrives.
 * Errors: the socket, or a nursery that fails at its first start.
 */
int supervisor_run(const struct supervisor_options *options, struct err *e);

#endif
