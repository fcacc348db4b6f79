/*
 * remove - remove what has a name, with all that is in it, and never through a link.
 *
 * Touches the OS. Runs: mover lay. Needs: the right to write there.
 */
#ifndef GLOVEBOX_MOVER_REMOVE_H
#define GLOVEBOX_MOVER_REMOVE_H

/* Returns 0, also if there is nothing, or a negative errno. */
long remove_all(int dir, const char *name);

#endif
