/*
 * linked - files that have more than one name, and which of them is in the tar.
 *
 * Some thousand are remembered; those beyond are written again with each of their names.
 *
 * Pure. Runs: mover get. Needs: nothing.
 */
#ifndef GLOVEBOX_MOVER_LINKED_H
#define GLOVEBOX_MOVER_LINKED_H

#include <sys/stat.h>

/* The name that linked_add() had for this file; NULL: none. Valid for good. */
const char *linked_find(const struct stat *st);
void linked_add(const struct stat *st, const char *name);

#endif
