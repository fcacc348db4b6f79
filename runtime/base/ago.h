/*
 * ago - how long ago a time was, as docker images says it.
 *
 * Reads the clock.
 */
#ifndef GLOVEBOX_BASE_AGO_H
#define GLOVEBOX_BASE_AGO_H

#include <stdint.h>

/* Seconds since 1970 of a time in RFC 3339, UTC; 0: NULL, or it is none. */
uint64_t ago_seconds(const char *when);

/*
 * ago_text - "3 days ago", "just now"; "-" for an invalid time. Returns out.
 * @when  RFC 3339 in UTC, or NULL
 */
const char *ago_text(const char *when, char out[32]);

#endif
