/*
 * stub - answer DNS questions of programs in the sandbox.
 */
#include "egress/stub.h"

#include <string.h>

#define STUB_TTL_S 20 /* less than the resolver caches an answer */

static void stub_reply(struct stub_question *q, enum dns_outcome outcome, const struct address *a)
{
	uint8_t bytes[STUB_ANSWER_MAX];

	q->answered(q, bytes,
		    dns_answer(&q->query, outcome, a, a ? 1 : 0, STUB_TTL_S, bytes,
			       q->is_tcp ? sizeof(bytes) : q->query.udp_size));
}

static bool stub_has_family(const struct net_name *name, bool v4)
{
	for (size_t i = 0; i < name->place.count; i++) {
		if (name->place.addresses[i].is_v4 == v4)
			return true;
	}
	return false;
}

/*
 * Give every existing name an inner IPv4 address, and an IPv6 one if it has one outside: a client
 * that prefers IPv6 then behaves as it would outside. A proxy does not tell us a name's addresses,
 * so such a name gets IPv4 only. Other types have no records.
 */
static void stub_tell(struct stub_question *q, const struct net_name *name)
{
	struct address a;

	if (q->query.type == DNS_TYPE_A) {
		net_address_v4(name, &a);
		stub_reply(q, DNS_ADDRESSES, &a);
	} else if (q->query.type == DNS_TYPE_AAAA && stub_has_family(name, false)) {
		net_address_v6(name, &a);
		stub_reply(q, DNS_ADDRESSES, &a);
	} else {
		stub_reply(q, DNS_NODATA, NULL);
	}
}

static void stub_resolved(struct resolver_wait *w, int status)
{
	struct stub_question *q =
		(struct stub_question *)((char *)w - offsetof(struct stub_question, wait));

	if (status < 0)
		stub_reply(q, DNS_SERVFAIL, NULL);
	else if (status > 0)
		stub_reply(q, DNS_NXDOMAIN, NULL);
	else
		stub_tell(q, w->name);
}

void stub_ask(struct stub_question *q, const uint8_t *message, size_t size)
{
	struct egress *g = q->egress;
	net_refusal why = NULL;
	struct net_name *name;

	if (dns_query_parse(message, size, &q->query)) {
		if (q->query.has_id)
			stub_reply(q, q->query.outcome, NULL);
		else
			q->answered(q, NULL, 0);
		return;
	}
	if (q->query.class != DNS_CLASS_IN) {
		stub_reply(q, DNS_NOTIMP, NULL);
		return;
	}
	name = net_ask(&g->net, q->query.name, g->reactor.now_ms, &why);
	record_add(&g->record, &(struct record_entry){.what = "query",
						      .name = q->query.name,
						      .port = 53,
						      .is_refused = why,
						      .reason = why});
	q->wait = (struct resolver_wait){.done = stub_resolved};
	if (!name)
		stub_reply(q, DNS_NXDOMAIN, NULL);
	else if (g->proxy.count || net_is_on_host(&g->net, name->text))
		stub_tell(q, name);
	else
		resolver_ask(g->resolver, name, &q->wait);
}

void stub_forget(struct stub_question *q)
{
	resolver_forget(q->egress->resolver, &q->wait);
}
