/*
 * listen - the socket that a server listens on.
 */
#include "web/listen.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <limits.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/keep_fds.h"
#include "base/own.h"
#include "base/parse.h"
#include "fs/trusted_path.h"
#include "net/address.h"
#include "net/unix_address.h"

#define FIRST_FD 3 /* sd_listen_fds(3) */
#define BACKLOG  512

union listen_address {
	struct sockaddr any;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	struct sockaddr_un un;
};

/* -- the address ----------------------------------------------------------------------------- */

static bool listen_is_loopback(const union listen_address *a)
{
	if (a->any.sa_family == AF_INET)
		return (ntohl(a->in.sin_addr.s_addr) >> 24) == 127;
	return a->any.sa_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&a->in6.sin6_addr);
}

static char *listen_say(const union listen_address *a, bool is_tls)
{
	char host[INET6_ADDRSTRLEN] = "";
	const char *scheme = is_tls ? "https" : "http";

	if (a->any.sa_family == AF_INET) {
		inet_ntop(AF_INET, &a->in.sin_addr, host, sizeof(host));
		return own_printf("%s://%s:%u", scheme, host, ntohs(a->in.sin_port));
	}
	if (a->any.sa_family == AF_INET6) {
		inet_ntop(AF_INET6, &a->in6.sin6_addr, host, sizeof(host));
		return own_printf("%s://[%s]:%u", scheme, host, ntohs(a->in6.sin6_port));
	}
	return own_printf("unix:%.107s", a->un.sun_path);
}

/*
 * Ask the socket for its address: port 0 has become another, and an inherited socket is unknown.
 * @path  of a socket that was bound through its directory's descriptor; NULL: any other.
 */
static int listen_look(int fd, const char *path, bool is_tls, enum origin_listen *kind, char **said,
		       struct err *e)
{
	union listen_address a = {0};
	socklen_t length = sizeof(a);
	int flags = fcntl(fd, F_GETFL);
	int on = 0;

	if (getsockname(fd, &a.any, &length) ||
	    getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &on, &(socklen_t){sizeof(on)}) || flags < 0 ||
	    fcntl(fd, F_SETFL, flags | O_NONBLOCK) || fcntl(fd, F_SETFD, FD_CLOEXEC))
		return err_sys(e, "look at the listening socket");
	if (!on)
		return err_input(e, "the socket that was passed does not listen");
	*kind = a.any.sa_family == AF_UNIX ? LISTEN_UNIX
		: listen_is_loopback(&a)   ? LISTEN_LOOPBACK
					   : LISTEN_PUBLIC;
	*said = path ? own_printf("unix:%s", path) : listen_say(&a, is_tls);
	return 0;
}

/* -- making it ------------------------------------------------------------------------------- */

static int listen_bind(const struct sockaddr *address, socklen_t length, struct err *e)
{
	auto_fd int fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return err_sys(e, "make a socket");
	if (address->sa_family != AF_UNIX)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
	if (bind(fd, address, length) || listen(fd, BACKLOG))
		return errno == EADDRINUSE ? err_set(e, ERR_BUSY, "another program listens there")
					   : err_sys(e, "listen");
	return take_fd(&fd);
}

/* Whether a process listens on a socket file. */
static bool listen_is_alive(const struct sockaddr_un *address)
{
	auto_fd int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	return fd < 0 || !connect(fd, (const struct sockaddr *)address, sizeof(*address)) ||
	       errno != ECONNREFUSED;
}

static int listen_unix(const char *path, struct err *e)
{
	union listen_address a;
	const char *name;
	auto_fd int parent = -1;
	struct stat st;
	mode_t mask;
	int fd;

	if (!*path || strlen(path) >= sizeof(a.un.sun_path))
		return err_input(e, "unix:PATH: a path has 1 to %zu bytes",
				 sizeof(a.un.sun_path) - 1);
	parent = trusted_path_parent(written_path(path), LINKS_OF_CALLER, &name, e);
	if (parent < 0)
		return -1;
	if (unix_address_in(parent, name, &a.un))
		return err_input(e, "unix:PATH: its last name is too long");
	if (!fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISSOCK(st.st_mode) &&
	    !listen_is_alive(&a.un))
		unlinkat(parent, name, 0);
	mask = umask(0177);
	fd = listen_bind(&a.any, sizeof(a.un), e);
	umask(mask);
	return fd;
}

/* Parse an address and a port; %INTERFACE may follow a link-local address. -1: malformed. */
static int listen_parse(char *host, const char *port, union listen_address *out)
{
	char *zone = strchr(host, '%');
	struct address address;
	struct err ignored;
	int64_t number;

	if (zone)
		*zone++ = '\0';
	if (parse_int(port, 0, UINT16_MAX, &number, &ignored) || address_parse(host, &address))
		return -1;
	if (address.is_v4) {
		out->in = (struct sockaddr_in){.sin_family = AF_INET,
					       .sin_port = htons((uint16_t)number)};
		memcpy(&out->in.sin_addr, address.bytes, sizeof(out->in.sin_addr));
		return zone ? -1 : 0;
	}
	out->in6 = (struct sockaddr_in6){.sin6_family = AF_INET6,
					 .sin6_port = htons((uint16_t)number),
					 .sin6_scope_id = zone ? if_nametoindex(zone) : 0};
	memcpy(&out->in6.sin6_addr, address.bytes, sizeof(out->in6.sin6_addr));
	return zone && !out->in6.sin6_scope_id ? -1 : 0;
}

/* Do not resolve names: DNS could change who can reach us. */
static int listen_inet(const char *where, struct err *e)
{
	const char *colon = strrchr(where, ':');
	union listen_address a = {0};
	auto_free char *host = NULL;
	size_t length;

	if (!colon || colon == where)
		return err_input(e, "say HOST:PORT or unix:PATH");
	length = (size_t)(colon - where);
	host = where[0] == '[' && colon[-1] == ']' ? own_strndup(where + 1, length - 2)
						   : own_strndup(where, length);
	if (!strcmp(host, "localhost"))
		memcpy(host, "127.0.0.1", sizeof("127.0.0.1"));
	if (listen_parse(host, colon + 1, &a))
		return err_input(e, "the host is an address or localhost, the port a number");
	return listen_bind(&a.any, a.any.sa_family == AF_INET ? sizeof(a.in) : sizeof(a.in6), e);
}

bool listen_is_passed(void)
{
	const char *pid = getenv("LISTEN_PID");
	const char *count = getenv("LISTEN_FDS");
	int64_t number;
	struct err e;

	return pid && count && !parse_int(pid, getpid(), getpid(), &number, &e) &&
	       !parse_int(count, 1, INT_MAX, &number, &e);
}

bool listen_was_passed(int fd)
{
	return fd == FIRST_FD && listen_is_passed();
}

int listen_keep(struct err *e)
{
	static const int passed = FIRST_FD;

	if (keep_fds(STDERR_FILENO + 1, &passed, listen_is_passed() ? 1 : 0))
		return err_sys(e, "close the descriptors of our caller");
	if (listen_is_passed())
		/* listen_look() detects a bad descriptor */
		(void)fcntl(FIRST_FD, F_SETFD, FD_CLOEXEC);
	return 0;
}

int listen_open(const char *where, bool is_tls, enum origin_listen *kind, char **said,
		struct err *e)
{
	const char *path = NULL;
	auto_fd int fd = -1;

	if (!where)
		fd = FIRST_FD;
	else if (!strncmp(where, "unix:", 5))
		fd = listen_unix(path = where + 5, e);
	else
		fd = listen_inet(where, e);
	return fd < 0 || listen_look(fd, path, is_tls, kind, said, e) ? -1 : take_fd(&fd);
}
