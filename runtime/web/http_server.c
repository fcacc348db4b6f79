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

static int http_server_accept(struct listening *l)
{
	const struct site *site = l->given->site;
	int fd;

	do
		/* cppcheck-suppress nullPointer ; the address is not needed (accept4(2)) */
		fd = accept4(l->given->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	while (fd < 0 && (errno == EINTR || errno == ECONNABORTED));
	if (fd >= 0 && site->welcomes && !site->welcomes(fd))
		close(fd);
	else if (fd >= 0)
		http_connection_open(l->http, l->given, fd);
	return fd < 0 ? -1 : 0;
}

static void http_server_unwatch(struct http *h)
{
	for (unsigned i = 0; i < h->options.listener_count; i++)
		hub_unwatch(h->hub, &h->listening[i].watch);
}

static int http_server_watch(struct http *h, struct err *e)
{
	for (unsigned i = 0; i < h->options.listener_count; i++) {
		struct listening *l = &h->listening[i];

		if (l->watch.fd < 0 && hub_watch(h->hub, &l->watch, l->given->fd, EPOLLIN, e))
			return -1;
	}
	return 0;
}

static void http_server_accept_ready(void *context, uint32_t events)
{
	struct listening *l = context;
	struct http *h = l->http;

	(void)events;
	for (unsigned i = 0; i < ACCEPTS && h->connections < h->options.connections_max; i++) {
		if (!http_server_accept(l))
			continue;
		if (errno == EAGAIN)
			return;
		h->is_full = true; /* out of descriptors, or of memory */
		http_server_unwatch(h);
		hub_ring(h->hub, &h->listen_again, monotonic_us() + AGAIN_US);
		return;
	}
	if (h->connections < h->options.connections_max)
		return;
	h->is_full = true; /* until a connection ends */
	http_server_unwatch(h);
}

static void http_server_accept_again(void *context)
{
	struct http *h = context;
	struct err ignored; /* no descriptor: the end of the next connection rings again */

	if (!h->is_quiet && h->is_full)
		h->is_full = http_server_watch(h, &ignored) != 0;
}

/* -- start ----------------------------------------------------------------------------------- */

int http_open(struct hub *hub, const struct http_options *options, struct http **out, struct err *e)
{
	struct http *h = own_zeroed(1, sizeof(*h));

	h->hub = hub;
	h->options = *options;
	for (unsigned i = 0; i < options->listener_count; i++) {
		struct listening *l = &h->listening[i];

		*l = (struct listening){
			.watch = {.ready = http_server_accept_ready, .context = l, .fd = -1},
			.http = h,
			.given = &h->options.listeners[i]
                };
	}
	h->listen_again = (struct hub_timer){.ring = http_server_accept_again, .context = h};
	h->arrival_timer = (struct hub_timer){.ring = http_arrival_ring, .context = h};
	LIST_INIT(&h->all);
	LIST_INIT(&h->exchanges);
	TAILQ_INIT(&h->waits);
	if (http_server_watch(h, e)) {
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
	http_server_unwatch(h);
	hub_silence(h->hub, &h->listen_again);
	h->is_quiet = true;
	for (unsigned i = 0; i < h->options.listener_count; i++) {
		struct http_listener *listener = &h->options.listeners[i];

		for (int left = QUEUE_MAX; left > 0 && !listen_was_passed(listener->fd); left--) {
			if (http_server_accept(&h->listening[i]))
				break;
		}
		own_close(&listener->fd);
	}
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
	http_server_unwatch(h);
	hub_silence(h->hub, &h->listen_again);
	hub_silence(h->hub, &h->arrival_timer);
	for (unsigned i = 0; i < h->options.listener_count; i++)
		own_close(&h->options.listeners[i].fd);
	tls_release(h->options.tls);
	free(h);
}
