/*
 * control - requests of those who started this process: one JSON text each, with the descriptor to
 * which its one answer goes (host/egress.h).
 *
 * Runs: glovebox-egress. Needs: nothing.
 */
#ifndef GLOVEBOX_EGRESS_CONTROL_H
#define GLOVEBOX_EGRESS_CONTROL_H

#include <stdbool.h>

#include "egress/egress.h"
#include "egress/listeners.h"

#define CONTROL_MAX_TEXT (128 << 10)

struct control {
	struct watch watch;
	struct egress *egress;
	struct listeners *listeners;
	int fd;         /* owned */
	bool has_ended; /* nobody can ask any more: the sandbox is gone */
};

/*
 * control_begin - wait for the first request, "begin", and do what it says.
 * -1: there is none, or it cannot be done; whoever has asked has been told.
 */
int control_begin(struct control *c);

/* Answer requests from now on. */
int control_start(struct control *c, struct err *e);

#endif
