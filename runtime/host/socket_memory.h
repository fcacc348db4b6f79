/*
 * socket_memory - what the buffers of TCP and UDP take, on cgroup v1.
 *
 * memory.limit_in_bytes does not hold them: v1 counts them by themselves, as memory.kmem.tcp (UDP
 * too, whatever the name says), and only in groups where a limit has been set. On v2 they are in
 * memory.max.
 *
 * Runs: supervisor. Needs: write access to the group.
 */
#ifndef GLOVEBOX_HOST_SOCKET_MEMORY_H
#define GLOVEBOX_HOST_SOCKET_MEMORY_H

#include <stdint.h>

#include "base/err.h"

/*
 * socket_memory_limit - a quarter of the group's limit of memory, on top of it; 16 MiB at least.
 *
 * Over it UDP loses packets and TCP waits; nothing is killed.
 * Errors: ERR_UNSUPPORTED with the remedy where the kernel cannot.
 */
int socket_memory_limit(int group_fd, uint64_t memory_bytes, struct err *e);

/*
 * socket_memory_count - have the kernel count in the parent, without limit.
 *
 * The code that counts is patched into the kernel for the first group of the host that asks for it
 * and out of it with the last. That is paid once by the parent, which stays, instead of by every
 * run. Best effort: without it a run is slower.
 */
void socket_memory_count(int parent_fd);

#endif
