/*
 * relay - bytes from one socket to another without copying them: splice(2) through a pipe.
 *
 * A pipe is taken when bytes are there and given back when they have gone on, so an idle connection
 * has none, and a user's limit of pages in pipes (pipe(7)) bounds what moves, not what is open.
 *
 * Touches the OS. Runs: glovebox-egress. Needs: nothing.
 */
#ifndef GLOVEBOX_EGRESS_RELAY_H
#define GLOVEBOX_EGRESS_RELAY_H

#include <stdbool.h>
#include <stddef.h>

#define RELAY_SPARE_PIPES 4 /* a user has few large ones: pipe-user-pages-soft, pipe(7) */

/* Pipes that nobody has at the moment. */
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
	bool ended;  /* `from` has no more */
	bool shut;   /* and `to` has been told */
};

static inline struct lane lane_between(int from, int to)
{
	return (struct lane){
		.from = from, .to = to, .pipe = {-1, -1}
        };
}

enum lane_result {
	LANE_OK,
	LANE_BROKEN,  /* an end of the connection is gone */
	LANE_NO_PIPE, /* this process has no room for a pipe */
};

/*
 * lane_pump - move what can be moved without waiting, at most @allowed bytes.
 * @moved  out: bytes that were read from `from`, to be counted.
 */
enum lane_result lane_pump(struct lane *l, struct relay_pipes *pipes, size_t allowed,
			   size_t *moved);

/* Tell `to` that there is no more, once that is so. */
void lane_finish(struct lane *l);

/* What is held is dropped. */
void lane_close(struct lane *l);
void relay_pipes_close(struct relay_pipes *pipes);

#endif
