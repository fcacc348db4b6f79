/*
 * random - unpredictable bytes.
 *
 * No side effects.
 */
#ifndef GLOVEBOX_BASE_RANDOM_H
#define GLOVEBOX_BASE_RANDOM_H

#include <stddef.h>

/* Fill `out`. Never fails: getrandom(2) always returns up to 256 bytes at once. */
void random_bytes(void *out, size_t length);

#endif
