/*
 * http_arrival - connections on which a request has not come whole yet.
 */
#include "serve/http_arrival.h"

#include <stdlib.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/own.h"
#include "serve/tls.h"

#define LEAST_RATE      500 /* bytes a second, of a body that is wanted; as Apache's mod_reqtimeout */
#define SPARE_SHARE     16 /* of all connections one in so many is free for who comes */
#define STRANGER_WEIGHT 16

/* Each waits equally long: who began first is first. */
struct arrival {
	struct arrival *next;
	struct arrival **at; /* what points to it; NULL: it is not waited for */
	int fd;              /* the library's */
	struct tls *tls;     /* held; NULL: plain */
	uint64_t due_us;
	bool has_asked;    /* a request of it was answered before */
	bool is_wanted;    /* a body that may go on for as long as it is fast enough */
	uint64_t taken;    /* bytes of it since it was added */
	uint64_t until_us; /* it may be slow until then */
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

/* -- room for others ------------------------------------------------------------------------- */

static bool http_arrival_is_full(const struct http *h)
{
	const unsigned most = h->options.connections_max;

	return MHD_get_daemon_info(h->daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS)
		       ->num_connections >= most - most / SPARE_SHARE - 1;
}

/* Who has kept a connection for longest without a request: a stranger, or one who has asked. */
static struct arrival *http_arrival_idlest(const struct http *h, const struct arrival *but,
					   bool has_asked)
{
	struct arrival *a = h->first_arrival;

	while (a && (a == but || a->is_wanted || a->has_asked != has_asked))
		a = a->next;
	return a;
}

static uint64_t http_arrival_idle_us(const struct http *h, const struct arrival *a)
{
	return a ? monotonic_us() + h->options.headers_ms * 1000 - a->due_us : 0;
}

static void http_arrival_displace(struct http *h, struct arrival *a)
{
	if (!a)
		return;
	http_arrival_drop(h, a);
	shutdown(a->fd, SHUT_RDWR);
}

/*
 * Nearly all places are taken, so the next to come needs one that is idle: then silent connections,
 * however many, keep out nobody who asks at once. A stranger's idleness weighs more, but not so
 * much that those who have just come, and whose requests are on their way, displace each other.
 */
static void http_arrival_make_room(struct http *h, const struct arrival *newest)
{
	struct arrival *stranger = http_arrival_idlest(h, newest, false);
	struct arrival *known = http_arrival_idlest(h, newest, true);
	const bool is_stranger = http_arrival_idle_us(h, stranger) * STRANGER_WEIGHT >=
				 http_arrival_idle_us(h, known);

	http_arrival_displace(h, stranger && is_stranger ? stranger : known);
}

/* -- beginnings and ends --------------------------------------------------------------------- */

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
	if (http_arrival_is_full(h))
		http_arrival_make_room(h, a);
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
	a->until_us = monotonic_us() + h->options.still_ms * 1000;
	http_arrival_add(h, a);
}

void http_arrival_begin(struct http *h, struct MHD_Connection *connection)
{
	struct arrival *a = http_arrival_of(connection);

	a->has_asked = true;
	http_arrival_restart(h, a, false);
	/* At its limit the library accepts nobody who would have room made. */
	if (http_arrival_is_full(h))
		http_arrival_displace(h, http_arrival_idlest(h, a, true));
}

void http_arrival_begin_body(struct http *h, struct MHD_Connection *connection, bool is_wanted)
{
	http_arrival_restart(h, http_arrival_of(connection), is_wanted);
}

void http_arrival_take(struct MHD_Connection *connection, uint64_t bytes)
{
	http_arrival_of(connection)->taken += bytes;
}

static bool http_arrival_goes_on(const struct http *h, struct arrival *a, uint64_t now)
{
	if (a->taken * 1000 >= h->options.headers_ms * LEAST_RATE)
		a->until_us = now + h->options.still_ms * 1000;
	return a->is_wanted && now < a->until_us;
}

/* The library closes what has been shut down. */
void http_arrival_ring(void *context)
{
	struct http *h = context;
	uint64_t now = monotonic_us();

	while (h->first_arrival && h->first_arrival->due_us <= now) {
		struct arrival *a = h->first_arrival;

		http_arrival_drop(h, a);
		if (http_arrival_goes_on(h, a, now))
			http_arrival_add(h, a);
		else
			shutdown(a->fd, SHUT_RDWR);
	}
	if (h->first_arrival)
		hub_ring(h->hub, &h->arrival_timer, h->first_arrival->due_us);
}
