/*
 * socket_memory - limit the buffers of TCP and UDP on cgroup v1.
 *
 * memory.limit_in_bytes does not include them: v1 counts them separately, as memory.kmem.tcp (UDP
 * too, whatever the name says), and only in groups with a limit. On v2 they are in memory.max.
 *
 * Runs: monitor, supervisor. Needs: write access to the group.
 */
#ifndef GLOVEBOX_CGROUP_SOCKET_MEMORY_H
#define GLOVEBOX_CGROUP_SOCKET_MEMORY_H

#include <stdint.h>

#include "base/err.h"

#define SOCKET_MEMORY_MAX "memory.kmem.tcp.limit_in_bytes"

/* The bytes that socket_memory_limit() allows. */
uint64_t socket_memory_bytes(uint64_t memory_bytes);

/*
 * socket_memory_limit - allow a quarter of the group's memory limit, on top of it; at least 16 MiB.
 *
 * Above that UDP loses packets and TCP waits; the kernel kills nothing.
 * Errors: ERR_UNSUPPORTED with the remedy if the kernel cannot do it.
 */
int socket_memory_limit(int group_fd, uint64_t memory_bytes, struct err *e);

/*
 * socket_memory_inherit - copy the limit of `from_fd` to a group below it, so that the kernel
 * counts there.
 */
int socket_memory_inherit(int group_fd, int from_fd, struct err *e);

/*
 * socket_memory_count - make the kernel count in the parent, without a limit.
 *
 * The kernel patches its counting code in for the host's first group that needs it, and out with
 * the last. The permanent parent pays for that once, instead of every run. Best effort: without it
 * a run is slower.
 */
void socket_memory_count(int parent_fd);

#endif
