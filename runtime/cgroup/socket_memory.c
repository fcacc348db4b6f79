/*
 * socket_memory - limit the buffers of TCP and UDP on cgroup v1.
 */
#include "cgroup/socket_memory.h"

#include <errno.h>

#include "base/io.h"
#include "cgroup/cgroup.h"
#include "host/omit.h"

#define SOCKETS_MAX SOCKET_MEMORY_MAX
#define NO_LIMIT    "-1"

/*
 * At the limit TCP loses packets on loopback and crawls, so it must exceed normal use. One stream
 * at full speed buffers at most 8 MiB, twenty less than 64.
 */
#define SHARE    4
#define AT_LEAST (16ull << 20)

uint64_t socket_memory_bytes(uint64_t memory_bytes)
{
	return memory_bytes / SHARE < AT_LEAST ? AT_LEAST : memory_bytes / SHARE;
}

int socket_memory_limit(int group_fd, uint64_t memory_bytes, struct err *e)
{
	if (host_omits("socket-memory") ||
	    !cgroup_put_number(group_fd, SOCKETS_MAX, socket_memory_bytes(memory_bytes), e))
		return 0;
	if (e->number != ENOENT)
		return -1;
	return err_set(
		e, ERR_UNSUPPORTED,
		"the memory of sockets cannot be limited: this kernel's cgroup v1 has no %s; "
		"boot with systemd.unified_cgroup_hierarchy=1, or give up the limit with "
		"--memory 0",
		SOCKETS_MAX);
}

int socket_memory_inherit(int group_fd, int from_fd, struct err *e)
{
	char bytes[32];

	if (io_peek(from_fd, SOCKETS_MAX, bytes, sizeof(bytes)))
		return 0; /* another controller */
	return cgroup_put(group_fd, SOCKETS_MAX, bytes, e);
}

void socket_memory_count(int parent_fd)
{
	(void)io_put(parent_fd, SOCKETS_MAX, NO_LIMIT);
}
