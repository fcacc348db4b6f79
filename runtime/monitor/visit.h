/*
 * visit - the connections of a monitor: clients that start programs in its sandbox.
 *
 * The socket lies in the record's directory, which only the user can enter; the kernel tells who
 * connects, and anyone but the user and root is refused. A client that leaves takes nothing along:
 * its program goes on, with closed streams.
 *
 * Runs: monitor. Needs: nothing.
 */
#ifndef GLOVEBOX_MONITOR_VISIT_H
#define GLOVEBOX_MONITOR_VISIT_H

#include <sys/queue.h>

#include "base/err.h"
#include "client/hub.h"
#include "client/registry.h"
#include "monitor/idling.h"
#include "monitor/pausing.h"
#include "monitor/programs.h"
#include "monitor/record_keep.h"
#include "monitor/updating.h"
#include "sandbox/run.h"

struct visits {
	struct hub *hub; /* borrowed */
	struct run *run; /* borrowed; NULL: the sandbox has ended */
	struct pausing pausing;
	struct updating updating;
	struct idling idling;
	struct programs programs;
	struct record_kept *record; /* borrowed */
	struct registration *place; /* borrowed */
	struct visit *pauser;       /* the client of what is under way; NULL: it has left */
	struct visit *updater;      /* the same */
	/*
	 * Borrowed; leads to the first program's input; -1: it has none. Closed for a client whose
	 * end is that of the input.
	 */
	int *input;
	struct hub_watch listening;
	struct hub_timer rest; /* before it accepts again, for want of descriptors */
	LIST_HEAD(, visit) all;
	unsigned count;
};

/*
 * visits_begin - listen for clients.
 * @v  with `input`.
 * @record, @place, @run  borrowed until visits_end().
 */
int visits_begin(struct visits *v, struct hub *hub, struct record_kept *record,
		 struct registration *place, struct run *run, struct err *e);

/* A further program has ended: tell its client. Given to run_on_exec_end(); @context: the visits.
 */
void visits_on_exec_end(void *context, const struct report *report);

/* The sandbox has ended, with this exit code: tell all clients, and close their connections. */
void visits_end(struct visits *v, int exit_code);

#endif
