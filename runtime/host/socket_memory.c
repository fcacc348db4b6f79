/*
 * socket_memory - limit the buffers of TCP and UDP on cgroup v1.
 */
#include "host/socket_memory.h"

#include <errno.h>

#include "base/io.h"
#include "host/cgroup.h"
#include "host/omit.h"

#define SOCKETS_MAX "memory.kmem.tcp.limit_in_bytes"
#define NO_LIMIT    "-1"

/*
 * At the limit TCP loses packets on loopback and crawls, so it must exceed normal use. One stream
 * at full speed buffers at most 8 MiB, twenty less than 64.
 */
#define SHARE    4
#define AT_LEAST (16ull << 20)

int socket_memory_limit(int group_fd, uint64_t memory_bytes, struct err *e)
{
	uint64_t bytes = memory_bytes / SHARE;

	if (host_omits("socket-memory"))
		return 0;
	if (bytes < AT_LEAST)
		bytes = AT_LEAST;
	if (!cgroup_put_number(group_fd, SOCKETS_MAX, bytes, e))
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
