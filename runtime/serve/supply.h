/*
 * supply - replace a server's warm supervisor when it ends.
 *
 * Until then requests for a cell are refused (503), and /ready reports why. A supervisor that ends
 * soon after its start is restarted with growing delays. The user's supervisor ends after a quarter
 * of an hour without work: one of our own replaces it; when that ends, the user's is used if it is
 * there again with our image (client/resupply.h).
 *
 * Runs: serve. Needs: what starting a supervisor needs (client/supplier.h).
 */
#ifndef GLOVEBOX_SERVE_SUPPLY_H
#define GLOVEBOX_SERVE_SUPPLY_H

#include "client/hub.h"
#include "client/resupply.h"
#include "tenant/log.h"

struct supply {
	struct hub *hub;
	struct supplier *supplier;
	struct hub_watch ended;
	struct hub_timer again;
	struct resupply another;
	uint64_t started_us;
	uint64_t pause_us; /* delay of the next start */
};

/*
 * supply_keep - keep a supervisor running from now on.
 *
 * @supplier  borrowed until supply_leave().
 * Errors: ERR_SYSTEM.
 */
int supply_keep(struct supply *s, struct hub *hub, struct supplier *supplier, struct err *e);

/* Stop keeping it. Safe if all zero. */
void supply_leave(struct supply *s);

/* Warn if cells share our user id: a cell can then exhaust kernel limits that count per id. */
void supply_say_ids(struct log *log);

#endif
