/*
 * supply - a server's own warm supervisor is started again when it has ended.
 *
 * Until then each request for a cell is refused (503), and /ready says why. Who ends as soon as he
 * has started is started again later and later. When the user's own supervisor has ended, which it
 * does after a quarter of an hour without work, one of the server's own takes its place.
 *
 * Runs: serve. Needs: what starting a supervisor needs (client/supplier.h).
 */
#ifndef GLOVEBOX_SERVE_SUPPLY_H
#define GLOVEBOX_SERVE_SUPPLY_H

#include "client/supplier.h"
#include "service/hub.h"

struct supply {
	struct hub *hub;
	struct supplier *supplier;
	struct hub_watch ended;
	struct hub_timer again;
	struct ask *ask; /* owned: of the user's supervisor, whether it is still there; NULL */
	struct hub_operation question;
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

#endif
