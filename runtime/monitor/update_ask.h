/*
 * update_ask - ask the monitor of a sandbox that stays to update it.
 *
 * This process makes the sockets that listen, so that their ports are of its network and take its
 * rights (sandbox/published.h), and hands them over with the request. It may be killed at any
 * moment: the monitor does all of it, or nothing.
 *
 * Runs: client. Needs: nothing.
 */
#ifndef GLOVEBOX_MONITOR_UPDATE_ASK_H
#define GLOVEBOX_MONITOR_UPDATE_ASK_H

#include "base/list.h"
#include "record/record.h"
#include "spec/spec.h"

/* A change of the published ports of a sandbox. */
struct port_change {
	struct egress_published more[EGRESS_MAX_PUBLISHED]; /* as asked, then as they are bound */
	struct egress_published less[EGRESS_MAX_PUBLISHED]; /* as they are bound */
	size_t more_count;
	size_t less_count;
};

/* All borrowed. */
struct update_wish {
	const struct list *flags; /* that its next start reads */
	const struct limits *limits;
	bool timed;                     /* its deadline is counted anew */
	const struct egress_spec *list; /* NULL: it stays */
	struct port_change *ports;
};

/*
 * update_ask - have all of it done. What is published at the place of a port that is withdrawn
 * takes over its socket.
 *
 * @r     it runs.
 * @lock  borrowed: what record_lock_update() has locked; the monitor holds it until it is done,
 *        whatever becomes of this process.
 * @w     out: ports->more, as they are bound.
 * Errors: ERR_GONE: it has ended. Otherwise nothing has changed (monitor/updating.h). ERR_EXISTS: a
 * port is in use; ERR_INPUT: this process may not have it, or a port is one of the list's own.
 */
int update_ask(const struct record *r, int lock, struct update_wish *w, struct err *e);

#endif
