/*
 * manual - the manual page of this program, and what a shell may complete behind "serve key".
 *
 * Runs: a command of its own. Needs: nothing.
 */
#ifndef GLOVEBOX_SERVE_MANUAL_H
#define GLOVEBOX_SERVE_MANUAL_H

#include <stdbool.h>

#include "base/buf.h"

/* manual_generate - @what  "man" or "words". Returns false for anything else. */
bool manual_generate(const char *what, struct buf *out);

#endif
