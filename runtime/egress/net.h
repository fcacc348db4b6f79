/*
 * net - the list of one sandbox, and the inner addresses of its names.
 *
 * A resolver inside gets an address of our own choosing for a listed name (198.18.0.0/15 and an
 * fd00::/8 prefix), one per name. A connection to that address is a connection to that name,
 * whatever the client sends afterwards.
 *
 * No side effects. Runs: glovebox-egress. Needs: nothing.
 */
#ifndef GLOVEBOX_EGRESS_NET_H
#define GLOVEBOX_EGRESS_NET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "egress/host_addresses.h"
#include "egress/meter.h"
#include "net/address.h"
#include "netpolicy/egress.h"

#define NET_MAX_NAMES      4096 /* names with an inner address */
#define NET_MAX_WILD_NAMES 3072 /* of these for wildcards: 1024 remain for a list's own names */
#define NET_MAX_ADDRESSES  8    /* of a name outside; further ones are not tried */

/* The outer addresses of a name, and when they expire. */
struct net_place {
	struct address addresses[NET_MAX_ADDRESSES];
	size_t count;
	uint64_t until_ms;
	bool is_known; /* the resolver has answered */
};

/* A listed name; it keeps its inner address as long as the sandbox lives. */
struct net_name {
	const char *text; /* owned, canonical */
	uint32_t index;   /* of its inner address */
	struct net_place place;
	struct net_name *next; /* in its hash bucket */
};

struct net {
	struct egress_spec list; /* owned */
	struct net_name *names[NET_MAX_NAMES];
	size_t name_count;
	struct net_name *buckets[512];
	struct wild_meter wild;
	struct host_addresses host; /* owned */
};

/* Why something is refused: a static message for people and logs. NULL: it is allowed. */
typedef const char *net_refusal;

/* Replace the list; known names keep their addresses. */
void net_replace(struct net *n, struct egress_spec *list);
void net_fini(struct net *n);

/*
 * net_ask - the entry of a name that a program looks up. NULL: *why tells whether it is unlisted,
 * or beyond a wildcard's limit.
 */
struct net_name *net_ask(struct net *n, const char *name, uint64_t now_ms, net_refusal *why);

/* The inner addresses of a name. */
void net_address_v4(const struct net_name *name, struct address *out);
void net_address_v6(const struct net_name *name, struct address *out);

/* The name that has this inner address; NULL: none, or a real address. */
struct net_name *net_find(const struct net *n, const struct address *inside);

/* Whether it is one of our inner addresses. */
bool net_is_ours(const struct address *a);

/*
 * net_rule_of_name, net_rule_of_address - the rule that allows a connection; NULL: none does.
 * @port  the port that the client connected to.
 */
const struct egress_rule *net_rule_of_name(const struct net *n, const char *name, uint16_t port);
const struct egress_rule *net_rule_of_address(const struct net *n, const struct address *a,
					      uint16_t port);

/* Whether the name means services of the host (--allow-host). */
bool net_is_on_host(const struct net *n, const char *name);

/* net_judge - why a rule does not allow this outer address; NULL: it does. */
net_refusal net_judge(const struct net *n, const struct egress_rule *rule,
		      const struct address *outside);

#endif
