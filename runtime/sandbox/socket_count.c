/*
 * socket_count - count a sandbox's sockets from outside while it runs.
 */
#include "sandbox/socket_count.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/own.h"
#include "host/omit.h"
#include "host/process_status.h"
#include "loop/clock.h"
#include "loop/fd.h"

#define NEVER    UINT64_MAX
#define EVERY_US 100000

/*
 * Bytes that a sender can queue on a connection that was not accepted yet (tcp(7), tcp_rmem: half
 * of 128 KiB).
 */
#define BYTES_PER_SOCKET (64u << 10)
#define AT_LEAST         1024

/*
 * A netlink socket queues up to this many bytes of the kernel's answers, which no group is charged
 * for. In a container /proc may lack the file: use the kernel's own default.
 */
#define NETLINK_BUFFER  "/proc/sys/net/core/rmem_default"
#define NETLINK_DEFAULT (208u << 10)

struct socket_count socket_count_none(void)
{
	return (struct socket_count){
		.pidfd = -1, .place = -1, .fd = -1, .netlink_fd = -1, .next_us = NEVER};
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
	c->next_us = NEVER;
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
 * Open a file of its /proc/PID/net. The open file keeps the namespace, even if the process ends. An
 * ending process leaves the namespace before its pidfd reports the end: /proc then has the process,
 * but not its network, and *ending is set. -1 with errno.
 */
static int socket_count_open(const struct socket_count *c, const char *name, bool *ending)
{
	pid_t number = c->place >= 0 ? 0 : process_status_behind(c->pidfd);
	char path[64];
	auto_fd int process = -1;
	int fd = c->place >= 0 ? openat(c->place, name, O_RDONLY | O_CLOEXEC) : -1;

	if (c->place >= 0) {
		*ending = fd < 0 && errno == ENOENT;
		return fd;
	}
	snprintf(path, sizeof(path), "/proc/%d", (int)number);
	if (number > 0)
		process = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	snprintf(path, sizeof(path), "net/%s", name);
	if (process >= 0)
		fd = openat(process, path, O_RDONLY | O_CLOEXEC);
	/* With hidepid the directory opens, but is empty. */
	if (fd < 0 && errno == ENOENT)
		*ending = !faccessat(process, "stat", F_OK, 0);
	return fd;
}

int socket_count_counters(int pidfd)
{
	const struct socket_count of = {.pidfd = pidfd, .place = -1};
	bool ending;

	return socket_count_open(&of, "snmp", &ending);
}

/*
 * The first line, "sockets: used 12", counts every family, including connections not accepted yet.
 */
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

/* Count the lines below the heading; the kernel's own sockets are a dozen. Stops beyond `most`. */
static int socket_count_read_netlink(int fd, uint64_t most, uint64_t *out)
{
	char text[4096];
	off_t at = 0;
	ssize_t n;

	*out = 0;
	while ((n = pread(fd, text, sizeof(text), at)) > 0 && *out <= most) {
		for (ssize_t i = 0; i < n; i++)
			*out += text[i] == '\n';
		at += n;
	}
	return n < 0 ? -1 : 0;
}

/* How many sockets a netlink socket counts as: 4 with the default buffer. */
static unsigned socket_count_netlink_weight(void)
{
	uint64_t bytes = NETLINK_DEFAULT;
	char text[32];

	if (!io_peek(AT_FDCWD, NETLINK_BUFFER, text, sizeof(text)))
		bytes = strtoul(text, NULL, 10);
	return (unsigned)(bytes / BYTES_PER_SOCKET) + 1;
}

/*
 * Count the sockets, each with its weight. If they are few, netlink sockets are few, too. -1 with
 * errno.
 */
static int socket_count_weigh(struct socket_count *c, uint64_t *out, bool *ending)
{
	uint64_t netlink;

	if (c->fd < 0)
		c->fd = socket_count_open(c, "sockstat", ending);
	if (c->fd < 0 || socket_count_read_counter(c->fd, out))
		return -1;
	if (!c->netlink_weight)
		c->netlink_weight = socket_count_netlink_weight();
	if (*out <= c->most / c->netlink_weight)
		return 0;
	if (c->netlink_fd < 0)
		c->netlink_fd = socket_count_open(c, "netlink", ending);
	if (c->netlink_fd < 0 || socket_count_read_netlink(c->netlink_fd, c->most, &netlink))
		return -1;
	*out += netlink * (c->netlink_weight - 1);
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
	errno = 0;
	told = !socket_count_weigh(c, &used, &ending);
	/* We lack a descriptor, which ends nothing: try again at the next check. */
	if (!told && (errno == EMFILE || errno == ENFILE))
		return 0;
	/* The pid in /proc may have been reused if this process has ended. */
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
	own_close(&c->netlink_fd);
	*c = socket_count_none();
}
