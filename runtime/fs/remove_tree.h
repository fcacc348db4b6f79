/*
 * remove_tree - remove a file or directory with everything in it.
 *
 * We flatten a tree instead of walking it: we remove the files of a non-empty directory, and move
 * its sub-directories up into the top one, to handle them there. So six descriptors suffice at any
 * depth, even if a program moves entries meanwhile.
 *
 * Touches the OS. Runs: anywhere outside. Needs: /proc; the owner's rights.
 */
#ifndef GLOVEBOX_FS_REMOVE_TREE_H
#define GLOVEBOX_FS_REMOVE_TREE_H

#include <stdint.h>

/*
 * remove_tree - a missing name is not an error; of a link, it removes the link itself.
 *
 * @dir_fd       borrowed.
 * @deadline_ms  of monotonic_ms(); UINT64_MAX: none.
 * Returns 0, or -1 with errno: EXDEV for a mount, whose content we must not remove; ETIMEDOUT;
 * EBUSY if listed entries stay after many attempts. On error a part may already be removed.
 */
int remove_tree(int dir_fd, const char *name, uint64_t deadline_ms);

#endif
