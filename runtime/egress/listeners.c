/*
 * listeners - accept connections: at the sandbox's ports, and at published ports.
 */
#include "egress/listeners.h"

#include <errno.h>
#include <netinet/in.h>
#include <sys/epoll.h>

#include "base/json_put.h"
#include "base/own.h"
#include "egress/flow.h"
#include "egress/socket_address.h"

#define LISTENERS_BACKLOG  128
#define LISTENERS_PAUSE_MS 500
#define LISTENERS_BATCH    32 /* accepts per turn, before other descriptors have theirs */

static void listeners_ready(struct watch *w, uint32_t events)
{
	struct listener *at = (struct listener *)w;

	(void)events;
	for (int i = 0; i < LISTENERS_BATCH; i++) {
		/* cppcheck-suppress nullPointer ; the address is not needed (accept4(2)) */
		int fd = accept4(at->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd < 0 && (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED))
			return;
		if (fd < 0) { /* out of descriptors: listeners_tick() retries */
			reactor_forget(&at->egress->reactor, &at->watch);
			at->retry_ms = at->egress->reactor.now_ms + LISTENERS_PAUSE_MS;
			return;
		}
		if (at->is_published)
			flow_publish(at->egress, fd, at->port);
		else
			flow_accept(at->egress, fd, at->port);
	}
}

static struct listener *listeners_next(struct listeners *l, struct egress *g, int fd, uint16_t port)
{
	struct listener *at = &l->items[l->count++];

	*at = (struct listener){
		.watch = {.fd = -1, .ready = listeners_ready},
                  .egress = g, .fd = fd, .port = port
        };
	return at;
}

void listeners_add(struct listeners *l, struct egress *g, int fd, uint16_t port)
{
	listeners_next(l, g, fd, port);
}

/* Both address families store the port at the same offset. */
static uint16_t listeners_host_port(int fd)
{
	struct sockaddr_in6 own = {0};
	socklen_t length = sizeof(own);

	return getsockname(fd, (struct sockaddr *)&own, &length) ? 0 : ntohs(own.sin6_port);
}

static int listeners_refused(const struct egress_published *p, struct err *e)
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

static int listeners_publish_one(struct listeners *l, struct egress *g,
				 const struct egress_published *p, struct err *e)
{
	const int on = 1;
	struct sockaddr_storage at;
	socklen_t length = socket_address_make(&p->address, p->host_port, &at);
	auto_fd int fd = socket(p->address.is_v4 ? AF_INET : AF_INET6,
				SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct listener *made;

	if (fd < 0)
		return err_sys(e, "--publish: make a socket");
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, (struct sockaddr *)&at, length) || listen(fd, LISTENERS_BACKLOG))
		return listeners_refused(p, e);
	made = listeners_next(l, g, take_fd(&fd), p->port);
	made->is_published = true;
	made->address = p->address;
	made->host_port = listeners_host_port(made->fd);
	return 0;
}

int listeners_publish(struct listeners *l, struct egress *g, const struct egress_spec *spec,
		      struct err *e)
{
	for (size_t i = 0; i < spec->published_count; i++) {
		if (listeners_publish_one(l, g, &spec->published[i], e))
			return -1;
	}
	return 0;
}

int listeners_start(struct listeners *l, struct err *e)
{
	for (unsigned i = 0; i < l->count; i++) {
		struct listener *at = &l->items[i];

		if (reactor_watch(&at->egress->reactor, &at->watch, at->fd, EPOLLIN))
			return err_sys(e, "wait for connections");
	}
	return 0;
}

bool listeners_tick(struct listeners *l)
{
	bool pauses = false;

	for (unsigned i = 0; i < l->count; i++) {
		struct listener *at = &l->items[i];

		if (at->retry_ms && at->retry_ms <= at->egress->reactor.now_ms &&
		    !reactor_watch(&at->egress->reactor, &at->watch, at->fd, EPOLLIN))
			at->retry_ms = 0;
		pauses = pauses || at->retry_ms;
	}
	return pauses;
}

bool listeners_have(const struct listeners *l, uint16_t port)
{
	for (unsigned i = 0; i < l->count; i++) {
		if (!l->items[i].is_published && l->items[i].port == port)
			return true;
	}
	return false;
}

void listeners_put(const struct listeners *l, struct buf *out, const char *key)
{
	json_put_begin(out, key, '[');
	for (unsigned i = 0; i < l->count; i++) {
		const struct listener *at = &l->items[i];
		char text[ADDRESS_TEXT_SIZE];

		if (!at->is_published)
			continue;
		address_text(&at->address, text);
		json_put_begin(out, NULL, '{');
		json_put_text(out, "address", text);
		json_put_uint(out, "host_port", at->host_port);
		json_put_uint(out, "port", at->port);
		json_put_end(out, '}');
	}
	json_put_end(out, ']');
}

void listeners_close(struct listeners *l)
{
	for (unsigned i = 0; i < l->count; i++) {
		reactor_forget(&l->items[i].egress->reactor, &l->items[i].watch);
		own_close(&l->items[i].fd);
	}
	l->count = 0;
}
