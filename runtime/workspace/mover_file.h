/*
 * mover_file - the program mover as a file in memory, for a process that executes it.
 *
 * In a sandbox it lies nowhere in the root. It is a copy that nobody can write (memfd_create(2),
 * file seals): a program that got hold of it through /proc could not change what is executed next,
 * here or on the host.
 *
 * Runs: monitor, client. Needs: read access to mover.
 */
#ifndef GLOVEBOX_WORKSPACE_MOVER_FILE_H
#define GLOVEBOX_WORKSPACE_MOVER_FILE_H

#include "base/err.h"

/* From mover/note.h: exit codes, and how the line of a failure begins. */
#define MOVER_LEFT_OUT 3
#define MOVER_NO_ROOM  4
#define MOVER_FAILURE  "failed: "

/* Returns an owned descriptor, or -1. */
int mover_file(struct err *e);

#endif
