/*
 * clock - the monotonic clock, for deadlines and durations.
 *
 * It stands still while the machine is suspended (clock_gettime(2)). Touches the OS; cannot fail.
 */
#ifndef GLOVEBOX_BASE_CLOCK_H
#define GLOVEBOX_BASE_CLOCK_H

#include <stdint.h>

uint64_t monotonic_us(void);
uint64_t monotonic_ms(void);

static inline uint64_t clock_earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

#endif
