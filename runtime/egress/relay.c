/*
 * relay - move bytes between two sockets without copying them: splice(2) through a pipe.
 */
#include "egress/relay.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/own.h"

#define RELAY_PIPE_BYTES (1024 << 10) /* the most bytes in flight at once */
#define RELAY_ROUNDS     8            /* splices per turn, before another connection has its turn */

static int relay_pipe_take(struct relay_pipes *pipes, int out[2])
{
	if (pipes->count) {
		pipes->count--;
		out[0] = pipes->fds[pipes->count][0];
		out[1] = pipes->fds[pipes->count][1];
		return 0;
	}
	if (pipe2(out, O_CLOEXEC | O_NONBLOCK)) {
		out[0] = out[1] = -1;
		return -1;
	}
	/* Beyond a user's soft limit the kernel refuses: keep the smaller pipe, which is slower. */
	(void)fcntl(out[1], F_SETPIPE_SZ, RELAY_PIPE_BYTES);
	return 0;
}

static void relay_pipe_give(struct relay_pipes *pipes, int pipe[2])
{
	if (pipe[0] < 0)
		return;
	if (pipes->count == RELAY_SPARE_PIPES) {
		own_close(&pipe[0]);
		own_close(&pipe[1]);
		return;
	}
	pipes->fds[pipes->count][0] = take_fd(&pipe[0]);
	pipes->fds[pipes->count][1] = take_fd(&pipe[1]);
	pipes->count++;
}

static bool relay_would_block(void)
{
	return errno == EAGAIN || errno == EINTR;
}

/* 1: there may be more; 0: not now; -1. */
static int relay_fill(struct lane *l, size_t allowed, size_t *moved)
{
	size_t most = allowed < RELAY_PIPE_BYTES ? allowed : RELAY_PIPE_BYTES;
	ssize_t n =
		splice(l->from, NULL, l->pipe[1], NULL, most, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);

	if (n < 0)
		return relay_would_block() ? 0 : -1;
	l->ended = n == 0;
	l->held += (size_t)n;
	*moved += (size_t)n;
	return n > 0;
}

static int relay_drain(struct lane *l)
{
	while (l->held) {
		ssize_t n = splice(l->pipe[0], NULL, l->to, NULL, l->held,
				   SPLICE_F_MOVE | SPLICE_F_NONBLOCK);

		if (n < 0)
			return relay_would_block() ? 0 : -1;
		l->held -= (size_t)n;
	}
	return 1;
}

enum lane_result lane_pump(struct lane *l, struct relay_pipes *pipes, size_t allowed, size_t *moved)
{
	int more = l->held ? relay_drain(l) : 1;

	*moved = 0;
	for (int i = 0; more > 0 && !l->ended && *moved < allowed && i < RELAY_ROUNDS; i++) {
		if (l->pipe[0] < 0 && relay_pipe_take(pipes, l->pipe))
			return LANE_NO_PIPE;
		more = relay_fill(l, allowed - *moved, moved);
		if (more > 0)
			more = relay_drain(l);
	}
	if (more < 0)
		return LANE_BROKEN;
	if (!l->held)
		relay_pipe_give(pipes, l->pipe);
	lane_finish(l);
	return LANE_OK;
}

void lane_finish(struct lane *l)
{
	if (!l->ended || l->held || l->shut)
		return;
	l->shut = true;
	(void)shutdown(l->to, SHUT_WR);
}

void lane_close(struct lane *l)
{
	own_close(&l->pipe[0]);
	own_close(&l->pipe[1]);
	l->held = 0;
}

void relay_pipes_close(struct relay_pipes *pipes)
{
	while (pipes->count) {
		pipes->count--;
		own_close(&pipes->fds[pipes->count][0]);
		own_close(&pipes->fds[pipes->count][1]);
	}
}
