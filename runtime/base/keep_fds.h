/*
 * keep_fds - close all descriptors but a few: for a child that lives for a while, in which nobody's
 * connection, input or file stays open.
 *
 * Touches the OS. Needs: Linux 5.9, close_range(2).
 */
#ifndef GLOVEBOX_BASE_KEEP_FDS_H
#define GLOVEBOX_BASE_KEEP_FDS_H

#include <stddef.h>

/*
 * keep_fds - close those from @from on that are not among @kept.
 * @kept  in any order; what is below @from, or not open, is ignored.
 * Returns 0, or -1 with errno: then some are open still.
 */
int keep_fds(int from, const int *kept, size_t count);

#endif
