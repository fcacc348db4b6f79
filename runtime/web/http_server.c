/*
 * http_server - start to serve, accept connections, stop.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "base/own.h"
#include "loop/clock.h"
#include "loop/fd.h"
#include "web/http_arrival.h"
#include "web/http_connection.h"
#include "web/http_exchange.h"
#include "web/listen.h"
#include "web/tls.h"

#define ACCEPTS   32     /* at once */
#define QUEUE_MAX 4096   /* connections that shutdown still accepts from the queue */
#define AGAIN_US  20000  /* to look whether there are descriptors again */
#define LAST_US   200000 /* to send the last replies */

/* -- connections ----------------------------------------------------------------------------- */

static int http_server_accept(struct http *h)
{
	const struct site *site = h->options.site;
	int fd;

	do
		/* cppcheck-suppress nullPointer ; the address is not needed (accept4(2)) */
		fd = accept4(h->options.listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	while (fd < 0 && (errno == EINTR || errno == ECONNABORTED));
	if (fd >= 0 && site->welcomes && !site->welcomes(fd))
		close(fd);
	else if (fd >= 0)
		http_connection_open(h, fd);
	return fd < 0 ? -1 : 0;
}

static void http_server_accept_ready(void *context, uint32_t events)
{
	struct http *h = context;

	(void)events;
	for (unsigned i = 0; i < ACCEPTS && h->connections < h->options.connections_max; i++) {
		if (!http_server_accept(h))
			continue;
		if (errno == EAGAIN)
			return;
		hub_unwatch(h->hub, &h->listen); /* out of descriptors, or of memory */
		hub_ring(h->hub, &h->listen_again, monotonic_us() + AGAIN_US);
		return;
	}
	if (h->connections >= h->options.connections_max)
		hub_unwatch(h->hub, &h->listen); /* until a connection ends */
}

static void http_server_accept_again(void *context)
{
	struct http *h = context;
	struct err ignored; /* no descriptor: the end of the next connection rings again */

	if (!h->is_quiet && h->listen.fd < 0)
		(void)hub_watch(h->hub, &h->listen, h->options.listen_fd, EPOLLIN, &ignored);
}

/* -- start ----------------------------------------------------------------------------------- */

int http_open(struct hub *hub, const struct http_options *options, struct http **out, struct err *e)
{
	struct http *h = own_zeroed(1, sizeof(*h));

	h->hub = hub;
	h->options = *options;
	h->listen = (struct hub_watch){.ready = http_server_accept_ready, .context = h, .fd = -1};
	h->listen_again = (struct hub_timer){.ring = http_server_accept_again, .context = h};
	h->arrival_timer = (struct hub_timer){.ring = http_arrival_ring, .context = h};
	LIST_INIT(&h->all);
	LIST_INIT(&h->exchanges);
	TAILQ_INIT(&h->waits);
	if (hub_watch(hub, &h->listen, options->listen_fd, EPOLLIN, e)) {
		http_close(h);
		return -1;
	}
	*out = h;
	return 0;
}

void http_set_tls(struct http *h, struct tls *tls)
{
	tls_release(h->options.tls);
	h->options.tls = tls;
}

/* -- shutdown -------------------------------------------------------------------------------- */

/*
 * close(2) would reset the connections in the listen queue, whose clients have sent requests:
 * accept them.
 */
void http_quiesce(struct http *h)
{
	hub_unwatch(h->hub, &h->listen);
	hub_silence(h->hub, &h->listen_again);
	h->is_quiet = true;
	for (int left = QUEUE_MAX; left > 0 && !listen_is_passed(); left--) {
		if (http_server_accept(h))
			break;
	}
	own_close(&h->options.listen_fd);
	http_arrival_quiesce(h);
}

bool http_is_idle(const struct http *h)
{
	return LIST_EMPTY(&h->exchanges) && !http_arrival_is_expected(h);
}

void http_dismiss(struct http *h, const struct key *key)
{
	struct exchange_state *x;

	LIST_FOREACH (x, &h->exchanges, link) {
		if (x->request.key != key)
			continue;
		if (x->connection->state == HTTP_READS_BODY)
			x->stage = STAGE_LEFT;
		http_exchange_leave(x);
	}
}

/* Send the last replies to clients that read them. */
static void http_server_flush(struct http *h)
{
	const uint64_t until = monotonic_us() + LAST_US;

	while (!LIST_EMPTY(&h->exchanges) && monotonic_us() < until) {
		for (struct http_connection *c = LIST_FIRST(&h->all), *next; c; c = next) {
			next = LIST_NEXT(c, link);
			if (c->exchange)
				http_connection_turn(c);
		}
		if (!LIST_EMPTY(&h->exchanges))
			(void)fd_await(LIST_FIRST(&h->exchanges)->connection->channel.fd, POLLOUT,
				       clock_earlier(until, monotonic_us() + AGAIN_US));
	}
}

void http_close(struct http *h)
{
	struct exchange_state *x;

	if (!h)
		return;
	h->is_quiet = true;
	LIST_FOREACH (x, &h->exchanges, link)
		http_exchange_leave(x);
	http_server_flush(h);
	while (!LIST_EMPTY(&h->all))
		http_connection_close(LIST_FIRST(&h->all));
	hub_unwatch(h->hub, &h->listen);
	hub_silence(h->hub, &h->listen_again);
	hub_silence(h->hub, &h->arrival_timer);
	own_close(&h->options.listen_fd);
	tls_release(h->options.tls);
	free(h);
}
