/*
 * lock - wait for a file lock, with a time limit.
 *
 * Touches the OS. Runs: anywhere outside. Needs: nothing.
 */
#ifndef GLOVEBOX_FS_LOCK_H
#define GLOVEBOX_FS_LOCK_H

#include <stdint.h>

/*
 * lock_within - flock(2), repeated until it succeeds.
 *
 * @fd       borrowed; its open file holds the lock.
 * @how      LOCK_SH or LOCK_EX.
 * @wait_us  at most; 0: try once.
 * Returns 0, or -1 with errno; EWOULDBLOCK: another process still holds it.
 */
int lock_within(int fd, int how, uint64_t wait_us);

#endif
