/*
 * excerpt - cut a long text to its head and tail, and say how much is left out.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_AGENT_EXCERPT_H
#define GLOVEBOX_AGENT_EXCERPT_H

#include <stddef.h>

#include "base/buf.h"

/*
 * excerpt_output - append a program's output, defused, in about `max` bytes.
 *
 * A third is the head, the rest the tail; both end at line ends. A Python traceback is not cut: it
 * stays whole, or is left out whole, unless it exceeds `traceback_max`.
 */
void excerpt_output(const void *bytes, size_t length, size_t max, size_t traceback_max,
		    struct buf *out);

/*
 * excerpt_traceback - append a whole traceback, defused. If it exceeds `max`, first long lines lose
 * their middle, then the traceback its own.
 */
void excerpt_traceback(const char *text, size_t max, struct buf *out);

#endif
