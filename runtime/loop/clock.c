/*
 * clock - the monotonic clock for deadlines and durations, and the time of day for people.
 */
#include "loop/clock.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define SECONDS 19 /* characters of a time up to its seconds */

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

void clock_pause_us(uint64_t us)
{
	const struct timespec pause = {.tv_sec = (time_t)(us / 1000000),
				       .tv_nsec = (long)(us % 1000000) * 1000};

	nanosleep(&pause, NULL);
}

uint64_t clock_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

double clock_now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

#define CLOCK_UTC_LATEST "9999-12-31T23:59:59Z"

void clock_utc_at(uint64_t ms, char out[CLOCK_UTC_SIZE])
{
	const time_t seconds = (time_t)(ms / 1000);
	struct tm tm;

	/* A year of more digits than four does not fit. */
	if (!gmtime_r(&seconds, &tm) ||
	    !strftime(out, CLOCK_UTC_SIZE - 4, "%Y-%m-%dT%H:%M:%SZ", &tm))
		memcpy(out, CLOCK_UTC_LATEST, sizeof(CLOCK_UTC_LATEST));
}

void clock_utc_ms_at(uint64_t ms, char out[CLOCK_UTC_SIZE])
{
	clock_utc_at(ms, out);
	snprintf(out + SECONDS, CLOCK_UTC_SIZE - SECONDS, ".%03uZ", (unsigned)(ms % 1000));
}

void clock_utc(char out[CLOCK_UTC_SIZE])
{
	clock_utc_at(clock_now_ms(), out);
}

void clock_utc_ms(char out[CLOCK_UTC_SIZE])
{
	clock_utc_ms_at(clock_now_ms(), out);
}
