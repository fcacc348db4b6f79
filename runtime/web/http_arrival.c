/*
 * http_arrival - the deadlines of connections.
 */
#include "web/http_arrival.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <linux/sockios.h>

#include "base/clock.h"
#include "base/own.h"
#include "web/tls.h"

#define SPARE_SHARE 16      /* one in so many connections is kept free */
#define CROWDED_US  1000000 /* longest idle time when almost all connections are taken */
#define STUCK_LOOKS 20      /* looks for a body of which nothing moves */
#define LATE_US     1000000 /* how long a draining server waits for a late request */

enum phase {
	PHASE_HEADERS, /* also between requests */
	PHASE_BODY,
	PHASE_REFUSED, /* the rest of its body is read, so that the client sees the refusal */
	PHASE_REPLY,
};

/* In a list, oldest first. */
struct arrival {
	struct arrival *next;
	struct arrival **at; /* NULL: no deadline, not in the list */
	int fd;              /* borrowed; the library owns it */
	struct http_peer *peer;
	struct tls *tls; /* held; NULL: plain */
	enum phase phase;
	uint64_t since_us; /* monotonic time of joining the list */
	uint64_t idle_us;  /* idle since, as far as is known */
	uint64_t began_us; /* start of its phase */
	uint64_t moved;    /* bytes moved in its phase */
	uint64_t seen;     /* so many at the last look for a body that is stuck */
	unsigned looks;    /* in a row that saw none move */
	bool is_leaving;   /* shut down, not yet closed by the library */
	bool has_asked;    /* a request on it was answered before */
	bool has_key;      /* its reply is for a request with a key */
};

/* -- deadlines ------------------------------------------------------------------------------- */

/* Count here: asked for its count in the middle of a run, the library frees connections. */
static bool http_arrival_is_crowded(const struct http *h)
{
	const unsigned most = h->options.connections_max;

	return h->connections - h->leaving >= most - most / SPARE_SHARE;
}

static uint64_t http_arrival_due_us(const struct http *h, const struct arrival *a)
{
	return a->since_us + h->options.headers_ms * 1000;
}

static bool http_arrival_works_for_a_key(const struct arrival *a)
{
	return a->phase == PHASE_BODY || (a->phase == PHASE_REPLY && a->has_key);
}

/* When the next connection without work for a key may be shut down, in a crowd. */
static uint64_t http_arrival_dispensable_us(const struct http *h)
{
	uint64_t next = LOOP_NEVER;

	for (const struct arrival *a = h->first_arrival; a; a = a->next) {
		if (!http_arrival_works_for_a_key(a))
			next = clock_earlier(next, a->idle_us + CROWDED_US);
	}
	return next;
}

/* When a draining server stops waiting for a request on the next connection. */
static uint64_t http_arrival_late_us(const struct http *h, uint64_t now)
{
	uint64_t next = LOOP_NEVER;

	for (const struct arrival *a = h->first_arrival; a; a = a->next) {
		if (a->phase == PHASE_HEADERS && a->idle_us + LATE_US > now)
			next = clock_earlier(next, a->idle_us + LATE_US);
	}
	return next;
}

static void http_arrival_set_timer(struct http *h)
{
	uint64_t next = LOOP_NEVER;

	if (h->first_arrival)
		next = http_arrival_due_us(h, h->first_arrival);
	if (h->is_quiet)
		next = clock_earlier(next, http_arrival_late_us(h, monotonic_us()));
	if (http_arrival_is_crowded(h))
		next = clock_earlier(next, http_arrival_dispensable_us(h));
	if (next != LOOP_NEVER)
		hub_ring(h->hub, &h->arrival_timer, next);
}

static void http_arrival_add(struct http *h, struct arrival *a)
{
	a->since_us = a->idle_us = monotonic_us();
	a->next = NULL;
	a->at = h->last_arrival;
	*a->at = a;
	h->last_arrival = &a->next;
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

/* Set the certificate before the handshake, from which nothing has been read yet. */
static void http_arrival_secure(struct http *h, struct MHD_Connection *connection,
				struct arrival *a)
{
	a->tls = tls_hold(h->options.tls);
	if (tls_use(a->tls, MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION)
				    ->tls_session))
		shutdown(a->fd, SHUT_RDWR);
}

/* The library notices the shutdown and closes the connection. */
static void http_arrival_shut(struct http *h, struct arrival *a)
{
	http_arrival_drop(h, a);
	shutdown(a->fd, SHUT_RDWR);
	a->is_leaving = true;
	h->leaving++;
}

/* -- room for others ------------------------------------------------------------------------- */

/* The connection to close among those that are idle for too long; NULL: none. */
static struct arrival *http_arrival_dispensable(const struct http *h, bool has_asked, uint64_t now)
{
	struct arrival *found = NULL;

	for (struct arrival *a = h->first_arrival; a; a = a->next) {
		if (http_arrival_works_for_a_key(a) || a->has_asked != has_asked ||
		    a->idle_us + CROWDED_US > now)
			continue;
		if (!found || a->peer->connections > found->peer->connections)
			found = a;
	}
	return found;
}

/* A request has arrived, and is about to be read. */
static bool http_arrival_has_sent(const struct arrival *a)
{
	char byte;

	return a->phase == PHASE_HEADERS && recv(a->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

/*
 * In a crowd, close connections that do not work for a key, until some are free: first those that
 * were never answered, since the others are likely to ask again. This cannot wait for the next
 * client: at its limit the library does not accept.
 */
static void http_arrival_make_room(struct http *h, uint64_t now)
{
	while (http_arrival_is_crowded(h)) {
		struct arrival *a = http_arrival_dispensable(h, false, now);

		if (!a)
			a = http_arrival_dispensable(h, true, now);
		if (!a)
			return;
		if (http_arrival_has_sent(a))
			a->idle_us = monotonic_us();
		else
			http_arrival_shut(h, a);
	}
}

/* -- beginnings and ends --------------------------------------------------------------------- */

void http_arrival_notify(void *context, struct MHD_Connection *connection, void **arrival,
			 enum MHD_ConnectionNotificationCode code)
{
	struct http *h = context;
	struct arrival *a = *arrival;

	if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
		h->connections--;
		h->leaving -= a->is_leaving;
		http_arrival_drop(h, a);
		http_peer_leave(&h->peers, a->peer);
		tls_release(a->tls);
		free(a);
		*arrival = NULL;
		return;
	}
	a = own_zeroed(1, sizeof(*a));
	a->fd = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
	a->peer = http_peer_enter(&h->peers, a->fd);
	*arrival = a;
	h->connections++;
	http_arrival_add(h, a);
	http_arrival_make_room(h, a->since_us);
	http_arrival_set_timer(h);
	if (h->options.tls)
		http_arrival_secure(h, connection, a);
}

void http_arrival_end(struct http *h, struct MHD_Connection *connection)
{
	http_arrival_drop(h, http_arrival_of(connection));
}

static void http_arrival_restart(struct http *h, struct arrival *a, enum phase phase)
{
	http_arrival_drop(h, a);
	if (a->is_leaving)
		return;
	a->phase = phase;
	a->moved = 0;
	http_arrival_add(h, a);
	a->began_us = a->since_us;
	http_arrival_set_timer(h);
}

void http_arrival_begin(struct http *h, struct MHD_Connection *connection)
{
	struct arrival *a = http_arrival_of(connection);

	a->has_asked = true;
	http_arrival_restart(h, a, PHASE_HEADERS);
}

void http_arrival_begin_body(struct http *h, struct MHD_Connection *connection, bool is_wanted)
{
	http_arrival_restart(h, http_arrival_of(connection),
			     is_wanted ? PHASE_BODY : PHASE_REFUSED);
}

void http_arrival_begin_reply(struct http *h, struct MHD_Connection *connection, bool has_key)
{
	struct arrival *a = http_arrival_of(connection);

	a->has_key = has_key;
	http_arrival_restart(h, a, PHASE_REPLY);
}

void http_arrival_move(struct MHD_Connection *connection, uint64_t bytes)
{
	http_arrival_of(connection)->moved += bytes;
}

/* A connection whose memory is full reads nothing and sees no shutdown: set the library's own
 * deadline. */
bool http_arrival_is_stuck(struct MHD_Connection *connection)
{
	struct arrival *a = http_arrival_of(connection);
	int bytes = 0;

	if (ioctl(a->fd, FIONREAD, &bytes) || !bytes)
		return false;
	a->looks = a->moved == a->seen ? a->looks + 1 : 0;
	a->seen = a->moved;
	if (a->looks < STUCK_LOOKS)
		return false;
	MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, 1u);
	return true;
}

bool http_arrival_has_unread(struct MHD_Connection *connection)
{
	int bytes = 0;

	return !ioctl(http_arrival_of(connection)->fd, SIOCOUTQ, &bytes) && bytes > 0;
}

void http_arrival_cut(struct http *h, struct MHD_Connection *connection)
{
	struct arrival *a = http_arrival_of(connection);

	if (!a->is_leaving)
		http_arrival_shut(h, a);
}

/* -- draining -------------------------------------------------------------------------------- */

void http_arrival_quiesce(struct http *h)
{
	http_arrival_set_timer(h);
}

bool http_arrival_is_expected(const struct http *h)
{
	if (http_arrival_late_us(h, monotonic_us()) != LOOP_NEVER)
		return true;
	for (const struct arrival *a = h->first_arrival; a; a = a->next) {
		if (http_arrival_has_sent(a))
			return true;
	}
	return false;
}

/* -- the timer ------------------------------------------------------------------------------- */

static bool http_arrival_goes_on(const struct http *h, const struct arrival *a, uint64_t now)
{
	const uint64_t ms = h->options.still_ms +
			    (a->phase == PHASE_REFUSED ? 0 : a->moved * 1000 / HTTP_LEAST_RATE);

	return a->phase != PHASE_HEADERS && now < a->began_us + ms * 1000;
}

void http_arrival_ring(void *context)
{
	struct http *h = context;
	const uint64_t now = monotonic_us();
	struct arrival *a;

	while ((a = h->first_arrival) && http_arrival_due_us(h, a) <= now) {
		if (!http_arrival_goes_on(h, a, now)) {
			http_arrival_shut(h, a);
			continue;
		}
		http_arrival_drop(h, a);
		http_arrival_add(h, a);
	}
	http_arrival_make_room(h, now);
	http_arrival_set_timer(h);
}
