/*
 * excerpt - head and tail of a long text, with a count of what is left out between them.
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
 * A third is the head, the rest the tail; both end at line ends. If a cut would fall into a Python
 * traceback, that traceback is kept whole, or left out whole, unless it is larger than
 * `traceback_max`.
 */
void excerpt_output(const void *bytes, size_t length, size_t max, size_t traceback_max,
		    struct buf *out);

/*
 * excerpt_traceback - append a traceback, defused and whole. One that is larger than `max` loses
 * the middle of its long lines first, then its own middle.
 */
void excerpt_traceback(const char *text, size_t max, struct buf *out);

#endif
