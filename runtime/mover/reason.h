/*
 * reason - the C library's words for an error number, which mover has to do without.
 *
 * Pure. Runs: mover. Needs: nothing.
 */
#ifndef GLOVEBOX_MOVER_REASON_H
#define GLOVEBOX_MOVER_REASON_H

/* @error: a negative errno. NULL: it is none that files usually have. */
const char *reason_of(long error);

#endif
