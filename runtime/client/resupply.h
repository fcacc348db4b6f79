/*
 * resupply - another warm supervisor in the place of one that may be lost, while others are served.
 *
 * The one there is, if it is ours and has not ended, is asked whether it is there: then it stays.
 * Otherwise the user's is asked, which may run by now with our image; if it does not, one of our
 * own is started. That one need not be waited for: connecting to it works at once.
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
	bool leaves_users;         /* the user's was not good enough: it does not stay */
	/*
	 * Called once, in a later turn of the hub.
	 * @is_another  the supplier has changed.
	 * @why         what the one before said at its end, or why there is no other; NULL:
	 * nothing.
	 */
	void (*done)(void *context, bool is_another, const struct err *why);
	void *context;
	struct ask *ask; /* owned: the question that is under way; NULL */
	struct hub_operation question;
	struct hub_watch ended; /* of the one that is left: it may still say why */
	struct hub_timer next;
	struct err words; /* that it said */
};

/* Fill it in. @hub, @supplier  outlive it. */
void resupply_init(struct resupply *r, struct hub *hub, struct supplier *supplier,
		   bool leaves_users,
		   void (*done)(void *context, bool is_another, const struct err *why),
		   void *context);

/* It must not be under way. */
void resupply_start(struct resupply *r);

/* Give it up, as it is. Safe if it is not under way, and on one that is all zero. */
void resupply_stop(struct resupply *r);

#endif
