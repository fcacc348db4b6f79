/*
 * socket_count - how many sockets a sandbox has, counted from outside while it runs.
 */
#include "host/socket_count.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/io.h"
#include "base/own.h"
#include "host/omit.h"
#include "host/process_status.h"

#define NEVER    UINT64_MAX
#define EVERY_US 100000

/*
 * What a sender can send to a connection that nobody has accepted before it is full (tcp(7),
 * tcp_rmem: half of 128 KiB).
 */
#define BYTES_PER_SOCKET (64u << 10)
#define AT_LEAST         1024

struct socket_count socket_count_none(void)
{
	return (struct socket_count){.pidfd = -1, .place = -1, .fd = -1, .next_us = NEVER};
}

struct socket_count socket_count_of(pid_t pid)
{
	struct socket_count c = socket_count_none();
	char path[64];

	if (!pid || geteuid() != 0)
		return c;
	snprintf(path, sizeof(path), "/proc/%d/net", (int)pid);
	c.place = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return c;
}

void socket_count_start(struct socket_count *c, int pidfd, uint64_t memory_bytes)
{
	if (memory_bytes == SPEC_UNLIMITED || host_omits("socket-count"))
		return;
	c->pidfd = pidfd;
	c->most = memory_bytes / BYTES_PER_SOCKET;
	if (c->most < AT_LEAST)
		c->most = AT_LEAST;
	c->next_us = monotonic_us() + EVERY_US;
}

static bool socket_count_has_ended(int pidfd)
{
	return fd_is_ready(pidfd, POLLIN);
}

/*
 * The open file keeps the namespace, whatever becomes of the process. An ending process leaves the
 * namespace before its pidfd reports the end: /proc then has the process, but not its network.
 * *ending is set in that case. -1 with errno.
 */
static int socket_count_open_counter(int pidfd, int place, bool *ending)
{
	pid_t number = place >= 0 ? 0 : process_status_behind(pidfd);
	char path[64];
	auto_fd int process = -1;
	int fd = place >= 0 ? openat(place, "sockstat", O_RDONLY | O_CLOEXEC) : -1;

	if (place >= 0) {
		*ending = fd < 0 && errno == ENOENT;
		return fd;
	}
	snprintf(path, sizeof(path), "/proc/%d", (int)number);
	if (number > 0)
		process = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (process >= 0)
		fd = openat(process, "net/sockstat", O_RDONLY | O_CLOEXEC);
	/* With hidepid its directory can be opened, but is empty. */
	if (fd < 0 && errno == ENOENT)
		*ending = !faccessat(process, "stat", F_OK, 0);
	return fd;
}

/* The first line, "sockets: used 12", counts every family, and those that nobody has accepted. */
static int socket_count_read_counter(int fd, uint64_t *out)
{
	static const char key[] = "sockets: used ";
	char text[512];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	if (strncmp(text, key, sizeof(key) - 1) != 0)
		return -1;
	*out = strtoull(text + sizeof(key) - 1, NULL, 10);
	return 0;
}

int socket_count_look(struct socket_count *c, uint64_t now_us, struct err *e)
{
	uint64_t used = 0;
	bool ending = false;
	bool told;

	if (now_us < c->next_us)
		return 0;
	c->next_us = now_us + EVERY_US;
	if (c->fd < 0)
		c->fd = socket_count_open_counter(c->pidfd, c->place, &ending);
	/* It is our own want, and ends nothing: the next look may have a descriptor. */
	if (c->fd < 0 && (errno == EMFILE || errno == ENFILE))
		return 0;
	told = c->fd >= 0 && !socket_count_read_counter(c->fd, &used);
	/* A pid in /proc may have been reused, but not while this process lives. */
	if (socket_count_has_ended(c->pidfd)) {
		c->next_us = NEVER;
		return 0;
	}
	if (!told && !ending)
		return err_set(
			e, ERR_SYSTEM,
			"cannot count the sandbox's sockets: /proc hides its pid 1 (hidepid); "
			"mount it with gid=GROUP and be in that group, or give up the limit "
			"with --memory 0");
	return used > c->most;
}

void socket_count_end(struct socket_count *c)
{
	own_close(&c->place);
	own_close(&c->fd);
	*c = socket_count_none();
}
