/*
 * completion - ask the session itself how a name could continue.
 *
 * Looking up an attribute may run the session's code: it gets little time, and its names are not
 * trusted.
 *
 * Runs: client. Needs: nothing.
 */
#ifndef GLOVEBOX_REPL_COMPLETION_H
#define GLOVEBOX_REPL_COMPLETION_H

#include "base/buf.h"
#include "service/place.h"

struct completion {
	struct place *place; /* borrowed */
	int signal_fd;       /* borrowed; Ctrl-C ends the search */
};

/* For struct line_editor_helper; @context is a struct completion. */
void completion_find(void *context, const char *name, struct buf *out);

#endif
