/*
 * clock - the monotonic clock for deadlines and durations, and the time of day for people.
 *
 * The monotonic clock stops while the machine is suspended (clock_gettime(2)). Touches the OS;
 * cannot fail.
 */
#ifndef GLOVEBOX_LOOP_CLOCK_H
#define GLOVEBOX_LOOP_CLOCK_H

#include <stdint.h>

uint64_t monotonic_us(void);
uint64_t monotonic_ms(void);

/* Sleep this long; a signal ends it early. For callers without a descriptor to wait for. */
void clock_pause_us(uint64_t us);

#define CLOCK_UTC_SIZE 25

/* Milliseconds of the epoch; seconds, with a fraction. */
uint64_t clock_now_ms(void);
double clock_now_s(void);

/* RFC 3339 in UTC: 2026-11-24T00:00:00Z; with milliseconds 2026-11-24T00:00:00.000Z. */
void clock_utc(char out[CLOCK_UTC_SIZE]);
void clock_utc_ms(char out[CLOCK_UTC_SIZE]);

/* The same of another moment: milliseconds of the epoch. */
void clock_utc_at(uint64_t ms, char out[CLOCK_UTC_SIZE]);
void clock_utc_ms_at(uint64_t ms, char out[CLOCK_UTC_SIZE]);

static inline uint64_t clock_earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

#endif
