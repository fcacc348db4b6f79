/*
 * outputs - stdout and stderr of a program, as one.
 *
 * Runs: monitor, client. Needs: nothing.
 */
#ifndef GLOVEBOX_HOST_OUTPUTS_H
#define GLOVEBOX_HOST_OUTPUTS_H

#include "host/stream.h"

#define OUTPUTS_SLOTS 4 /* a source and a destination for each */

struct outputs {
	struct stream streams[2];
};

/* Begin with one of them; @from is owned. */
void outputs_start(struct outputs *o, int i, int from, const struct sink *to, uint64_t limit);

/* As stream_poll() and stream_pump(). */
void outputs_poll(const struct outputs *o, struct pollfd slots[OUTPUTS_SLOTS]);
void outputs_pump(struct outputs *o, const struct pollfd slots[OUTPUTS_SLOTS]);

/* Everything is passed on. @late: nobody waits any more for a reader that does not read. */
bool outputs_are_done(const struct outputs *o, bool late);

/*
 * Nobody reads one of them any more. @ended: the program has, so that counts only if output was
 * lost. *error is the errno of the write; 0: the reader has left.
 */
bool outputs_have_no_reader(const struct outputs *o, bool ended, int *error);

/* Drop what is not passed on yet. */
void outputs_abandon(struct outputs *o);

/* End both; @truncated: whether each was cut. */
void outputs_end(struct outputs *o, bool truncated[2]);

#endif
