/*
 * flow_parts - what the files of flow share, and nobody else.
 *
 * Runs: glovebox-egress. Needs: nothing.
 */
#ifndef GLOVEBOX_EGRESS_FLOW_PARTS_H
#define GLOVEBOX_EGRESS_FLOW_PARTS_H

#include "egress/flow.h"

#define FLOW_GATE_MS    20000  /* for a client to say for whom its connection is */
#define FLOW_CONNECT_MS 30000  /* to resolve and connect; the same again for a proxy to answer */
#define FLOW_DRAIN_MS   60000  /* for a program to take what came to its published port */
#define FLOW_HALF_MS    300000 /* without a byte, when one side has said its last */

/* flow_end - @reason: why it is refused or cut, and reset; NULL: both sides have said their last.
 */
void flow_end(struct flow *f, const char *reason);

/* flow_cut - the same, of a connection that stood: no refusal. */
void flow_cut(struct flow *f, const char *reason);

/* flow_drain - both sides have said their last; end it once the program has what was sent to it. */
void flow_drain(struct flow *f);

/* What is small goes out at once: others wait for it. */
void flow_no_delay(int fd);

/* The stages. Each may end the flow. */
void flow_resolve(struct flow *f);
void flow_connect(struct flow *f);
void flow_connected(struct flow *f); /* its socket has an answer */
void flow_proxy_ask(struct flow *f);
void flow_proxy_answered(struct flow *f); /* the proxy has said something */
void flow_stands(struct flow *f);         /* nothing is in the way of its bytes any more */
void flow_relay(struct flow *f);

/* Wait for what can happen next. */
void flow_arrange(struct flow *f);

#endif
