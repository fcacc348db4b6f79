/*
 * flow_connect - connect a flow from its rule to a socket outside.
 */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "base/own.h"
#include "egress/buffers.h"
#include "egress/flow_parts.h"
#include "host/omit.h"
#include "net/socket_address.h"

static const char *flow_connect_failure(const struct flow *f, int error)
{
	switch (error) {
	case ECONNREFUSED:
		return f->is_proxied ? "the proxy refused the connection"
				     : "the host refused the connection";
	case ENETUNREACH:
	case EHOSTUNREACH:
		return f->is_proxied ? "the proxy cannot be reached from here"
				     : "the host cannot be reached from here";
	case EMFILE:
	case ENFILE:
	case ENOBUFS:
	case ENOMEM:
		return "no descriptor or memory is left for it";
	default:
		return f->is_proxied ? "the connection to the proxy failed"
				     : "the connection failed";
	}
}

_Static_assert(PROXY_MAX_ADDRESSES <= NET_MAX_ADDRESSES, "they are candidates like a name's");

/* Try IPv4 first: on hosts without IPv6 the other order would cost a failure each time. */
static void flow_connect_add(struct flow *f, bool v4, const char **refusal)
{
	const struct net_place *place = &f->name->place;

	for (size_t i = 0; i < place->count; i++) {
		const struct address *a = &place->addresses[i];
		const char *why = a->is_v4 == v4 ? net_judge(&f->egress->net, &f->rule, a) : NULL;

		if (why)
			*refusal = why;
		else if (a->is_v4 == v4)
			f->candidates[f->candidate_count++] = *a;
	}
}

static void flow_connect_resolved(struct resolver_wait *w, int status)
{
	struct flow *f = (struct flow *)((char *)w - offsetof(struct flow, wait));
	const char *refusal =
		status < 0 ? "the name cannot be resolved now" : "there is no such name";

	f->stage = FLOW_CONNECT;
	f->is_broken = status != 0;
	if (!status) {
		flow_connect_add(f, true, &refusal);
		flow_connect_add(f, false, &refusal);
	}
	if (!f->candidate_count)
		flow_end(f, refusal);
	else
		flow_connect(f);
}

/* A proxy resolves names and judges their addresses; we judge an address that the client named. */
static void flow_connect_proxy(struct flow *f)
{
	const struct egress *g = f->egress;
	const char *refusal = f->name ? NULL : net_judge(&g->net, &f->rule, &f->asked);

	if (refusal) {
		flow_end(f, refusal);
		return;
	}
	f->is_proxied = true;
	f->candidate_count = g->proxy.count;
	memcpy(f->candidates, g->proxy.addresses, sizeof(g->proxy.addresses));
	flow_connect(f);
}

void flow_resolve(struct flow *f)
{
	const char *refusal = NULL;

	f->deadline_ms = f->egress->reactor.now_ms + FLOW_CONNECT_MS;
	if (f->rule.on_host) {
		f->candidates[f->candidate_count++] = (struct address){
			{127, 0, 0, 1},
                        true
                };
		f->candidates[f->candidate_count++] = (struct address){{[15] = 1}, false};
	} else if (f->egress->proxy.count) {
		flow_connect_proxy(f);
		return;
	} else if (f->name) {
		f->stage = FLOW_RESOLVE;
		f->wait.done = flow_connect_resolved;
		flow_arrange(f);
		if (f->stage == FLOW_RESOLVE)
			resolver_ask(f->egress->resolver, f->name, &f->wait);
		return;
	} else {
		refusal = net_judge(&f->egress->net, &f->rule, &f->asked);
		f->candidates[f->candidate_count++] = f->asked;
	}
	if (refusal)
		flow_end(f, refusal);
	else
		flow_connect(f);
}

static int flow_connect_socket(struct flow *f, const struct address *a)
{
	struct egress *g = f->egress;

	if (f->is_published)
		return g->pool[--g->pool_count];
	return socket(a->is_v4 ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/* 0: connecting. An errno: failed. */
static int flow_connect_try(struct flow *f, const struct address *a)
{
	struct sockaddr_storage to;
	const uint16_t port = f->is_proxied ? f->egress->proxy.port : f->port;
	socklen_t length = socket_address_make(a, port, &to);

	f->reached = *a;
	f->server_fd = flow_connect_socket(f, a);
	if (f->server_fd < 0)
		return errno;
	buffers_bound(f->server_fd, buffers_of(f->is_wide, f->is_published || f->rule.on_host));
	flow_no_delay(f->server_fd);
	if (connect(f->server_fd, (struct sockaddr *)&to, length) && errno != EINPROGRESS)
		return errno;
	return reactor_watch(&f->egress->reactor, &f->server, f->server_fd, EPOLLOUT) ? errno : 0;
}

void flow_connect(struct flow *f)
{
	int error = ETIMEDOUT;

	f->stage = FLOW_CONNECT;
	f->is_broken = true; /* until it is established: a failure from here on is not a refusal */
	if (f->deadline_ms == UINT64_MAX)
		f->deadline_ms = f->egress->reactor.now_ms + FLOW_CONNECT_MS;
	flow_arrange(f);
	while (f->stage == FLOW_CONNECT && f->tried < f->candidate_count) {
		error = flow_connect_try(f, &f->candidates[f->tried++]);
		if (!error)
			return;
		reactor_forget(&f->egress->reactor, &f->server);
		if (f->is_published)
			break;
		own_close(&f->server_fd);
	}
	if (f->stage == FLOW_CONNECT)
		flow_end(f, flow_connect_failure(f, error));
}

/*
 * Detect a connection that has reached this host. It then has the same address on both ends,
 * whenever the host got that address; and where no process listens, a socket may connect to itself
 * (TCP's simultaneous open).
 */
static const char *flow_connect_misled(const struct flow *f, int *error)
{
	struct address own;
	uint16_t port;

	if (socket_address_own(f->server_fd, &own, &port)) {
		*error = ENOTCONN;
		return NULL;
	}
	if (!address_equal(&own, &f->reached))
		return NULL;
	if (port == f->port)
		*error = ECONNREFUSED;
	return f->is_published || f->rule.on_host || host_omits("egress-judge")
		       ? NULL
		       : "an address of this host (--allow-host)";
}

void flow_connected(struct flow *f)
{
	const char *refusal = NULL;
	int error = 0;
	socklen_t length = sizeof(error);

	if (getsockopt(f->server_fd, SOL_SOCKET, SO_ERROR, &error, &length))
		error = errno;
	if (!error && !f->is_proxied) /* the operator's proxy may be on this host */
		refusal = flow_connect_misled(f, &error);
	if (refusal) {
		f->is_broken = false;
		flow_end(f, refusal);
		return;
	}
	if (error && (f->is_published || f->tried == f->candidate_count)) {
		flow_end(f, flow_connect_failure(f, error));
	} else if (error) {
		reactor_forget(&f->egress->reactor, &f->server);
		own_close(&f->server_fd);
		flow_connect(f);
	} else if (f->is_proxied) {
		flow_proxy_ask(f);
	} else {
		flow_stands(f);
	}
}

void flow_stands(struct flow *f)
{
	f->stage = FLOW_RELAY;
	f->is_broken = false;
	f->deadline_ms = UINT64_MAX;
	f->out = lane_between(f->client_fd, f->server_fd);
	f->in = lane_between(f->server_fd, f->client_fd);
	flow_relay(f);
}
