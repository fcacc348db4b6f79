/*
 * net - the list of one sandbox, and the addresses that its names have inside.
 *
 * A resolver inside gets an address of our own choosing for a listed name (198.18.0.0/15 and an
 * fd00::/8 prefix), one per name. A connection to that address is a connection to that name,
 * whatever the client does afterwards.
 *
 * No side effects. Runs: glovebox-egress. Needs: nothing.
 */
#ifndef GLOVEBOX_EGRESS_NET_H
#define GLOVEBOX_EGRESS_NET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/address.h"
#include "egress/host_addresses.h"
#include "egress/meter.h"
#include "spec/egress.h"

#define NET_MAX_NAMES      4096 /* with an address inside */
#define NET_MAX_WILD_NAMES 3072 /* of these, for wildcards: a list has 1024 of its own */
#define NET_MAX_ADDRESSES  8    /* of a name outside; the others are not tried */

/* What a name is outside, and until when that is believed. */
struct net_place {
	struct address addresses[NET_MAX_ADDRESSES];
	size_t count;
	uint64_t until_ms;
	bool is_known; /* it was asked for, and answered */
};

/* A listed name; it keeps its address inside as long as the sandbox lives. */
struct net_name {
	const char *text; /* owned, canonical */
	uint32_t index;   /* of its address */
	struct net_place place;
	struct net_name *next; /* of its bucket */
};

struct net {
	struct egress_spec list; /* owned */
	struct net_name *names[NET_MAX_NAMES];
	size_t name_count;
	struct net_name *buckets[512];
	struct wild_meter wild;
	struct host_addresses host; /* owned */
};

/* Why something is refused; static texts, for people and logs. NULL: it is not. */
typedef const char *net_refusal;

/* Take the list; the names that are known keep their addresses. */
void net_replace(struct net *n, struct egress_spec *list);
void net_fini(struct net *n);

/*
 * net_ask - the entry of a name that somebody inside asks for.
 * NULL: *why says whether it is not listed, or too much of a wildcard.
 */
struct net_name *net_ask(struct net *n, const char *name, uint64_t now_ms, net_refusal *why);

/* Its addresses inside. */
void net_address_v4(const struct net_name *name, struct address *out);
void net_address_v6(const struct net_name *name, struct address *out);

/* Whose address inside this is, or NULL: it is nobody's, or a real one. */
struct net_name *net_find(const struct net *n, const struct address *inside);

/* Whether an address is one of those that we hand out. */
bool net_is_ours(const struct address *a);

/*
 * net_rule_of_name, net_rule_of_address - the rule that allows a connection; NULL: none does.
 * @port  that the client has connected to.
 */
const struct egress_rule *net_rule_of_name(const struct net *n, const char *name, uint16_t port);
const struct egress_rule *net_rule_of_address(const struct net *n, const struct address *a,
					      uint16_t port);

/* Whether a name is that of the host's own services (--allow-host). */
bool net_is_on_host(const struct net *n, const char *name);

/* net_judge - whether a rule allows this address outside. */
net_refusal net_judge(const struct net *n, const struct egress_rule *rule,
		      const struct address *outside);

#endif
