/*
 * moment - the moments that people name: --since and --until.
 *
 * Reads the clock.
 */
#ifndef GLOVEBOX_CLI_MOMENT_H
#define GLOVEBOX_CLI_MOMENT_H

#include <stdint.h>

#include "base/err.h"

/*
 * moment_parse - "10m" before now; a time as RFC 3339 has it, in UTC; or seconds of the epoch.
 * @out  milliseconds of the epoch.
 */
int moment_parse(uint64_t *out, const char *value, struct err *e);

#endif
