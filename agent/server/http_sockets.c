/*
 * http_sockets - the descriptors of an HTTP client: its connections, and those it waits for.
 */
#include "agent/server/http_sockets.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

void http_sockets_init(struct http_sockets *s)
{
	memset(s->open, -1, sizeof(s->open));
	for (unsigned i = 0; i < LOOP_MAX; i++)
		s->awaited[i] = (struct pollfd){.fd = -1};
}

static void http_sockets_exchange(struct http_sockets *s, int from, int to)
{
	for (unsigned i = 0; i < HTTP_SOCKETS_MAX; i++) {
		if (s->open[i] == from) {
			s->open[i] = to;
			return;
		}
	}
}

void http_sockets_add(struct http_sockets *s, int fd)
{
	http_sockets_exchange(s, -1, fd);
}

void http_sockets_remove(struct http_sockets *s, int fd)
{
	http_sockets_exchange(s, fd, -1);
}

uint64_t http_sockets_received(const struct http_sockets *s)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < HTTP_SOCKETS_MAX; i++) {
		struct tcp_info info = {0};
		socklen_t size = sizeof(info);

		if (s->open[i] >= 0 && !getsockopt(s->open[i], IPPROTO_TCP, TCP_INFO, &info, &size))
			bytes += info.tcpi_bytes_received;
	}
	return bytes;
}

static struct pollfd *http_sockets_find(struct http_sockets *s, int fd)
{
	for (unsigned i = 0; i < LOOP_MAX; i++) {
		if (s->awaited[i].fd == fd)
			return &s->awaited[i];
	}
	return NULL;
}

int http_sockets_await(struct http_sockets *s, int fd, short events)
{
	struct pollfd *p = http_sockets_find(s, fd);

	if (!p && events)
		p = http_sockets_find(s, -1);
	if (p)
		*p = (struct pollfd){.fd = events ? fd : -1, .events = events};
	return p || !events ? 0 : -1;
}

int http_sockets_ready(struct http_sockets *s)
{
	for (unsigned i = 0; i < LOOP_MAX; i++) {
		if (s->awaited[i].fd >= 0 && s->awaited[i].revents) {
			s->awaited[i].revents = 0;
			return s->awaited[i].fd;
		}
	}
	return -1;
}
