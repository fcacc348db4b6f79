/*
 * http_arrival - the deadlines of connections.
 */
#include "web/http_arrival.h"

#include <sys/ioctl.h>
#include <sys/socket.h>

#include <linux/sockios.h>

#include "loop/clock.h"

#define SPARE_SHARE 16      /* one in so many connections is kept free */
#define CROWDED_US  1000000 /* longest idle time when almost all connections are taken */
#define LATE_US     1000000 /* how long a draining server waits for a late request */

/* -- deadlines ------------------------------------------------------------------------------- */

static bool http_arrival_is_crowded(const struct http *h)
{
	const unsigned most = h->options.connections_max;

	return h->connections - h->leaving >= most - most / SPARE_SHARE;
}

static uint64_t http_arrival_due_us(const struct http *h, const struct http_connection *c)
{
	return c->arrival.since_us + h->options.headers_ms * 1000;
}

static bool http_arrival_works_for_a_key(const struct arrival *a)
{
	return a->phase == PHASE_BODY || (a->phase == PHASE_REPLY && a->has_key);
}

/* When the next connection without work for a key may be closed, in a crowd. */
static uint64_t http_arrival_dispensable_us(const struct http *h)
{
	const struct http_connection *c;
	uint64_t next = LOOP_NEVER;

	TAILQ_FOREACH (c, &h->waits, arrival.wait) {
		if (!http_arrival_works_for_a_key(&c->arrival))
			next = clock_earlier(next, c->arrival.idle_us + CROWDED_US);
	}
	return next;
}

/* When a draining server stops waiting for a request on the next connection. */
static uint64_t http_arrival_late_us(const struct http *h, uint64_t now)
{
	const struct http_connection *c;
	uint64_t next = LOOP_NEVER;

	TAILQ_FOREACH (c, &h->waits, arrival.wait) {
		if (c->arrival.phase == PHASE_HEADERS && c->arrival.idle_us + LATE_US > now)
			next = clock_earlier(next, c->arrival.idle_us + LATE_US);
	}
	return next;
}

static void http_arrival_set_timer(struct http *h)
{
	uint64_t next = LOOP_NEVER;

	if (!TAILQ_EMPTY(&h->waits))
		next = http_arrival_due_us(h, TAILQ_FIRST(&h->waits));
	if (h->is_quiet)
		next = clock_earlier(next, http_arrival_late_us(h, monotonic_us()));
	if (http_arrival_is_crowded(h))
		next = clock_earlier(next, http_arrival_dispensable_us(h));
	if (next != LOOP_NEVER)
		hub_ring(h->hub, &h->arrival_timer, next);
}

static void http_arrival_add(struct http_connection *c)
{
	c->arrival.since_us = c->arrival.idle_us = monotonic_us();
	c->arrival.waits = true;
	TAILQ_INSERT_TAIL(&c->http->waits, c, arrival.wait);
}

static void http_arrival_drop(struct http_connection *c)
{
	if (c->arrival.waits)
		TAILQ_REMOVE(&c->http->waits, c, arrival.wait);
	c->arrival.waits = false;
}

/* Close it, at its next turn. */
static void http_arrival_shut(struct http_connection *c)
{
	http_arrival_drop(c);
	c->is_leaving = true;
	c->http->leaving++;
	http_wake(c);
}

/* -- room for others ------------------------------------------------------------------------- */

/* The connection to close among those that are idle for too long; NULL: none. */
static struct http_connection *http_arrival_dispensable(const struct http *h, bool has_asked,
							uint64_t now)
{
	struct http_connection *found = NULL;
	struct http_connection *c;

	TAILQ_FOREACH (c, &h->waits, arrival.wait) {
		const struct arrival *a = &c->arrival;

		if (http_arrival_works_for_a_key(a) || a->has_asked != has_asked ||
		    a->idle_us + CROWDED_US > now)
			continue;
		if (!found || a->peer->connections > found->arrival.peer->connections)
			found = c;
	}
	return found;
}

/* A request has arrived, and is about to be read. */
static bool http_arrival_has_sent(const struct http_connection *c)
{
	char byte;

	return c->arrival.phase == PHASE_HEADERS &&
	       recv(c->channel.fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

/*
 * In a crowd, close connections that do not work for a key, until some are free: first those that
 * were never answered, since the others are likely to ask again. This cannot wait for the next
 * client: at its limit the server does not accept.
 */
static void http_arrival_make_room(struct http *h, uint64_t now)
{
	while (http_arrival_is_crowded(h)) {
		struct http_connection *c = http_arrival_dispensable(h, false, now);

		if (!c)
			c = http_arrival_dispensable(h, true, now);
		if (!c)
			return;
		if (http_arrival_has_sent(c))
			c->arrival.idle_us = monotonic_us();
		else
			http_arrival_shut(c);
	}
}

/* -- beginnings and ends --------------------------------------------------------------------- */

void http_arrival_enter(struct http_connection *c)
{
	c->arrival.peer = http_peer_enter(&c->http->peers, c->channel.fd);
	http_arrival_add(c);
	http_arrival_make_room(c->http, c->arrival.since_us);
	http_arrival_set_timer(c->http);
}

void http_arrival_leave(struct http_connection *c)
{
	http_arrival_drop(c);
	http_peer_leave(&c->http->peers, c->arrival.peer);
}

void http_arrival_end(struct http_connection *c)
{
	http_arrival_drop(c);
}

static void http_arrival_restart(struct http_connection *c, enum phase phase)
{
	http_arrival_drop(c);
	if (c->is_leaving)
		return;
	c->arrival.phase = phase;
	c->arrival.moved = 0;
	http_arrival_add(c);
	c->arrival.began_us = c->arrival.since_us;
	http_arrival_set_timer(c->http);
}

void http_arrival_begin(struct http_connection *c)
{
	c->arrival.has_asked = true;
	http_arrival_restart(c, PHASE_HEADERS);
}

void http_arrival_begin_body(struct http_connection *c, bool is_wanted)
{
	http_arrival_restart(c, is_wanted ? PHASE_BODY : PHASE_REFUSED);
}

void http_arrival_begin_reply(struct http_connection *c, bool has_key)
{
	c->arrival.has_key = has_key;
	http_arrival_restart(c, PHASE_REPLY);
}

void http_arrival_move(struct http_connection *c, uint64_t bytes)
{
	c->arrival.moved += bytes;
}

uint64_t http_arrival_unread(const struct http_connection *c)
{
	int bytes = 0;

	return ioctl(c->channel.fd, SIOCOUTQ, &bytes) || bytes < 0 ? 0 : (uint64_t)bytes;
}

/* -- draining -------------------------------------------------------------------------------- */

void http_arrival_quiesce(struct http *h)
{
	http_arrival_set_timer(h);
}

bool http_arrival_is_expected(const struct http *h)
{
	const struct http_connection *c;

	if (http_arrival_late_us(h, monotonic_us()) != LOOP_NEVER)
		return true;
	TAILQ_FOREACH (c, &h->waits, arrival.wait) {
		if (http_arrival_has_sent(c))
			return true;
	}
	return false;
}

/* -- the timer ------------------------------------------------------------------------------- */

/* Bytes of a reply that we or the kernel still hold have not moved yet. */
static uint64_t http_arrival_moved(const struct http_connection *c)
{
	const struct arrival *a = &c->arrival;
	uint64_t waiting = 0;

	if (a->phase == PHASE_REFUSED)
		return 0;
	if (a->phase == PHASE_REPLY)
		waiting = http_arrival_unread(c) + c->out.length - c->sent;
	return a->moved > waiting ? a->moved - waiting : 0;
}

static bool http_arrival_goes_on(const struct http_connection *c, uint64_t now)
{
	const struct arrival *a = &c->arrival;
	const uint64_t ms =
		c->http->options.still_ms + http_arrival_moved(c) * 1000 / HTTP_LEAST_RATE;

	return a->phase != PHASE_HEADERS && now < a->began_us + ms * 1000;
}

void http_arrival_ring(void *context)
{
	struct http *h = context;
	const uint64_t now = monotonic_us();
	struct http_connection *c;

	while ((c = TAILQ_FIRST(&h->waits)) && http_arrival_due_us(h, c) <= now) {
		if (!http_arrival_goes_on(c, now)) {
			http_arrival_shut(c);
			continue;
		}
		http_arrival_drop(c);
		http_arrival_add(c);
	}
	http_arrival_make_room(h, now);
	http_arrival_set_timer(h);
}
