/*
 * remove - remove what has a name, with all that is in it, and never through a link.
 *
 * Directories without rights get them, and what lies too deep is moved up (".glovebox-N"), so that
 * neither hinders. A program that goes on making files there delays it as long as it does.
 *
 * Touches the OS. Runs: mover lay, mover remove. Needs: the right to write there.
 */
#ifndef GLOVEBOX_MOVER_REMOVE_H
#define GLOVEBOX_MOVER_REMOVE_H

/* Returns 0, also if there is nothing, or a negative errno. */
long remove_all(int dir, const char *name);

#endif
