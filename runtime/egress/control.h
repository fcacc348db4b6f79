/*
 * control - answer requests of the monitor or supervisor that started this process. Each is one
 * JSON text with a descriptor for its one answer (sandbox/egress.h).
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
	bool has_ended; /* all requesters have closed it: the sandbox is gone */
};

/*
 * control_begin - wait for the first request, "begin", and perform it. -1: end of file, or it
 * failed; the requester has its answer.
 */
int control_begin(struct control *c);

/* Start to answer requests. */
int control_start(struct control *c, struct err *e);

#endif
