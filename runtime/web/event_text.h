/*
 * event_text - make the output of a program valid UTF-8, piece by piece: a character that is cut
 * between two pieces waits for its rest.
 *
 * No side effects. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_WEB_EVENT_TEXT_H
#define GLOVEBOX_WEB_EVENT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

struct event_text {
	struct buf rest; /* at most three bytes */
};

/* @out  gets whole characters; with `is_last` everything that is left. */
void event_text_take(struct event_text *t, const char *bytes, size_t length, bool is_last,
		     struct buf *out);
void event_text_fini(struct event_text *t);

#endif
