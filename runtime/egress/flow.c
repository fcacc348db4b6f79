/*
 * flow - one connection of the sandbox: from its accept() to its end.
 */
#include "egress/flow.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "base/own.h"
#include "egress/buffers.h"
#include "egress/flow_parts.h"
#include "egress/sent.h"
#include "host/omit.h"
#include "net/socket_address.h"

/* -- beginning and end ------------------------------------------------------------------ */

static void flow_ready(struct flow *f)
{
	switch (f->stage) {
	case FLOW_CONNECT:
		flow_connected(f);
		return;
	case FLOW_PROXY:
		flow_proxy_answered(f);
		return;
	case FLOW_GATE:
	case FLOW_RELAY:
		flow_relay(f);
		return;
	case FLOW_RESOLVE:
	case FLOW_DRAIN:
	case FLOW_ENDED:
		return;
	}
}

static void flow_client_ready(struct watch *w, uint32_t events)
{
	(void)events;
	flow_ready((struct flow *)((char *)w - offsetof(struct flow, client)));
}

static void flow_server_ready(struct watch *w, uint32_t events)
{
	(void)events;
	flow_ready((struct flow *)((char *)w - offsetof(struct flow, server)));
}

void flow_no_delay(int fd)
{
	const int on = 1;

	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

/* @is_published: a client outside opened it; otherwise the sandbox did, over its loopback. */
static struct flow *flow_new(struct egress *g, int fd, uint16_t port, bool is_published)
{
	struct flow *f = own_zeroed(1, sizeof(*f));

	f->egress = g;
	LIST_INSERT_HEAD(&g->flows, f, link);
	g->flow_count++;
	f->client = (struct watch){.fd = -1, .ready = flow_client_ready};
	f->server = (struct watch){.fd = -1, .ready = flow_server_ready};
	f->client_fd = fd;
	f->server_fd = -1;
	f->port = port;
	f->out = f->in = lane_between(-1, -1);
	f->deadline_ms = UINT64_MAX;
	f->is_wide = g->wide_count < BUFFERS_WIDE;
	g->wide_count += f->is_wide;
	f->is_published = is_published;
	buffers_bound(fd, buffers_of(f->is_wide, !is_published));
	flow_no_delay(fd);
	return f;
}

/*
 * Reset the connection, so that its peer cannot take the end for a complete answer: connect(2) with
 * AF_UNSPEC. Our filter refuses SO_LINGER.
 */
static void flow_reset(int fd)
{
	const struct sockaddr nothing = {.sa_family = AF_UNSPEC};

	(void)connect(fd, &nothing, sizeof(nothing));
}

/* Return a socket that was made inside: once it is reset it can be used again. */
static void flow_return_socket(struct flow *f)
{
	struct egress *g = f->egress;

	if (f->server_fd < 0)
		return;
	flow_reset(f->server_fd);
	g->pool[g->pool_count++] = take_fd(&f->server_fd);
}

void flow_drain(struct flow *f)
{
	struct egress *g = f->egress;

	if (sent_is_all(f->server_fd) ||
	    (f->stage == FLOW_DRAIN && f->deadline_ms <= g->reactor.now_ms)) {
		flow_end(f, NULL);
		return;
	}
	if (f->stage == FLOW_DRAIN)
		return;
	f->stage = FLOW_DRAIN;
	f->deadline_ms = g->reactor.now_ms + FLOW_DRAIN_MS;
	reactor_forget(&g->reactor, &f->client);
	reactor_forget(&g->reactor, &f->server);
}

static void flow_record(const struct flow *f, const char *reason)
{
	const struct address *reached = f->tried && !f->is_published ? &f->reached : NULL;

	if (f->distrusts)
		reason = "the program refused its certificate; --ca FILE adds an authority";
	record_add(&f->egress->record,
		   &(struct record_entry){
			   .what = f->is_published ? "published" : "connection",
			   .name = f->name ? f->name->text : NULL,
			   .inner = f->is_published ? NULL : &f->asked,
			   .outer = f->is_proxied ? NULL : reached,
			   .proxy = f->is_proxied ? reached : NULL,
			   .port = f->port,
			   .bytes_out = f->bytes_out,
			   .bytes_in = f->bytes_in,
			   .reason = reason,
			   .is_refused = reason && (f->distrusts || !f->is_broken),
		   });
}

void flow_end(struct flow *f, const char *reason)
{
	struct egress *g = f->egress;

	flow_record(f, reason);
	if (f->stage == FLOW_RESOLVE)
		resolver_forget(g->resolver, &f->wait);
	f->stage = FLOW_ENDED;
	reactor_forget(&g->reactor, &f->client);
	reactor_forget(&g->reactor, &f->server);
	lane_close(&f->out);
	lane_close(&f->in);
	if (reason) {
		flow_reset(f->client_fd);
		if (f->server_fd >= 0)
			flow_reset(f->server_fd);
	}
	own_close(&f->client_fd);
	if (f->is_published)
		flow_return_socket(f);
	own_close(&f->server_fd);
	LIST_REMOVE(f, link);
	LIST_INSERT_HEAD(&g->ended, f, link);
	g->flow_count--;
	g->published_count -= f->is_published;
	g->held -= f->held;
	g->wide_count -= f->is_wide;
}

void flow_cut(struct flow *f, const char *reason)
{
	f->is_broken = f->is_broken || f->stage == FLOW_RELAY;
	flow_end(f, reason);
}

void flow_bury(struct egress *g)
{
	struct flow *f;

	while ((f = LIST_FIRST(&g->ended))) {
		LIST_REMOVE(f, link);
		if (f->gate)
			gate_fini(f->gate);
		free(f->gate);
		buf_fini(&f->answer);
		free(f);
	}
}

void flow_end_all(struct egress *g)
{
	while (!LIST_EMPTY(&g->flows))
		flow_cut(LIST_FIRST(&g->flows), "the sandbox has ended");
	flow_bury(g);
}

/* -- for whom --------------------------------------------------------------------------- */

/* Find the rule that allows the connection. Returns NULL, or why none does. */
static const char *flow_decide(struct flow *f)
{
	const struct net *n = &f->egress->net;
	const struct egress_rule *rule;

	f->name = net_find(n, &f->asked);
	if (!f->name && net_is_ours(&f->asked))
		return "an address that belongs to no name";
	rule = f->name ? net_rule_of_name(n, f->name->text, f->port)
		       : net_rule_of_address(n, &f->asked, f->port);
	if (!rule)
		return f->name ? "not listed at this port" : "not listed";
	f->rule = *rule;
	f->rule.name = NULL;
	return NULL;
}

/*
 * Whether a gate must read the client's bytes: not for an address, which has no name to look for,
 * nor for services of the host (--allow-host), which are the user's own.
 */
static bool flow_wants_gate(const struct flow *f)
{
	if ((f->rule.kind == EGRESS_TLS && host_omits("egress-sni")) ||
	    (f->rule.kind == EGRESS_HTTP && host_omits("egress-host")))
		return false;
	return f->name && !f->rule.on_host && f->rule.kind != EGRESS_RAW;
}

/*
 * The pool of inner sockets bounds published connections: they do not count against
 * --egress-connections.
 */
static const char *flow_no_room(const struct egress *g, bool is_published)
{
	if (!is_published && g->flow_count - g->published_count > g->net.list.connections &&
	    !host_omits("egress-bounds"))
		return "too many connections at once (--egress-connections)";
	return g->bytes_left ? NULL : "the limit of bytes is reached (--egress-bytes)";
}

void flow_accept(struct egress *g, int fd, uint16_t port)
{
	struct flow *f = flow_new(g, fd, port, false);
	const char *reason = flow_no_room(g, false);
	uint16_t listener;

	if (!reason)
		reason = socket_address_own(fd, &f->asked, &listener) ? "its address is not known"
								      : flow_decide(f);
	if (reason) {
		flow_end(f, reason);
		return;
	}
	if (!flow_wants_gate(f)) {
		flow_resolve(f);
		return;
	}
	f->gate = own_zeroed(1, sizeof(*f->gate));
	gate_init(f->gate, f->rule.kind, f->name->text, port);
	f->is_watched = f->rule.kind == EGRESS_TLS;
	f->deadline_ms = g->reactor.now_ms + FLOW_GATE_MS;
	flow_arrange(f);
}

void flow_publish(struct egress *g, int fd, uint16_t port, const void *through)
{
	struct flow *f = flow_new(g, fd, port, true);
	const char *reason = flow_no_room(g, true);

	f->through = through;
	g->published_count++;
	if (!reason && !g->pool_count)
		reason = "too many connections to published ports at once";
	if (reason) {
		flow_end(f, reason);
		return;
	}
	f->candidates[f->candidate_count++] = (struct address){
		{127, 0, 0, 1},
                true
        };
	flow_connect(f);
}

/* -- all of them ------------------------------------------------------------------------ */

void flow_check_all(struct egress *g)
{
	for (struct flow *f = LIST_FIRST(&g->flows), *next; f; f = next) {
		const struct egress_rule before = f->rule;

		next = LIST_NEXT(f, link);
		if (f->is_published)
			continue;
		if (flow_decide(f) || f->rule.kind != before.kind ||
		    f->rule.on_host != before.on_host ||
		    (before.allow_private && !f->rule.allow_private))
			flow_cut(f, "the list has changed");
	}
}

void flow_end_through(struct egress *g, const void *through)
{
	for (struct flow *f = LIST_FIRST(&g->flows), *next; f; f = next) {
		next = LIST_NEXT(f, link);
		if (f->through == through)
			flow_cut(f, "the port has been withdrawn");
	}
}

static size_t flow_count_sleeping(const struct egress *g)
{
	const struct flow *f;
	size_t count = 0;

	LIST_FOREACH (f, &g->flows, link)
		count += f->sleeps;
	return count;
}

/* Name the deadline that a flow has missed; NULL: none. */
static const char *flow_late(const struct flow *f)
{
	if (f->stage == FLOW_GATE)
		return "the client did not say for whom it is";
	if (f->stage == FLOW_RELAY)
		return "nothing came for five minutes";
	return f->is_proxied ? "the proxy did not answer" : "the host did not answer";
}

void flow_tick(struct egress *g)
{
	size_t allowed = g->is_throttled ? meter_allows(&g->meter, g->reactor.now_ms) : 0;
	bool awake = allowed > 0;

	g->is_throttled = g->is_throttled && !awake;
	if (awake) /* both directions of each flow */
		g->share = allowed / (2 * flow_count_sleeping(g) + 1) + 1;
	for (struct flow *f = LIST_FIRST(&g->flows), *next; f; f = next) {
		next = LIST_NEXT(f, link);
		if (f->stage == FLOW_DRAIN)
			flow_drain(f);
		else if (f->deadline_ms <= g->reactor.now_ms)
			flow_cut(f, flow_late(f));
		else if (awake && f->sleeps) {
			f->sleeps = false;
			flow_relay(f);
		}
	}
	g->share = 0;
}

void flow_sum(const struct egress *g, struct egress_counters *sum)
{
	const struct flow *f;

	LIST_FOREACH (f, &g->flows, link) {
		if (f->stage != FLOW_RELAY)
			continue;
		sum->connections++;
		sum->bytes_out += f->bytes_out;
		sum->bytes_in += f->bytes_in;
	}
}
