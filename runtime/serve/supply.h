/*
 * supply - a server has a warm supervisor again when the one before has ended.
 *
 * Until then each request for a cell is refused (503), and /ready says why. One that ends as soon
 * as it has started is started again later and later. When the user's supervisor has ended, which
 * it does after a quarter of an hour without work, one of the server's own takes its place; and
 * when that ends, the user's, if it is there by then with our image (client/resupply.h).
 *
 * Runs: serve. Needs: what starting a supervisor needs (client/supplier.h).
 */
#ifndef GLOVEBOX_SERVE_SUPPLY_H
#define GLOVEBOX_SERVE_SUPPLY_H

#include "client/hub.h"
#include "client/resupply.h"
#include "serve/log.h"

struct supply {
	struct hub *hub;
	struct supplier *supplier;
	struct hub_watch ended;
	struct hub_timer again;
	struct resupply another;
	uint64_t started_us;
	uint64_t pause_us; /* before the next start */
};

/*
 * supply_keep - keep it alive from now on.
 *
 * @supplier  borrowed until supply_leave().
 * Errors: ERR_SYSTEM.
 */
int supply_keep(struct supply *s, struct hub *hub, struct supplier *supplier, struct err *e);

/* Not any more. Safe on one that is all zero. */
void supply_leave(struct supply *s);

/*
 * Say why cells have our user id, if they do: one can use up for us what the kernel counts by id.
 */
void supply_say_ids(struct log *log);

#endif
