/*
 * watched - the directories that are watched: each has a slot, with the number that inotify(7) has
 * given it, and a name in the directory above.
 *
 * So a directory that is moved takes all below it along.
 *
 * Runs: mover watch. Needs: nothing.
 */
#ifndef GLOVEBOX_MOVER_WATCHED_H
#define GLOVEBOX_MOVER_WATCHED_H

#include <stddef.h>

#define WATCHED_MOST  4096
#define WATCHED_NONE  WATCHED_MOST
#define WATCHED_FIRST 0 /* the directory that was asked for: it has no name */

/* The first one that is added is WATCHED_FIRST. Returns its slot; WATCHED_NONE: none is free. */
unsigned watched_add(int number, unsigned above, const char *name);

/* The slot of a number; WATCHED_NONE: it is not known, or not any more. */
unsigned watched_find(int number);

/*
 * watched_path - the path of an entry of a directory, from the first one.
 * @out  TAR_NAME_MOST + 1 bytes. Returns its length; 0: it does not fit.
 */
size_t watched_path(unsigned slot, const char *name, char *out);

/* The slot of an entry of a directory; WATCHED_NONE: it is not watched. */
unsigned watched_child(unsigned above, const char *name);

/* Stop watching a directory, and all below it. Safe on WATCHED_NONE. @queue: of inotify. */
void watched_forget(unsigned top, int queue);

#endif
