/*
 * hibernating - put a sandbox that stays and whose processes stand still on the disk: the changes
 * of its root as a file (monitor/layer.h), and its memory in swap, where the machine has some.
 *
 * Children do both, and the monitor goes on meanwhile. The file is whole before it takes the place
 * of the one that is there: whatever is killed, the next start has one or the other.
 *
 * Runs: monitor. Needs: nothing beyond its group's files, which it owns.
 */
#ifndef GLOVEBOX_MONITOR_HIBERNATING_H
#define GLOVEBOX_MONITOR_HIBERNATING_H

#include "client/hub.h"
#include "monitor/layer.h"
#include "sandbox/run.h"
#include "sandbox/swapping.h"

struct hibernating {
	/* set by the owner */
	struct hub *hub;
	struct run *run;
	int record_dir;                                         /* borrowed */
	void (*done)(void *context, const struct err *failure); /* NULL: as asked */
	void *context;
	/* internal */
	void (*next)(struct hibernating *h); /* the child has ended, or is late; NULL: idle */
	struct hub_watch watch;
	struct hub_timer late;
	struct layer_keeping layer;
	struct swapping swapping;
};

/*
 * hibernating_begin - begin; the sandbox is frozen. done() is called once, in a later turn or in
 * this call. It tells a failure when the root cannot be kept, and then the file of before is still
 * there; not when memory does not move.
 */
void hibernating_begin(struct hibernating *h);

/* Give up what is under way. Safe if nothing is. */
void hibernating_end(struct hibernating *h);

#endif
