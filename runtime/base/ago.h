/*
 * ago - say how long ago a time was, as docker images does.
 *
 * Reads the clock.
 */
#ifndef GLOVEBOX_BASE_AGO_H
#define GLOVEBOX_BASE_AGO_H

/*
 * ago_text - "3 days ago", "just now"; "-" for an invalid time. Returns out.
 * @when  RFC 3339 in UTC, or NULL
 */
const char *ago_text(const char *when, char out[32]);

#endif
