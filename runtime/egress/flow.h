/*
 * flow - one connection of the sandbox: from its accept() to its end.
 *
 *	gate      the client says for whom it is (gate.h); nothing is done outside before that
 *	resolve   the name becomes addresses, which are judged
 *	connect   to one after the other, until one answers
 *	proxy     where there is one, it is connected to, and asked for the host (proxy.h)
 *	relay     bytes both ways, until both ends have said their last
 *	drain     of a published port: until the program has it all, since its socket is used again
 *
 * A connection to a published port comes from outside and begins at "connect", with a socket that
 *was made inside.
 *
 * What is refused is reset: the client has been accepted already, and an orderly end would look
 *like an empty answer.
 *
 * Runs: glovebox-egress. Needs: nothing.
 */
#ifndef GLOVEBOX_EGRESS_FLOW_H
#define GLOVEBOX_EGRESS_FLOW_H

#include <stdint.h>

#include "egress/egress.h"
#include "egress/gate.h"
#include "egress/proxy_answer.h"

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
	struct flow *next;
	struct flow *previous;
	enum flow_stage stage;
	struct watch client;
	struct watch server;
	int client_fd; /* owned */
	int server_fd; /* owned; -1 */
	bool is_published;
	bool is_wide; /* one of those with large queues (buffers.h) */

	/* for whom */
	struct egress_rule rule; /* a copy, without its name */
	struct net_name *name;   /* NULL: an address was named */
	struct address asked;    /* the address inside that was connected to */
	struct address reached;  /* outside */
	bool is_proxied;         /* that is the proxy */
	struct proxy_answer proxy_answer;
	uint16_t port;
	struct resolver_wait wait;
	struct address candidates[NET_MAX_ADDRESSES];
	size_t candidate_count;
	size_t tried;

	struct gate *gate; /* owned; NULL: opaque from the beginning, or since */
	struct buf
		answer;  /* the server's bytes that the client has not taken while the gate looks */
	struct lane out; /* client to server */
	struct lane in;
	size_t held;     /* of `egress->held` */
	bool sleeps;     /* for the meter */
	bool is_broken;  /* one of its ends is gone: no refusal */
	bool is_watched; /* its next bytes, behind its gate, may refuse the certificate
			    (tls_alert.h) */
	bool distrusts;  /* it has */
	uint64_t bytes_out;
	uint64_t bytes_in;
	uint64_t deadline_ms; /* of the stage; UINT64_MAX: none */
};

/* flow_accept - a connection has come to a listener at @port inside. @fd  owned by the call. */
void flow_accept(struct egress *g, int fd, uint16_t port);

/* flow_publish - a connection has come from outside, for @port inside. @fd  owned by the call. */
void flow_publish(struct egress *g, int fd, uint16_t port);

/* End those that the list no longer allows. */
void flow_check_all(struct egress *g);

/* End what has waited too long; wake what waits for the meter. */
void flow_tick(struct egress *g);

/* Add the connections that stand to what has been counted of those that are over. */
void flow_sum(const struct egress *g, struct egress_counters *sum);

/* Free those that have ended. */
void flow_bury(struct egress *g);
void flow_end_all(struct egress *g);

#endif
