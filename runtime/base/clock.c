/*
 * clock - the monotonic clock, for deadlines and durations.
 */
#include "base/clock.h"

#include <time.h>

uint64_t monotonic_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

uint64_t monotonic_ms(void)
{
	return monotonic_us() / 1000;
}
