/*
 * resupply - replace a warm supervisor that may be lost, while others are served.
 *
 * It first asks the present supervisor, if it is ours and has not ended: if that answers, it stays.
 * Otherwise it asks the user's supervisor, which may run by now with our image; if that does not
 * serve, it starts one of our own, which need not be awaited: connecting to it works at once.
 *
 * Runs: serve, mcp. Needs: what starting a supervisor needs (client/supplier.h).
 */
#ifndef GLOVEBOX_CLIENT_RESUPPLY_H
#define GLOVEBOX_CLIENT_RESUPPLY_H

#include <stdbool.h>

#include "client/hub.h"
#include "client/supplier.h"

struct resupply {
	struct hub *hub;           /* borrowed */
	struct supplier *supplier; /* borrowed */
	bool leaves_users;         /* the user's supervisor failed us: do not keep it */
	/*
	 * Called once, in a later turn of the hub.
	 * @is_another  the supplier has changed.
	 * @why         the last words of the old supervisor, or why a new one could not start;
	 *              NULL: none.
	 */
	void (*done)(void *context, bool is_another, const struct err *why);
	void *context;
	struct ask *ask; /* owned: the pending request; NULL */
	struct hub_operation question;
	struct hub_watch ended; /* watches the old supervisor, whose last words may still come */
	struct hub_timer next;
	struct err words; /* its last words */
};

/* Fill it in. @hub, @supplier: outlive it. */
void resupply_init(struct resupply *r, struct hub *hub, struct supplier *supplier,
		   bool leaves_users,
		   void (*done)(void *context, bool is_another, const struct err *why),
		   void *context);

/* Must not be running. */
void resupply_start(struct resupply *r);

/* Cancel it. Safe if it is not running, and on a zeroed one. */
void resupply_stop(struct resupply *r);

#endif
