/*
 * egress - the state of the process that serves one sandbox's network.
 *
 * Runs: glovebox-egress. Needs: nothing.
 */
#ifndef GLOVEBOX_EGRESS_EGRESS_H
#define GLOVEBOX_EGRESS_EGRESS_H

#include <sys/queue.h>

#include "egress/meter.h"
#include "egress/net.h"
#include "egress/proxy.h"
#include "egress/reactor.h"
#include "egress/record.h"
#include "egress/relay.h"
#include "egress/resolver.h"
#include "inside/egress.h"

struct flow;

struct egress {
	struct reactor reactor;
	struct net net;
	struct resolver *resolver; /* NULL: no list */
	struct proxy proxy;        /* owned; no addresses: no proxy */
	struct meter meter;
	uint64_t bytes_left; /* UINT64_MAX: no limit */
	struct record record;
	struct relay_pipes pipes;
	LIST_HEAD(, flow) flows;
	LIST_HEAD(, flow) ended; /* freed at the end of a turn */
	unsigned flow_count;
	unsigned published_count; /* live connections from outside */
	unsigned wide_count;      /* live connections with large queues */
	bool is_throttled;        /* flows with bytes wait for the meter */
	size_t share;             /* bytes that the meter allows one connection per turn; 0: all */
	size_t held;              /* client bytes that gates hold */
	int pool[EGRESS_POOL];    /* owned: unused sockets of the sandbox's namespace */
	unsigned pool_count;
};

#endif
