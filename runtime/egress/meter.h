/*
 * meter - limit the rate of bytes, and the number of names below wildcards.
 *
 * The caller passes the time: milliseconds of a monotonic clock (if it goes back, nothing is
 * added).
 *
 * No side effects, no allocation. Runs: egress. Needs: nothing.
 */
#ifndef GLOVEBOX_EGRESS_METER_H
#define GLOVEBOX_EGRESS_METER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/hostname.h"

#define METER_MAX                                                                                  \
	(INT64_C(1) << 40) /* a terabyte; greater rates, bursts and sizes are cut to this */

/* A token bucket. */
struct meter {
	int64_t rate;   /* bytes per second; 0: no limit */
	int64_t full;   /* capacity in thousandths of a byte, to keep every millisecond's share */
	int64_t tokens; /* available now; negative: a debt */
	uint64_t since_ms; /* time of the last count */
};

/*
 * meter_init - fill the bucket.
 *
 * @rate   bytes per second; 0: no limit.
 * @burst  bytes that may pass at once after a pause; 0 counts as 1, or nothing would ever pass.
 */
void meter_init(struct meter *meter, uint64_t rate, uint64_t burst) __attribute__((nonnull));

/* meter_allows - how many bytes may pass now; SIZE_MAX without a limit. */
size_t meter_allows(struct meter *meter, uint64_t now_ms) __attribute__((nonnull));

/*
 * meter_take - count bytes that have passed. They may exceed the allowance, when splice(2) took all
 * there was; then nothing is allowed until the debt is paid.
 */
void meter_take(struct meter *meter, size_t size) __attribute__((nonnull));

/*
 * meter_wait_ms - milliseconds until `size` bytes, or the whole burst if that is less, are allowed.
 */
uint64_t meter_wait_ms(struct meter *meter, size_t size, uint64_t now_ms) __attribute__((nonnull));

#define WILD_NAMES     120 /* distinct names per minute */
#define WILD_BYTES_MAX 80  /* bytes of a name that the star may match */
#define WILD_MINUTE_MS 60000

/* Zero-initialise it. It has 31 kB: only a list with a wildcard needs one. */
struct wild_meter {
	struct wild_name {
		uint64_t until_ms; /* the slot is free after this */
		char name[HOST_NAME_SIZE];
	} names[WILD_NAMES];
};

/*
 * wild_allows - whether a lookup of a name below a wildcard may leave the host.
 *
 * Such a name can carry data out, to the owner of the zone. Each name occupies a slot until a
 * minute after its last lookup. If all are taken, a new name is refused for now; names with a slot
 * pass. Names are stored whole: a program could construct colliding hashes.
 *
 * @name  canonical; wild_fits() checks its length.
 */
bool wild_allows(struct wild_meter *meter, const char *name, uint64_t now_ms)
	__attribute__((nonnull));

/* wild_fits - whether the star matches few enough bytes, by host_name_wild_bytes(). */
bool wild_fits(const char *pattern, const char *name) __attribute__((nonnull));

#endif
