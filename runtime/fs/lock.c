/*
 * lock - wait for a file lock, with a time limit.
 */
#include "fs/lock.h"

#include <errno.h>
#include <sys/file.h>

#include "loop/clock.h"

#define SHORTEST_US 100
#define LONGEST_US  50000

/* Pause for an eighth of the time waited so far: short for a lock that is held briefly. */
static void lock_pause(uint64_t since_us)
{
	uint64_t us = (monotonic_us() - since_us) / 8;

	us = us < SHORTEST_US ? SHORTEST_US : us;
	clock_pause_us(us > LONGEST_US ? LONGEST_US : us);
}

int lock_within(int fd, int how, uint64_t wait_us)
{
	const uint64_t since_us = monotonic_us();

	while (flock(fd, how | LOCK_NB)) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return -1;
		if (monotonic_us() - since_us >= wait_us) {
			errno = EWOULDBLOCK;
			return -1;
		}
		lock_pause(since_us);
	}
	return 0;
}
