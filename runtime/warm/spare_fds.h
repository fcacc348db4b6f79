/*
 * spare_fds - a reserve of descriptors.
 *
 * The kernel limits open files per process and for the machine. Closing some of these frees room
 * for others, immediately and reliably.
 *
 * Runs: supervisor. Needs: nothing.
 */
#ifndef GLOVEBOX_WARM_SPARE_FDS_H
#define GLOVEBOX_WARM_SPARE_FDS_H

#include <stdbool.h>

#define SPARE_FDS 16

/* Zeroed, it is empty. */
struct spare_fds {
	int fds[SPARE_FDS]; /* owned */
	unsigned count;
};

/* Open as many as possible. true: the reserve is full. */
bool spare_fds_fill(struct spare_fds *s);

/* Close all but `keep`. */
void spare_fds_release(struct spare_fds *s, unsigned keep);

/* Whether errno means that we are out of descriptors, or the kernel out of memory for one. */
bool spare_fds_are_wanted(void);

#endif
