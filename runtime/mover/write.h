/*
 * write - the names that files have before they have theirs.
 *
 * Runs: mover. Needs: nothing.
 */
#ifndef GLOVEBOX_MOVER_WRITE_H
#define GLOVEBOX_MOVER_WRITE_H

#define WRITE_HIDDEN ".glovebox-" /* digits follow */

#endif
