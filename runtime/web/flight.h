/*
 * flight - bound what each key's requests hold while they are answered: connections, and bytes of
 * bodies and replies, in memory and in files.
 *
 * A holder may have as much as it leaves free: a single holder gets half of everything, two get a
 * third each, and a holder of nothing gets what it asks for while enough is free. So one key leaves
 * room for the next without a configured quota (the dynamic thresholds of shared buffers, Choudhury
 * and Hahne 1998). Without keys there is one holder, who may have all.
 *
 * No side effects. Runs: serve. Needs: nothing.
 */
#ifndef GLOVEBOX_WEB_FLIGHT_H
#define GLOVEBOX_WEB_FLIGHT_H

#include <stdbool.h>
#include <stdint.h>

enum flight_kind {
	FLIGHT_CONNECTIONS, /* that carry a request */
	FLIGHT_MEMORY,      /* bytes of bodies and replies */
	FLIGHT_FILES,       /* bytes of replies in unlinked files */
	FLIGHT_KINDS,
};

/* The amounts of one holder; all zero at first. */
struct flight {
	uint64_t has[FLIGHT_KINDS];
	uint64_t turn_us; /* monotonic; its next long body is not read earlier */
};

/* The amounts and bounds of all holders. */
struct flight_pool {
	uint64_t most[FLIGHT_KINDS];
	struct flight all;
	bool has_one_holder;
};

/* flight_take - charge a holder. Returns false, and changes nothing, if that is too much. */
bool flight_take(struct flight_pool *pool, struct flight *flight, enum flight_kind kind,
		 uint64_t amount);

/* Release an amount that flight_take() charged. */
void flight_give(struct flight_pool *pool, struct flight *flight, enum flight_kind kind,
		 uint64_t amount);

#endif
