/*
 * keep_fds - close all descriptors but a few.
 */
#include "base/keep_fds.h"

#include <sys/syscall.h>
#include <unistd.h>

#define KEEP_FDS_LAST ~0u

/* The next descriptor to keep, from `from` on; -1. */
static int keep_fds_next(int from, const int *kept, size_t count)
{
	int next = -1;

	for (size_t i = 0; i < count; i++) {
		if (kept[i] >= from && (next < 0 || kept[i] < next))
			next = kept[i];
	}
	return next;
}

int keep_fds(int from, const int *kept, size_t count)
{
	int next;

	while ((next = keep_fds_next(from, kept, count)) >= 0) {
		if (next > from && syscall(SYS_close_range, from, next - 1, 0))
			return -1;
		from = next + 1;
	}
	return (int)syscall(SYS_close_range, from, KEEP_FDS_LAST, 0);
}
