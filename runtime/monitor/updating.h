/*
 * updating - change limits, hosts and published ports of a sandbox that stays while it runs, and
 * keep what was changed.
 *
 * The monitor gives glovebox-egress its orders, in this sequence: the list, the ports that are
 * published; then the record is written; then the ports that are withdrawn. A failure before the
 * record takes back what was ordered, so that a client sees all of it or nothing, and one that is
 * killed leaves one of both. Connections of a port that is withdrawn end when nothing can fail any
 * more.
 *
 * Runs: monitor. Needs: to own the files of its control group.
 */
#ifndef GLOVEBOX_MONITOR_UPDATING_H
#define GLOVEBOX_MONITOR_UPDATING_H

#include "monitor/messages.h"
#include "monitor/ordering.h"
#include "monitor/record_keep.h"
#include "sandbox/run.h"

struct update; /* updating.c: the change that is under way */

struct updating {
	/* set by the owner, borrowed */
	struct hub *hub;
	struct run *run;
	struct record_kept *record;
	void (*done)(void *context, const struct err *failure); /* NULL: as asked */
	void *context;
	/* internal */
	struct ordering ordering;
	struct hub_timer timer;
	struct buf list;    /* the order for the list that it has; empty: that of its start */
	struct update *now; /* owned; NULL: nothing is under way */
};

/*
 * updating_begin - put the limits of a request into effect, change its network, and keep its flags
 * in the record. done() is called once, in a later turn, whatever has become of the client.
 *
 * @document  of the request; borrowed for the call: "list" is the new list of hosts.
 * @m         its descriptors: the sockets of published ports, and behind them what others wait for
 *            (record_lock_update()), which is held until it is done.
 * Errors: ERR_BUSY: another one is under way, or it is starting; ERR_INPUT: no flag of `run` can
 * have such a limit; ERR_UNSUPPORTED: it has no network; those of run_update(). Nothing has changed
 * then, as after a failure that done() tells; but where glovebox-egress does not withdraw a port
 * the rest is done, and the failure says so.
 */
int updating_begin(struct updating *u, const struct monitor_request *r, const struct json *document,
		   struct wire_message *m, struct err *e);

/* The sandbox has ended: forget what is under way. Safe if nothing is, and on a zeroed one. */
void updating_end(struct updating *u);

#endif
