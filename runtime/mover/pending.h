/*
 * pending - directories that get their mode and their time when all that is in them is there.
 *
 * Members come in the order of their tree. So the directories that wait are all on the way to the
 * last member: one path, and a mode and a time for each of its levels. A tar of another order, in
 * which members of a directory come after those of another one, changes its time again.
 *
 * Touches the OS. Runs: mover put. Needs: what mover/place.h does.
 */
#ifndef GLOVEBOX_MOVER_PENDING_H
#define GLOVEBOX_MOVER_PENDING_H

#include "mover/beneath.h"

/* A directory that has just been made waits. pending_leave() has been called for it. */
void pending_add(const char *path, size_t length, const struct tar_entry *entry);

/* Finish those that a path does not lie in; with length 0 all. */
void pending_leave(struct beneath *b, const char *path, size_t length);

#endif
