/*
 * warm - the warm supervisor from which the agent takes its cells: the user's, or one of the
 * agent's own.
 *
 * Theory of operation. The user's serves us when it runs and has our image. Else we start one,
 * with a runtime directory of its own that nobody else is told of:
 *
 *   agent -- keeper -- glovebox warm serve
 *
 * The keeper waits for the end of a pipe that the agent holds, however the agent ends; then
 * it ends the supervisor, removes the directory and is gone. When the keeper itself is killed,
 * the supervisor gets SIGTERM as its parent-death signal. Both are in a session of their
 * own, so that Ctrl-C does not reach them.
 *
 * The listening socket is made here and passed on, as systemd would: connecting to it works
 * at once, and waits until there is a cell.
 *
 * Runs: the agent, and the keeper. Sets XDG_RUNTIME_DIR of this process: cell/lease.c reads it.
 */
#ifndef GLOVEBOX_AGENT_WARM_H
#define GLOVEBOX_AGENT_WARM_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

struct warm {
	char *image; /* canonical */
	bool trust_image;
	bool own;
	char directory[256]; /* of our own */
	pid_t keeper;        /* 0: none */
	int pipe;            /* owned: while it is held, the supervisor lives; EPOLLERR: it ended */
	int said;            /* owned: what it prints on stderr */
};

/*
 * warm_open - find or start one; returns before it is ready.
 *
 * @image  canonical. Copied.
 * @trust_image  of ours only: it is taken though it was imported. The user's has been vouched for.
 * @out    owned: warm_close().
 * Call while the process is small: the keeper is a fork of it.
 */
int warm_open(const char *image, bool trust_image, struct warm *out, struct err *e);

/* Is a cell waiting for us? Costs a fifth of a millisecond. */
bool warm_is_ready(const struct warm *w);

/* Is its Python still importing? Until it has, asking for a cell would wait. */
bool warm_is_starting(const struct warm *w);

/* The user's does not fit after all: start one of our own. -1 also when it was that already. */
int warm_fall_back(struct warm *w, struct err *e);

/* Our own supervisor has ended by itself: there will be no cell. */
bool warm_has_ended(const struct warm *w);

/* What our supervisor said before it failed, if it said something, in place of *e. */
void warm_explain(const struct warm *w, struct err *e);

/* Returns when everything of it is gone. */
void warm_close(struct warm *w);

#endif
