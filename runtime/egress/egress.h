/*
 * egress - everything that the process of one sandbox's network has.
 *
 * Runs: glovebox-egress. Needs: nothing.
 */
#ifndef GLOVEBOX_EGRESS_EGRESS_H
#define GLOVEBOX_EGRESS_EGRESS_H

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
	struct resolver *resolver; /* NULL: there is no list */
	struct proxy proxy;        /* owned; without addresses: none */
	struct meter meter;
	uint64_t bytes_left; /* UINT64_MAX: as many as they want */
	struct record record;
	struct relay_pipes pipes;
	struct flow *flows;
	struct flow *ended; /* freed when a turn is over */
	unsigned flow_count;
	unsigned published_count; /* of the flows, those from outside */
	unsigned wide_count;      /* of the flows, those with large queues */
	bool is_throttled;        /* what moves waits for the meter */
	size_t share;             /* of what the meter allows, for one connection; 0: all of it */
	size_t held;              /* bytes of clients that gates hold */
	int pool[EGRESS_POOL];    /* owned: sockets inside that are not in use */
	unsigned pool_count;
};

#endif
