/*
 * stub - the resolver that programs inside ask, over UDP and TCP.
 *
 * Whatever server they ask, they ask us (routes.h), and the answer comes from the address that was
 * asked. A listed name that exists outside has an address of ours; every other name does not exist:
 * with another refusal tools would try again. Nothing of an unlisted query leaves this process.
 *
 * Runs: glovebox-egress. Needs: sockets of the sandbox's network namespace.
 */
#ifndef GLOVEBOX_EGRESS_STUB_H
#define GLOVEBOX_EGRESS_STUB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "egress/dns_message.h"
#include "egress/egress.h"

#define STUB_ANSWER_MAX DNS_UDP_MAX /* an answer has one address at most */

/* One question that is being answered; a part of whoever asked it. */
struct stub_question {
	struct egress *egress;
	struct dns_query query;
	struct resolver_wait wait;
	/* Called once with an answer of `size` bytes; 0: there is none, and it is dropped. */
	void (*answered)(struct stub_question *q, const uint8_t *bytes, size_t size);
	bool is_tcp; /* otherwise an answer has the room that the query says */
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
 * stub_tick - end TCP clients that are silent, and accept again after a pause.
 * Returns whether somebody has a deadline.
 */
bool stub_tick(struct stub *s);

#endif
