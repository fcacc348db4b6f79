/*
 * mover_bytes - the program mover (runtime/mover), byte for byte. The one-file program contains it
 * (runtime/appliance/guest.c); elsewhere it lies beside our program, with the files of warm
 * Pythons.
 *
 * Runs: monitor, client. Needs: read access to it.
 */
#ifndef GLOVEBOX_WORKSPACE_MOVER_BYTES_H
#define GLOVEBOX_WORKSPACE_MOVER_BYTES_H

#include "base/buf.h"
#include "base/err.h"

/* Append them. Errors: ERR_INPUT: it is missing. */
int mover_bytes(struct buf *out, struct err *e);

#endif
