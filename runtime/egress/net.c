/*
 * net - the list of one sandbox, and the inner addresses of its names.
 */
#include "egress/net.h"

#include <stdlib.h>
#include <string.h>

#include "base/own.h"
#include "host/omit.h"
#include "net/hostname.h"

/* Skip 198.18.0.0, the network's own, and .1, which lo has. */
#define NET_FIRST 2

static const uint8_t net_v4[2] = {198, 18};
static const uint8_t net_v6[8] = {0xfd, 0x67, 0x6c, 0x6f, 0x76, 0x65, 0x62, 0x78}; /* "glovebx" */

static size_t net_bucket(const struct net *n, const char *name)
{
	uint32_t hash = 2166136261u; /* FNV-1a */

	for (; *name; name++)
		hash = (hash ^ (uint8_t)*name) * 16777619u;
	return hash % (sizeof(n->buckets) / sizeof(n->buckets[0]));
}

static struct net_name *net_known(const struct net *n, const char *text)
{
	struct net_name *name = n->buckets[net_bucket(n, text)];

	while (name && strcmp(name->text, text) != 0)
		name = name->next;
	return name;
}

static struct net_name *net_add(struct net *n, const char *text)
{
	size_t bucket = net_bucket(n, text);
	struct net_name *name = own_zeroed(1, sizeof(*name));

	name->text = own_strdup(text);
	name->index = (uint32_t)n->name_count + NET_FIRST;
	name->next = n->buckets[bucket];
	n->buckets[bucket] = name;
	n->names[n->name_count++] = name;
	return name;
}

static const struct egress_rule *net_first_rule(const struct net *n, const char *name)
{
	for (size_t i = 0; i < n->list.rule_count; i++) {
		const char *pattern = n->list.rules[i].name;

		if (pattern && host_name_matches(pattern, name))
			return &n->list.rules[i];
	}
	return NULL;
}

bool net_is_on_host(const struct net *n, const char *name)
{
	const struct egress_rule *rule = net_first_rule(n, name);

	return rule && rule->on_host;
}

void net_replace(struct net *n, struct egress_spec *list)
{
	egress_free(&n->list);
	n->list = *list;
	*list = (struct egress_spec){0};
}

void net_fini(struct net *n)
{
	egress_free(&n->list);
	host_addresses_fini(&n->host);
	for (size_t i = 0; i < n->name_count; i++) {
		free((char *)n->names[i]->text);
		free(n->names[i]);
	}
	n->name_count = 0;
}

struct net_name *net_ask(struct net *n, const char *name, uint64_t now_ms, net_refusal *why)
{
	const struct egress_rule *rule = net_first_rule(n, name);
	const char *pattern = rule ? rule->name : NULL;
	struct net_name *known = net_known(n, name);

	*why = "not listed";
	if (!pattern && !host_omits("egress-dns"))
		return NULL;
	if (pattern && *pattern == '*' && !host_omits("egress-wildcard")) {
		*why = "a name below a wildcard is too long";
		if (!wild_fits(pattern, name))
			return NULL;
		*why = "too many names below wildcards";
		if (!wild_allows(&n->wild, name, now_ms))
			return NULL;
	}
	*why = "too many names";
	if (!known &&
	    n->name_count >= (pattern && *pattern == '*' ? NET_MAX_WILD_NAMES : NET_MAX_NAMES))
		return NULL;
	*why = NULL;
	return known ? known : net_add(n, name);
}

void net_address_v4(const struct net_name *name, struct address *out)
{
	*out = (struct address){.is_v4 = true};
	memcpy(out->bytes, net_v4, sizeof(net_v4));
	out->bytes[2] = (uint8_t)(name->index >> 8);
	out->bytes[3] = (uint8_t)name->index;
}

void net_address_v6(const struct net_name *name, struct address *out)
{
	*out = (struct address){0};
	memcpy(out->bytes, net_v6, sizeof(net_v6));
	out->bytes[14] = (uint8_t)(name->index >> 8);
	out->bytes[15] = (uint8_t)name->index;
}

static const uint8_t *net_index_bytes(const struct address *a)
{
	static const uint8_t zeroes[6];

	if (a->is_v4)
		return memcmp(a->bytes, net_v4, sizeof(net_v4)) ? NULL : a->bytes + 2;
	if (memcmp(a->bytes, net_v6, sizeof(net_v6)) ||
	    memcmp(a->bytes + 8, zeroes, sizeof(zeroes)))
		return NULL;
	return a->bytes + 14;
}

bool net_is_ours(const struct address *a)
{
	return net_index_bytes(a) != NULL;
}

struct net_name *net_find(const struct net *n, const struct address *inside)
{
	const uint8_t *bytes = net_index_bytes(inside);
	size_t index = bytes ? (size_t)(bytes[0] << 8 | bytes[1]) : 0;

	return index >= NET_FIRST && index - NET_FIRST < n->name_count ? n->names[index - NET_FIRST]
								       : NULL;
}

const struct egress_rule *net_rule_of_name(const struct net *n, const char *name, uint16_t port)
{
	for (size_t i = 0; i < n->list.rule_count; i++) {
		const struct egress_rule *rule = &n->list.rules[i];

		if (rule->port != port)
			continue;
		if (host_omits("egress-list") ||
		    (rule->name && host_name_matches(rule->name, name)))
			return rule;
	}
	return NULL;
}

const struct egress_rule *net_rule_of_address(const struct net *n, const struct address *a,
					      uint16_t port)
{
	for (size_t i = 0; i < n->list.rule_count; i++) {
		const struct egress_rule *rule = &n->list.rules[i];

		if (rule->port != port)
			continue;
		if (host_omits("egress-list") ||
		    (!rule->name && address_in(a, &rule->net, rule->prefix)))
			return rule;
	}
	return NULL;
}

net_refusal net_judge(const struct net *n, const struct egress_rule *rule,
		      const struct address *outside)
{
	if (host_omits("egress-judge"))
		return NULL;
	if (host_addresses_have(&n->host, outside))
		return "an address of this host (--allow-host)";
	switch (address_kind(outside)) {
	case ADDRESS_GLOBAL:
		return NULL;
	case ADDRESS_PRIVATE:
		return rule->allow_private ? NULL : "a private address (--allow-private NAME)";
	case ADDRESS_SPECIAL:
		break;
	}
	return "an address that is not on the Internet";
}
