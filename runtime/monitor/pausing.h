/*
 * pausing - freeze the processes of a sandbox that stays, and let them go on.
 *
 * The kernel takes a moment to stop them all; meanwhile the monitor goes on. A sandbox that does
 * not stand still in 5 s goes on.
 *
 * Runs: monitor. Needs: what cgroup_freeze() needs.
 */
#ifndef GLOVEBOX_MONITOR_PAUSING_H
#define GLOVEBOX_MONITOR_PAUSING_H

#include <stdbool.h>

#include "client/hub.h"
#include "host/run.h"

struct pausing {
	/* set by the owner */
	struct hub *hub;
	struct run *run;
	void (*done)(void *context, const struct err *failure); /* NULL: as asked */
	void *context;
	/* internal */
	struct hub_timer timer;
	bool busy;
	bool wanted; /* paused */
	unsigned steps;
};

/* Errors: ERR_BUSY: an earlier one is under way. Otherwise done() is called, once, in a later turn.
 */
int pausing_begin(struct pausing *p, bool pause, struct err *e);

/* Forget what is under way. Safe if nothing is. */
void pausing_end(struct pausing *p);

#endif
