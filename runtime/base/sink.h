/*
 * sink - the destination of a stream: any combination of a descriptor, a buffer and a function.
 *
 * Plain data; the mover of the bytes writes to it (sandbox/stream.h).
 */
#ifndef GLOVEBOX_BASE_SINK_H
#define GLOVEBOX_BASE_SINK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

struct sink {
	int fd;             /* borrowed; -1: none */
	struct buf *buffer; /* borrowed; the caller sets its cap; NULL: none */
	void (*take)(void *context, const char *bytes, size_t length);
	/* A display stands here (session/display_marks.h); NULL: not wanted. */
	void (*display)(void *context);
	bool all_displays; /* else a bounded number of them, and what follows is text */
	void *context;
};

#endif
