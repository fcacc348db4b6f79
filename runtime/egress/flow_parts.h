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
#define FLOW_HALF_MS    300000 /* without a byte, when one side has said its last */

/* flow_end - @reason: why it is refused or cut, and reset; NULL: both sides have said their last.
 */
void flow_end(struct flow *f, const char *reason);

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
