/*
 * lock - wait for a lock of a file, but not for ever.
 *
 * Touches the OS. Runs: anywhere outside. Needs: nothing.
 */
#ifndef GLOVEBOX_BASE_LOCK_H
#define GLOVEBOX_BASE_LOCK_H

#include <stdint.h>

/*
 * lock_within - flock(2), tried again and again.
 *
 * @fd       borrowed; the lock is its open file's.
 * @how      LOCK_SH or LOCK_EX.
 * @wait_us  at most; 0: it is tried once.
 * Returns 0, or -1 with errno; EWOULDBLOCK: somebody else has it still.
 */
int lock_within(int fd, int how, uint64_t wait_us);

#endif
