/*
 * outputs - drive a program's stdout and stderr together.
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

/* Start one of the two; @from: owned. */
void outputs_start(struct outputs *o, int i, int from, const struct sink *to, uint64_t limit);

/* Like stream_poll() and stream_pump(). */
void outputs_poll(const struct outputs *o, struct pollfd slots[OUTPUTS_SLOTS]);
void outputs_pump(struct outputs *o, const struct pollfd slots[OUTPUTS_SLOTS]);

/*
 * Whether all output has been relayed. @late: do not wait any more for a reader that does not read.
 */
bool outputs_are_done(const struct outputs *o, bool late);

/*
 * Whether the reader of one has closed it. @ended: the program has ended, so it counts only if
 * output was lost. *error: the errno of the write; 0: the reader has closed.
 */
bool outputs_have_no_reader(const struct outputs *o, bool ended, int *error);

/* Drop output that is not relayed yet. */
void outputs_abandon(struct outputs *o);

/* End both; @truncated: whether each was cut. */
void outputs_end(struct outputs *o, bool truncated[2]);

#endif
