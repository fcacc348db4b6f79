/*
 * manual - the manual page of this program, and the words that a shell completes behind "serve
 * key".
 *
 * Runs: a command of its own. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_MANUAL_H
#define GLOVEBOX_SERVE_MANUAL_H

#include <stdbool.h>

#include "base/buf.h"

/* manual_generate - @what  "man" or "words". Returns false for any other. */
bool manual_generate(const char *what, struct buf *out);

#endif
