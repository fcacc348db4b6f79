/*
 * flight - what the requests of one key hold while they are answered: connections, and bytes of
 * bodies and replies, in memory and in files.
 *
 * A holder may have as much as it leaves free: one alone gets half of everything, two get a third
 * each, and a holder without anything gets what it asks for while anything is free. So no quota has
 * to be set for one key to leave room for the next (the dynamic thresholds of shared buffers,
 * Choudhury and Hahne 1998). Without keys there is one holder, who may have all.
 *
 * No side effects. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_FLIGHT_H
#define GLOVEBOX_SERVE_FLIGHT_H

#include <stdbool.h>
#include <stdint.h>

enum flight_kind {
	FLIGHT_CONNECTIONS, /* with a request on them */
	FLIGHT_MEMORY,      /* bytes of bodies and replies */
	FLIGHT_FILES,       /* bytes of replies in unlinked files */
	FLIGHT_KINDS,
};

/* What one holder has; all zero in the beginning. */
struct flight {
	uint64_t has[FLIGHT_KINDS];
	uint64_t turn_us; /* its next long body is read then, not earlier; monotonic */
};

/* What all of them have, and may have. */
struct flight_pool {
	uint64_t most[FLIGHT_KINDS];
	struct flight all;
	bool has_one_holder;
};

/* flight_take - charge the holder. Returns whether it may have that; otherwise nothing changes. */
bool flight_take(struct flight_pool *pool, struct flight *flight, enum flight_kind kind,
		 uint64_t amount);

/* Give back what was taken. */
void flight_give(struct flight_pool *pool, struct flight *flight, enum flight_kind kind,
		 uint64_t amount);

#endif
