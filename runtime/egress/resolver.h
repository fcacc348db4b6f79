/*
 * resolver - resolve names with the host's own resolver configuration; the only user of c-ares.
 *
 * A name is resolved as it is, in lower case, without search domains and without the options of the
 * inner query: only a listed name leaves this process. Entries of /etc/hosts are answers like
 * others; net_judge() judges each address before we connect. An answer is cached for half a minute.
 *
 * Runs: glovebox-egress. Needs: the network; to read /etc/hosts and /etc/resolv.conf.
 */
#ifndef GLOVEBOX_EGRESS_RESOLVER_H
#define GLOVEBOX_EGRESS_RESOLVER_H

#include <stdbool.h>

#include "base/err.h"
#include "egress/net.h"
#include "egress/reactor.h"

#define RESOLVER_MAX_PENDING 128 /* names being resolved at once */

/* A waiter for an answer, embedded in its owner. */
struct resolver_wait {
	struct net_name *name;
	/* name->place is filled in. @status: 0; 1: NXDOMAIN; -1: no server answered. */
	void (*done)(struct resolver_wait *w, int status);
	struct resolver_wait *next;
};

struct resolver;

/* Reads the host's configuration. */
int resolver_open(struct reactor *reactor, struct resolver **out, struct err *e);
void resolver_close(struct resolver *r);

/*
 * resolver_ask - call w->done once, perhaps before this returns.
 * @w  outlives that call, or is withdrawn by resolver_forget().
 */
void resolver_ask(struct resolver *r, struct net_name *name, struct resolver_wait *w);
void resolver_forget(struct resolver *r, struct resolver_wait *w);

/* Whether a query has no answer yet. */
bool resolver_is_busy(const struct resolver *r);

/* The longest to wait before resolver_tick(), which gives up late queries. */
int resolver_wait_ms(struct resolver *r, int at_most_ms);
void resolver_tick(struct resolver *r);

#endif
