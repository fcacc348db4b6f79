/*
 * keep_fds - close all descriptors but a few: for a child that lives for a while and must not keep
 * connections, inputs or files open.
 *
 * Touches the OS. Needs: Linux 5.9, close_range(2).
 */
#ifndef GLOVEBOX_BASE_KEEP_FDS_H
#define GLOVEBOX_BASE_KEEP_FDS_H

#include <stddef.h>

/*
 * keep_fds - close all descriptors from @from on except those in @kept.
 * @kept  in any order; entries below @from, or not open, are ignored.
 * Returns 0, or -1 with errno: then some are still open.
 */
int keep_fds(int from, const int *kept, size_t count);

#endif
