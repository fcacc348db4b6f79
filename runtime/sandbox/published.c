/*
 * published - listen at the ports of this machine that lead into a sandbox.
 */
#include "sandbox/published.h"

#include <errno.h>
#include <sys/socket.h>

#include "base/own.h"
#include "net/socket_address.h"

#define BACKLOG 128 /* connections not accepted yet */

static int published_refused(const struct egress_published *p, struct err *e)
{
	const unsigned port = p->host_port;
	char text[ADDRESS_TEXT_SIZE];

	address_text(&p->address, text);
	switch (errno) {
	case EADDRINUSE:
		return err_set(e, ERR_EXISTS, "--publish: port %u of %s is in use; choose another",
			       port, text);
	case EACCES: /* a mistaken flag, not a command that cannot be executed (ERR_DENIED) */
		return err_input(e, "--publish: port %u of %s needs root: choose one from 1024 on",
				 port, text);
	case EADDRNOTAVAIL:
		return err_input(e, "--publish: %s is not an address of this machine", text);
	default:
		return err_sys(e, "--publish: listen on port %u of %s", port, text);
	}
}

int published_add(struct published *out, struct egress_published *p, struct err *e)
{
	const int on = 1;
	struct address ignored;
	struct sockaddr_storage at;
	socklen_t length = socket_address_make(&p->address, p->host_port, &at);
	auto_fd int fd = socket(p->address.is_v4 ? AF_INET : AF_INET6,
				SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return err_sys(e, "--publish: make a socket");
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, (struct sockaddr *)&at, length) || listen(fd, BACKLOG))
		return published_refused(p, e);
	if (socket_address_own(fd, &ignored, &p->host_port))
		return err_sys(e, "--publish: read the port that was chosen");
	out->ports[out->count] = *p;
	out->fds[out->count++] = take_fd(&fd);
	return 0;
}

int published_listen(const struct egress_published *ports, size_t count, struct published *out,
		     struct err *e)
{
	out->count = 0;
	for (size_t i = 0; i < count; i++) {
		struct egress_published p = ports[i];

		if (published_add(out, &p, e)) {
			published_close(out);
			return -1;
		}
	}
	return 0;
}

static bool published_has(int fd, int option, int wanted)
{
	socklen_t size = sizeof(int);
	int value = 0;

	return !getsockopt(fd, SOL_SOCKET, option, &value, &size) && value == wanted;
}

int published_check(int fd, const struct egress_published *p, struct err *e)
{
	struct egress_published bound = {.port = p->port};

	return published_has(fd, SO_TYPE, SOCK_STREAM) && published_has(fd, SO_ACCEPTCONN, 1) &&
			       !socket_address_own(fd, &bound.address, &bound.host_port) &&
			       egress_same_place(&bound, p)
		       ? 0
		       : err_input(e, "what came for a published port does not listen there");
}

void published_close(struct published *p)
{
	for (unsigned i = 0; i < p->count; i++)
		own_close(&p->fds[i]);
	p->count = 0;
}
