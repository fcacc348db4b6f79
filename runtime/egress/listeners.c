/*
 * listeners - accept connections: at the sandbox's ports, and at published ports.
 */
#include "egress/listeners.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "base/own.h"
#include "egress/flow.h"

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
			flow_publish(at->egress, fd, at->port, at);
		else
			flow_accept(at->egress, fd, at->port);
	}
}

/* A place that a withdrawn port has left, or else a new one. */
static struct listener *listeners_place(struct listeners *l)
{
	for (unsigned i = 0; i < l->count; i++) {
		if (l->items[i].fd < 0 && !l->items[i].is_published)
			return &l->items[i];
	}
	return &l->items[l->count++];
}

static struct listener *listeners_next(struct listeners *l, struct egress *g, int fd, uint16_t port)
{
	struct listener *at = listeners_place(l);

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

static int listeners_begin(struct listener *at, struct err *e)
{
	return reactor_watch(&at->egress->reactor, &at->watch, at->fd, EPOLLIN)
		       ? err_sys(e, "wait for connections")
		       : 0;
}

int listeners_start(struct listeners *l, struct err *e)
{
	for (unsigned i = 0; i < l->count; i++) {
		if (listeners_begin(&l->items[i], e))
			return -1;
	}
	return 0;
}

/* -- published ports -------------------------------------------------------------------- */

static size_t listeners_published(const struct listeners *l)
{
	size_t count = 0;

	for (unsigned i = 0; i < l->count; i++)
		count += l->items[i].is_published;
	return count;
}

/* The published port that has the socket of this one's place, or had it; NULL: none. */
static struct listener *listeners_at(struct listeners *l, const struct egress_published *p,
				     bool has_it)
{
	for (unsigned i = 0; i < l->count; i++) {
		struct listener *at = &l->items[i];

		if (at->is_published && (at->fd >= 0) == has_it && egress_same_place(&at->at, p))
			return at;
	}
	return NULL;
}

size_t listeners_lacking(struct listeners *l, const struct egress_spec *more)
{
	size_t count = 0;

	for (size_t i = 0; i < more->published_count; i++)
		count += !listeners_at(l, &more->published[i], true);
	return count;
}

int listeners_check(const struct listeners *l, const struct egress_spec *more, struct err *e)
{
	/* Those that they replace are withdrawn behind them. */
	if (listeners_published(l) + more->published_count > LISTENERS_PUBLISHED)
		return err_input(e, "more than %d published ports", EGRESS_MAX_PUBLISHED);
	for (size_t i = 0; i < more->published_count; i++) {
		const unsigned port = more->published[i].port;

		if (listeners_have(l, more->published[i].port))
			return err_input(e,
					 "--publish: port %u inside is one at which the list "
					 "listens: stop it, update it, and start it",
					 port);
	}
	return 0;
}

/* The socket goes from one published port to another; connections of the first one stay. */
static int listeners_take_over(struct listener *from)
{
	reactor_forget(&from->egress->reactor, &from->watch);
	from->retry_ms = 0;
	return take_fd(&from->fd);
}

void listeners_publish(struct listeners *l, struct egress *g, const struct egress_spec *more,
		       int *fds)
{
	for (size_t i = 0; i < more->published_count; i++) {
		const struct egress_published *p = &more->published[i];
		struct listener *before = listeners_at(l, p, true);
		const int fd = before ? listeners_take_over(before) : take_fd(fds++);
		struct listener *made = listeners_next(l, g, fd, p->port);

		made->is_published = true;
		made->at = *p;
	}
}

int listeners_start_published(struct listeners *l, struct err *e)
{
	for (unsigned i = 0; i < l->count; i++) {
		struct listener *at = &l->items[i];

		if (at->is_published && at->fd >= 0 && at->watch.fd < 0 && !at->retry_ms &&
		    listeners_begin(at, e))
			return -1;
	}
	return 0;
}

static struct listener *listeners_find(struct listeners *l, const struct egress_published *p)
{
	for (unsigned i = 0; i < l->count; i++) {
		struct listener *at = &l->items[i];

		if (at->is_published && egress_same_published(&at->at, p))
			return at;
	}
	return NULL;
}

/* The one that had the socket before has it again: listeners_tick() begins to accept there. */
static void listeners_give_back(struct listener *to, int fd)
{
	to->fd = fd;
	to->retry_ms = to->egress->reactor.now_ms;
}

static void listeners_end(struct listeners *l, struct listener *at)
{
	struct listener *before = at->fd >= 0 ? listeners_at(l, &at->at, false) : NULL;

	reactor_forget(&at->egress->reactor, &at->watch);
	if (before)
		listeners_give_back(before, take_fd(&at->fd));
	own_close(&at->fd);
	flow_end_through(at->egress, at);
	*at = (struct listener){.watch.fd = -1, .fd = -1};
}

void listeners_withdraw(struct listeners *l, const struct egress_spec *less)
{
	for (size_t i = 0; i < less->published_count; i++) {
		struct listener *at = listeners_find(l, &less->published[i]);

		if (at)
			listeners_end(l, at);
	}
}

/* -- life ------------------------------------------------------------------------------- */

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

void listeners_close(struct listeners *l)
{
	for (unsigned i = 0; i < l->count; i++) {
		if (l->items[i].fd >= 0)
			reactor_forget(&l->items[i].egress->reactor, &l->items[i].watch);
		own_close(&l->items[i].fd);
	}
	l->count = 0;
}
