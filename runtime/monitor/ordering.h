/*
 * ordering - give glovebox-egress one order, and have its answer told: the monitor waits for no
 * process that reads what strangers say.
 *
 * Runs: monitor. Needs: nothing.
 */
#ifndef GLOVEBOX_MONITOR_ORDERING_H
#define GLOVEBOX_MONITOR_ORDERING_H

#include "client/hub.h"
#include "sandbox/egress_order.h"

struct ordering {
	/* internal */
	struct hub *hub;
	void (*done)(void *context, const struct err *failure);
	void *context;
	struct egress_order order;
	struct err failed; /* it could not be given */
	struct hub_watch watch;
	struct hub_timer late;
};

/*
 * ordering_init - make one for an order at a time.
 *
 * @hub   borrowed.
 * @done  its failure is NULL when the order is obeyed; it may give the next one.
 */
void ordering_init(struct ordering *o, struct hub *hub,
		   void (*done)(void *context, const struct err *failure), void *context);

/*
 * ordering_begin - give an order (sandbox/egress_order.h). done() is called once, in a later turn:
 * at the answer, or after EGRESS_ANSWER_MS, when the process may obey still.
 *
 * @control, @request, @fds  borrowed for the call.
 */
void ordering_begin(struct ordering *o, int control, const struct buf *request, const int *fds,
		    unsigned count);

/* Await its answer no more. Safe if none is awaited. */
void ordering_end(struct ordering *o);

#endif
