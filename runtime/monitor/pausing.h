/*
 * pausing - freeze the processes of a sandbox that stays, let it hibernate, and let it go on.
 *
 * The kernel takes a moment to stop them all; meanwhile the monitor goes on. A sandbox that does
 * not stand still in 5 s goes on, and one that cannot hibernate is as it was before.
 *
 * Runs: monitor. Needs: what cgroup_freeze() needs.
 */
#ifndef GLOVEBOX_MONITOR_PAUSING_H
#define GLOVEBOX_MONITOR_PAUSING_H

#include <stdbool.h>

#include "client/hub.h"
#include "monitor/hibernating.h"
#include "record/record.h"
#include "sandbox/run.h"

struct pausing {
	struct hub *hub;
	struct run *run;
	void (*done)(void *context, const struct err *failure); /* NULL: as asked */
	void *context;
	enum record_state state; /* it runs, is paused or hibernates */
	/* internal */
	struct hibernating hibernating;
	struct hub_timer timer;
	struct err failed; /* why it does not hibernate; it is let go on */
	bool busy;
	enum record_state wanted;
	unsigned steps;
};

/*
 * pausing_init - of a sandbox that runs.
 * @record_dir  borrowed, as hub and run are.
 */
void pausing_init(struct pausing *p, struct hub *hub, struct run *run, int record_dir,
		  void (*done)(void *context, const struct err *failure), void *context);

/* Errors: ERR_BUSY: an earlier one is under way. Otherwise done() is called, once, in a later turn.
 */
int pausing_begin(struct pausing *p, enum record_state wanted, struct err *e);

/* Forget what is under way. Safe if nothing is, and on a zeroed one. */
void pausing_end(struct pausing *p);

#endif
