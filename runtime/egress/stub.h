/*
 * stub - the resolver that programs inside ask, over UDP and TCP.
 *
 * Programs reach us at any server's address (routes.h), and we answer from that address. A listed
 * name that exists outside gets an inner address; every other name gets NXDOMAIN, because tools
 * would retry after another refusal. No unlisted query leaves this process.
 *
 * Runs: glovebox-egress. Needs: sockets of the sandbox's network namespace.
 */
#ifndef GLOVEBOX_EGRESS_STUB_H
#define GLOVEBOX_EGRESS_STUB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "egress/egress.h"
#include "protocol/dns_message.h"

#define STUB_ANSWER_MAX DNS_UDP_MAX /* an answer has at most one address */

/* A question being answered, embedded in its owner. */
struct stub_question {
	struct egress *egress;
	struct dns_query query;
	struct resolver_wait wait;
	/* Called once with an answer of `size` bytes; 0: drop the question unanswered. */
	void (*answered)(struct stub_question *q, const uint8_t *bytes, size_t size);
	bool is_tcp; /* otherwise the query limits the answer's size */
};

/*
 * stub_ask - answer a message, perhaps before this returns.
 * @q  its `egress`, `answered` and `is_tcp` are set; outlives the answer, or stub_forget().
 */
void stub_ask(struct stub_question *q, const uint8_t *message, size_t size);
void stub_forget(struct stub_question *q);

/* stub_open - answer at these two sockets; owned. */
struct stub;
int stub_open(struct egress *g, int udp, int tcp, struct stub **out, struct err *e);
void stub_close(struct stub *s);

/*
 * stub_tick - end silent TCP clients, and accept again after a pause. Returns whether a deadline is
 * set.
 */
bool stub_tick(struct stub *s);

#endif
