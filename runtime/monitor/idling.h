/*
 * idling - end a sandbox that stays when it has been idle for long (--idle-timeout): no further
 * program runs, and no client is connected.
 *
 * Runs: monitor. Needs: nothing.
 */
#ifndef GLOVEBOX_MONITOR_IDLING_H
#define GLOVEBOX_MONITOR_IDLING_H

#include "client/hub.h"
#include "sandbox/run.h"

struct idling {
	struct hub *hub; /* borrowed, as all */
	struct run *run;
	struct hub_timer timer;
	unsigned busy; /* clients, and further programs */
	uint64_t since_us;
};

/* It is idle from now on. */
void idling_begin(struct idling *i, struct hub *hub, struct run *run);

/*
 * A client has come, or a further program begun; one of them has gone.
 * @looked  a client that has only looked: it does not begin the idle time anew.
 */
void idling_enter(struct idling *i);
void idling_leave(struct idling *i, bool looked);

/* The sandbox has ended. Safe on a zeroed one. */
void idling_end(struct idling *i);

#endif
