/*
 * meter - how fast bytes may pass, and how many names below a wildcard may be asked for.
 *
 * Time is the caller's: milliseconds of a clock that does not go back (while one does, nothing is
 * added).
 *
 * No side effects, no allocation. Runs: egress. Needs: nothing.
 */
#ifndef GLOVEBOX_EGRESS_METER_H
#define GLOVEBOX_EGRESS_METER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hostname.h"

#define METER_MAX (INT64_C(1) << 40) /* a terabyte; greater rates, bursts and sizes are this */

/* A token bucket. */
struct meter {
	int64_t rate;      /* bytes a second; 0: no limit */
	int64_t full;      /* thousandths of a byte, so that no millisecond is lost */
	int64_t tokens;    /* of which this many may pass now; less than 0: a debt */
	uint64_t since_ms; /* when they were counted */
};

/*
 * meter_init - a full bucket.
 *
 * @rate   bytes a second, 0 for no limit.
 * @burst  bytes that may pass at once after a pause; 0 is taken for 1, or nothing would ever pass.
 */
void meter_init(struct meter *meter, uint64_t rate, uint64_t burst) __attribute__((nonnull));

/* meter_allows - how many bytes may pass now; SIZE_MAX without a limit. */
size_t meter_allows(struct meter *meter, uint64_t now_ms) __attribute__((nonnull));

/*
 * meter_take - bytes have passed. They may be more than were allowed, as when splice(2) took all
 * that was there; then nothing is allowed until their time is over.
 */
void meter_take(struct meter *meter, size_t size) __attribute__((nonnull));

/*
 * meter_wait_ms - how long until `size` bytes, or the whole burst if that is less, are allowed; 0
 * if they are now.
 */
uint64_t meter_wait_ms(struct meter *meter, size_t size, uint64_t now_ms) __attribute__((nonnull));

#define WILD_NAMES     120 /* different names in any minute */
#define WILD_BYTES_MAX 80  /* of a name, that stand for the star */
#define WILD_MINUTE_MS 60000

/* All zero is the start. 31 kB: only who has a wildcard in his list needs one. */
struct wild_meter {
	struct wild_name {
		uint64_t until_ms; /* from then on the place is free */
		char name[HOST_NAME_SIZE];
	} names[WILD_NAMES];
};

/*
 * wild_allows - whether a lookup of a name below a wildcard may leave the host.
 *
 * Such a name can carry data out, to whoever owns the zone. Each name takes a place until it was
 * not asked for in a minute. Without a free one a new name must wait; names that have a place pass.
 * They are kept whole: hashes could be made alike.
 *
 * @name  canonical; that it is not too long for its pattern is another check: wild_fits().
 */
bool wild_allows(struct wild_meter *meter, const char *name, uint64_t now_ms)
	__attribute__((nonnull));

/* wild_fits - whether the bytes that stand for the star, by host_name_wild_bytes(), are few enough.
 */
bool wild_fits(const char *pattern, const char *name) __attribute__((nonnull));

#endif
