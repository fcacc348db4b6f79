/*
 * flow_parts - declarations private to the files of flow.
 *
 * Runs: glovebox-egress. Needs: nothing.
 */
#ifndef GLOVEBOX_EGRESS_FLOW_PARTS_H
#define GLOVEBOX_EGRESS_FLOW_PARTS_H

#include "egress/flow.h"

#define FLOW_GATE_MS    20000  /* for a client to name its host */
#define FLOW_CONNECT_MS 30000  /* to resolve and connect; again for a proxy to answer */
#define FLOW_DRAIN_MS   60000  /* for a program to read what its published port received */
#define FLOW_HALF_MS    300000 /* idle time, once one side has closed */

/* flow_end - @reason: why to refuse or cut it, by a reset; NULL: both sides have closed. */
void flow_end(struct flow *f, const char *reason);

/* flow_cut - reset an established connection; not a refusal. */
void flow_cut(struct flow *f, const char *reason);

/* flow_drain - both sides have closed: end the flow once the program has read everything. */
void flow_drain(struct flow *f);

/* Send small writes at once (TCP_NODELAY): the peer waits for them. */
void flow_no_delay(int fd);

/* The stages. Each may end the flow. */
void flow_resolve(struct flow *f);
void flow_connect(struct flow *f);
void flow_connected(struct flow *f); /* connect(2) has a result */
void flow_proxy_ask(struct flow *f);
void flow_proxy_answered(struct flow *f); /* the proxy has sent bytes */
void flow_stands(struct flow *f);         /* established: bytes may be relayed */
void flow_relay(struct flow *f);

/* Watch for the events that the current stage needs. */
void flow_arrange(struct flow *f);

#endif
