/*
 * http_arrival - connections on which a request has not come whole yet.
 */
#include "serve/http_arrival.h"

#include <stdlib.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/own.h"
#include "serve/tls.h"

#define LEAST_RATE 500 /* bytes a second, of a body that is wanted; as Apache's mod_reqtimeout */

/* Each waits equally long: who began first is first. */
struct arrival {
	struct arrival *next;
	struct arrival **at; /* what points to it; NULL: it is not waited for */
	int fd;              /* the library's */
	struct tls *tls;     /* held; NULL: plain */
	uint64_t due_us;
	bool is_wanted; /* a body that may go on for as long as it is fast enough */
	uint64_t taken; /* bytes of it since it was added */
};

static void http_arrival_add(struct http *h, struct arrival *a)
{
	a->due_us = monotonic_us() + h->options.headers_ms * 1000;
	a->taken = 0;
	a->next = NULL;
	a->at = h->last_arrival;
	*a->at = a;
	h->last_arrival = &a->next;
	if (!h->arrival_timer.is_set)
		hub_ring(h->hub, &h->arrival_timer, a->due_us);
}

static void http_arrival_drop(struct http *h, struct arrival *a)
{
	if (!a->at)
		return;
	*a->at = a->next;
	if (a->next)
		a->next->at = a->at;
	else
		h->last_arrival = a->at;
	a->at = NULL;
}

static struct arrival *http_arrival_of(struct MHD_Connection *connection)
{
	return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)
		->socket_context;
}

/* Nobody has read anything of it yet. */
static void http_arrival_secure(struct http *h, struct MHD_Connection *connection,
				struct arrival *a)
{
	a->tls = tls_hold(h->options.tls);
	if (tls_use(a->tls, MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION)
				    ->tls_session))
		shutdown(a->fd, SHUT_RDWR);
}

void http_arrival_notify(void *context, struct MHD_Connection *connection, void **arrival,
			 enum MHD_ConnectionNotificationCode code)
{
	struct http *h = context;
	struct arrival *a = *arrival;

	if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
		http_arrival_drop(h, a);
		tls_release(a->tls);
		free(a);
		*arrival = NULL;
		return;
	}
	a = own_zeroed(1, sizeof(*a));
	a->fd = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
	*arrival = a;
	http_arrival_add(h, a);
	if (h->options.tls)
		http_arrival_secure(h, connection, a);
}

void http_arrival_end(struct http *h, struct MHD_Connection *connection)
{
	http_arrival_drop(h, http_arrival_of(connection));
}

static void http_arrival_restart(struct http *h, struct arrival *a, bool is_wanted)
{
	http_arrival_drop(h, a);
	a->is_wanted = is_wanted;
	http_arrival_add(h, a);
}

void http_arrival_begin(struct http *h, struct MHD_Connection *connection)
{
	http_arrival_restart(h, http_arrival_of(connection), false);
}

void http_arrival_begin_body(struct http *h, struct MHD_Connection *connection, bool is_wanted)
{
	http_arrival_restart(h, http_arrival_of(connection), is_wanted);
}

void http_arrival_take(struct MHD_Connection *connection, uint64_t bytes)
{
	http_arrival_of(connection)->taken += bytes;
}

static bool http_arrival_is_fast(const struct http *h, const struct arrival *a)
{
	return a->is_wanted && a->taken * 1000 >= h->options.headers_ms * LEAST_RATE;
}

/* The library closes what has been shut down. */
void http_arrival_ring(void *context)
{
	struct http *h = context;
	uint64_t now = monotonic_us();

	while (h->first_arrival && h->first_arrival->due_us <= now) {
		struct arrival *a = h->first_arrival;

		http_arrival_drop(h, a);
		if (http_arrival_is_fast(h, a))
			http_arrival_add(h, a);
		else
			shutdown(a->fd, SHUT_RDWR);
	}
	if (h->first_arrival)
		hub_ring(h->hub, &h->arrival_timer, h->first_arrival->due_us);
}
