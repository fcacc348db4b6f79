/*
 * flow - one connection of the sandbox: from its accept() to its end.
 *
 * 	gate      the client names its host (gate.h); until then nothing leaves this process
 * 	resolve   the resolver turns the name into addresses, and the list judges each
 * 	connect   to one address after the other, until one answers
 * 	proxy     if there is one: connect to it, and ask it for the host (proxy.h)
 * 	relay     bytes both ways, until both ends have closed
 * 	drain     of a published port: until the program has read everything, since its socket is
 * reused
 *
 * A client outside opens a connection to a published port. It starts at "connect", with a socket
 * that was made inside.
 *
 * A refused connection is reset: it has been accepted already, and an orderly close would look like
 * an empty answer.
 *
 * Runs: glovebox-egress. Needs: nothing.
 */
#ifndef GLOVEBOX_EGRESS_FLOW_H
#define GLOVEBOX_EGRESS_FLOW_H

#include <stdint.h>
#include <sys/queue.h>

#include "egress/egress.h"
#include "egress/gate.h"
#include "protocol/proxy_answer.h"

enum flow_stage {
	FLOW_GATE,
	FLOW_RESOLVE,
	FLOW_CONNECT,
	FLOW_PROXY,
	FLOW_RELAY,
	FLOW_DRAIN,
	FLOW_ENDED,
};

struct flow {
	struct egress *egress;
	LIST_ENTRY(flow) link; /* of egress->flows, then of egress->ended */
	enum flow_stage stage;
	struct watch client;
	struct watch server;
	int client_fd; /* owned */
	int server_fd; /* owned; -1 */
	bool is_published;
	const void *through; /* which published port it came through; borrowed, only compared */
	bool is_wide;        /* one of those with large queues (buffers.h) */

	/* destination */
	struct egress_rule rule; /* a copy, without its name */
	struct net_name *name;   /* NULL: the client connected to an address */
	struct address asked;    /* the inner address that the client connected to */
	struct address reached;  /* the outer address */
	bool is_proxied;         /* `reached` is the proxy */
	struct proxy_answer proxy_answer;
	uint16_t port;
	struct resolver_wait wait;
	struct address candidates[NET_MAX_ADDRESSES];
	size_t candidate_count;
	size_t tried;

	struct gate *gate; /* owned; NULL: opaque now */
	struct buf answer; /* server bytes that the client has not taken, while the gate reads */
	struct lane out;   /* client to server */
	struct lane in;
	size_t held;     /* its share of `egress->held` */
	bool sleeps;     /* waits for the meter */
	bool is_broken;  /* an end has failed: record no refusal */
	bool is_watched; /* after the gate: look for an alert about the certificate (tls_alert.h) */
	bool distrusts;  /* the client has refused the certificate */
	uint64_t bytes_out;
	uint64_t bytes_in;
	uint64_t deadline_ms; /* of the current stage; UINT64_MAX: none */
};

/*
 * flow_accept - start a flow for a connection to a listener at @port inside. @fd: owned by the
 * call.
 */
void flow_accept(struct egress *g, int fd, uint16_t port);

/*
 * flow_publish - start a flow for a connection from outside to @port inside. @fd: owned by the
 * call. @through: stands for the published port.
 */
void flow_publish(struct egress *g, int fd, uint16_t port, const void *through);

/* End the flows of a published port. */
void flow_end_through(struct egress *g, const void *through);

/* End flows that the list no longer allows. */
void flow_check_all(struct egress *g);

/* End flows that missed their deadline; wake flows that wait for the meter. */
void flow_tick(struct egress *g);

/* Add live connections to the counters of ended ones. */
void flow_sum(const struct egress *g, struct egress_counters *sum);

/* Free ended flows. */
void flow_bury(struct egress *g);
void flow_end_all(struct egress *g);

#endif
