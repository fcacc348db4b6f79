/*
 * remove_tree - remove something and everything in it.
 *
 * A tree is flattened, not walked: a directory that is not empty is emptied of files, and its own
 * directories are moved up into the top one, where their turn comes. So neither depth nor a program
 * that moves things meanwhile costs more than six descriptors.
 *
 * Touches the OS. Runs: anywhere outside. Needs: /proc; the owner's rights.
 */
#ifndef GLOVEBOX_BASE_REMOVE_TREE_H
#define GLOVEBOX_BASE_REMOVE_TREE_H

#include <stdint.h>

/*
 * remove_tree - a missing name is no error; of a link, the link itself is removed.
 *
 * @dir_fd       borrowed.
 * @deadline_ms  of monotonic_ms(); UINT64_MAX: none.
 * Returns 0, or -1 with errno: EXDEV for a mount, whose content is not ours to remove; ETIMEDOUT;
 * EBUSY if what is listed stays, however often it is tried.
 * On error a part may be removed already.
 */
int remove_tree(int dir_fd, const char *name, uint64_t deadline_ms);

/* The same for a file or an empty directory; else ENOTEMPTY. */
int remove_entry(int dir_fd, const char *name, uint64_t deadline_ms);

#endif
