/*
 * resolver - resolve names with the host's own resolver configuration.
 */
#include "egress/resolver.h"

#include <ares.h>
#include <netdb.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/queue.h>
#include <sys/time.h>

#include "base/own.h"
#include "host/omit.h"
#include "net/socket_address.h"

#define RESOLVER_SOCKETS    64
#define RESOLVER_BELIEVE_MS 30000
#define RESOLVER_DENY_MS    5000 /* a name created a moment later resolves soon */
#define RESOLVER_TIMEOUT_MS 2500 /* per server; three rounds over all servers */

struct resolver_socket {
	struct watch watch;
	struct resolver *resolver;
};

/* One name that is being resolved, and its waiters. */
struct resolver_query {
	struct resolver *resolver;
	struct net_name *name;
	struct resolver_wait *waiting;
	LIST_ENTRY(resolver_query) link; /* of resolver.queries */
};

struct resolver {
	struct reactor *reactor;
	ares_channel channel;
	struct resolver_socket sockets[RESOLVER_SOCKETS];
	LIST_HEAD(, resolver_query) queries;
	size_t pending;
	bool is_closing;
};

/* -- the sockets of c-ares, in our reactor ---------------------------------------------- */

static void resolver_ready(struct watch *w, uint32_t events)
{
	struct resolver_socket *s = (struct resolver_socket *)w;
	bool ended = events & (EPOLLERR | EPOLLHUP);
	ares_socket_t in = events & EPOLLIN || ended ? w->fd : ARES_SOCKET_BAD;
	ares_socket_t out = events & EPOLLOUT || ended ? w->fd : ARES_SOCKET_BAD;

	ares_process_fd(s->resolver->channel, in, out);
}

/*
 * c-ares opens and closes its sockets, and tells which events it awaits. If the watch fails, its
 * own timeouts notice.
 */
static void resolver_follow(void *data, ares_socket_t fd, int readable, int writable)
{
	struct resolver *r = data;
	uint32_t events = (readable ? EPOLLIN : 0u) | (writable ? EPOLLOUT : 0u);
	struct resolver_socket *at = NULL;

	for (size_t i = 0; i < RESOLVER_SOCKETS; i++) {
		if (r->sockets[i].watch.fd == fd) {
			at = &r->sockets[i];
			break;
		}
		if (!at && r->sockets[i].watch.fd < 0)
			at = &r->sockets[i];
	}
	if (!at)
		return;
	at->watch.ready = resolver_ready;
	if (events)
		reactor_watch(r->reactor, &at->watch, fd, events);
	else
		reactor_forget(r->reactor, &at->watch);
}

int resolver_open(struct reactor *reactor, struct resolver **out, struct err *e)
{
	struct resolver *r = own_zeroed(1, sizeof(*r));
	struct ares_options options = {.flags = ARES_FLAG_NOSEARCH | ARES_FLAG_NOALIASES,
				       .timeout = RESOLVER_TIMEOUT_MS,
				       .tries = 3,
				       .sock_state_cb = resolver_follow,
				       .sock_state_cb_data = r};
	int status;

	r->reactor = reactor;
	for (size_t i = 0; i < RESOLVER_SOCKETS; i++)
		r->sockets[i] = (struct resolver_socket){.watch.fd = -1, .resolver = r};
	status = ares_library_init(ARES_LIB_INIT_ALL);
	if (status == ARES_SUCCESS)
		status = ares_init_options(&r->channel, &options,
					   ARES_OPT_FLAGS | ARES_OPT_DOMAINS | ARES_OPT_TIMEOUTMS |
						   ARES_OPT_TRIES | ARES_OPT_SOCK_STATE_CB);
	*out = r;
	if (status == ARES_SUCCESS)
		return 0;
	*out = NULL;
	free(r);
	return err_set(e, ERR_SYSTEM, "the host's resolver cannot be used: %s",
		       ares_strerror(status));
}

void resolver_close(struct resolver *r)
{
	r->is_closing = true;
	ares_destroy(r->channel);
	free(r);
}

/* -- answers ---------------------------------------------------------------------------- */

static void resolver_add_address(struct net_place *place, const struct sockaddr *sa)
{
	if (place->count < NET_MAX_ADDRESSES &&
	    !socket_address_take(sa, &place->addresses[place->count]))
		place->count++;
}

static int resolver_read(struct resolver_query *q, int status, const struct ares_addrinfo *result)
{
	struct net_place place = {0};
	uint64_t now_ms = q->resolver->reactor->now_ms;

	if (status == ARES_SUCCESS) {
		for (const struct ares_addrinfo_node *n = result->nodes; n; n = n->ai_next)
			resolver_add_address(&place, n->ai_addr);
	} else if (status != ARES_ENOTFOUND && status != ARES_ENODATA) {
		return -1; /* keep the old addresses: the server failed for now */
	}
	place.is_known = true;
	place.until_ms = now_ms + (place.count ? RESOLVER_BELIEVE_MS : RESOLVER_DENY_MS);
	q->name->place = place;
	return place.count ? 0 : 1;
}

static void resolver_unlink(struct resolver_query *q)
{
	LIST_REMOVE(q, link);
	q->resolver->pending--;
}

static void resolver_answered(void *data, int status, int timeouts, struct ares_addrinfo *result)
{
	struct resolver_query *q = data;
	bool closing = q->resolver->is_closing;
	int outcome = closing ? -1 : resolver_read(q, status, result);

	(void)timeouts;
	if (result)
		ares_freeaddrinfo(result);
	resolver_unlink(q);
	while (q->waiting && !closing) {
		struct resolver_wait *w = q->waiting;

		q->waiting = w->next;
		w->next = NULL;
		w->done(w, outcome);
	}
	free(q);
}

/* -- questions -------------------------------------------------------------------------- */

static struct resolver_query *resolver_pending(const struct resolver *r,
					       const struct net_name *name)
{
	struct resolver_query *q = LIST_FIRST(&r->queries);

	while (q && q->name != name)
		q = LIST_NEXT(q, link);
	return q;
}

static void resolver_send(struct resolver *r, struct resolver_query *q)
{
	const struct ares_addrinfo_hints hints = {
		.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = ARES_AI_NOSORT};

	ares_getaddrinfo(r->channel, q->name->text, NULL, &hints, resolver_answered, q);
}

void resolver_ask(struct resolver *r, struct net_name *name, struct resolver_wait *w)
{
	struct resolver_query *q;

	w->name = name;
	w->next = NULL;
	/* Left out in tests of what a second lookup brings. */
	if (name->place.is_known && r->reactor->now_ms < name->place.until_ms &&
	    !host_omits("egress-belief")) {
		w->done(w, name->place.count ? 0 : 1);
		return;
	}
	q = resolver_pending(r, name);
	if (q) {
		w->next = q->waiting;
		q->waiting = w;
		return;
	}
	if (r->pending == RESOLVER_MAX_PENDING) {
		w->done(w, -1);
		return;
	}
	q = own_zeroed(1, sizeof(*q));
	*q = (struct resolver_query){.resolver = r, .name = name, .waiting = w};
	LIST_INSERT_HEAD(&r->queries, q, link);
	r->pending++;
	resolver_send(r, q);
}

void resolver_forget(struct resolver *r, struct resolver_wait *w)
{
	struct resolver_query *q = w->name ? resolver_pending(r, w->name) : NULL;
	struct resolver_wait **at = q ? &q->waiting : NULL;

	while (at && *at && *at != w)
		at = &(*at)->next;
	if (at && *at)
		*at = w->next;
}

bool resolver_is_busy(const struct resolver *r)
{
	return r->pending > 0;
}

int resolver_wait_ms(struct resolver *r, int at_most_ms)
{
	struct timeval most = {.tv_sec = at_most_ms / 1000, .tv_usec = at_most_ms % 1000 * 1000l};
	struct timeval soon;
	struct timeval *next;

	if (!r->pending)
		return at_most_ms;
	next = ares_timeout(r->channel, &most, &soon);
	return (int)(next->tv_sec * 1000 + next->tv_usec / 1000) + 1;
}

void resolver_tick(struct resolver *r)
{
	if (r->pending)
		ares_process_fd(r->channel, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
}
