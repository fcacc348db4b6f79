/*
 * resolver - what names are outside, by the host's own resolver configuration; the only user of
 * c-ares.
 *
 * A name is asked for as it is, never completed by a search domain, in lower case and without the
 * options that it came with: nothing of a query inside leaves but a listed name. What
 * /etc/hosts says is an answer like any other; all of them are judged when they are connected to
 * (net_judge()). An answer is believed for half a minute.
 *
 * Runs: glovebox-egress. Needs: the network; to read /etc/hosts and /etc/resolv.conf.
 */
#ifndef GLOVEBOX_EGRESS_RESOLVER_H
#define GLOVEBOX_EGRESS_RESOLVER_H

#include <stdbool.h>

#include "base/err.h"
#include "egress/net.h"
#include "egress/reactor.h"

#define RESOLVER_MAX_PENDING 128 /* names that are asked for at once */

/* One who waits for an answer; a part of whatever does. */
struct resolver_wait {
	struct net_name *name;
	/* name->place is filled in. @status: 0; 1: there is no such name; -1: nobody could say. */
	void (*done)(struct resolver_wait *w, int status);
	struct resolver_wait *next;
};

struct resolver;

/* Reads the host's configuration. */
int resolver_open(struct reactor *reactor, struct resolver **out, struct err *e);
void resolver_close(struct resolver *r);

/*
 * resolver_ask - have w->done called once, perhaps before this returns.
 * @w  outlives that, or is taken back by resolver_forget().
 */
void resolver_ask(struct resolver *r, struct net_name *name, struct resolver_wait *w);
void resolver_forget(struct resolver *r, struct resolver_wait *w);

/* Whether something is asked for that has no answer yet. */
bool resolver_is_busy(const struct resolver *r);

/* How long to wait at most before resolver_tick(), which gives up what has taken too long. */
int resolver_wait_ms(struct resolver *r, int at_most_ms);
void resolver_tick(struct resolver *r);

#endif
