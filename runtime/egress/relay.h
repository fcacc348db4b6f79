/*
 * relay - move bytes between two sockets without copying them: splice(2) through a pipe.
 *
 * A connection takes a pipe when bytes arrive and returns it when they are sent, so an idle one has
 * none, and a user's limit of pages in pipes (pipe(7)) bounds active connections, not open ones.
 *
 * Touches the OS. Runs: glovebox-egress. Needs: nothing.
 */
#ifndef GLOVEBOX_EGRESS_RELAY_H
#define GLOVEBOX_EGRESS_RELAY_H

#include <stdbool.h>
#include <stddef.h>

#define RELAY_SPARE_PIPES 4 /* a user has few large ones: pipe-user-pages-soft, pipe(7) */

/* Pipes not in use. */
struct relay_pipes {
	int fds[RELAY_SPARE_PIPES][2]; /* owned */
	unsigned count;
};

/* One direction of a connection. */
struct lane {
	int from; /* borrowed, non-blocking */
	int to;   /* borrowed, non-blocking */
	int pipe[2];
	size_t held; /* bytes in the pipe */
	bool ended;  /* `from` has reached its end */
	bool shut;   /* `to` was shut down for writing */
};

static inline struct lane lane_between(int from, int to)
{
	return (struct lane){
		.from = from, .to = to, .pipe = {-1, -1}
        };
}

enum lane_result {
	LANE_OK,
	LANE_BROKEN,  /* one end of the connection has failed */
	LANE_NO_PIPE, /* this process cannot get a pipe */
};

/*
 * lane_pump - move at most @allowed bytes, without waiting.
 * @moved  out: bytes read from `from`, for the counters.
 */
enum lane_result lane_pump(struct lane *l, struct relay_pipes *pipes, size_t allowed,
			   size_t *moved);

/* Shut `to` down for writing, once `from` has ended and the pipe is empty. */
void lane_finish(struct lane *l);

/* Drop the bytes in the pipe. */
void lane_close(struct lane *l);
void relay_pipes_close(struct relay_pipes *pipes);

#endif
