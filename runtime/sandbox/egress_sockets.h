/*
 * egress_sockets - make the sockets of a sandbox's network for glovebox-egress.
 *
 * Touches the OS. Runs: monitor; the process that becomes pid 1 of a chamber. Needs: see below.
 */
#ifndef GLOVEBOX_SANDBOX_EGRESS_SOCKETS_H
#define GLOVEBOX_SANDBOX_EGRESS_SOCKETS_H

#include "base/err.h"
#include "inside/plan.h"
#include "netpolicy/egress.h"

/*
 * egress_sockets_plan - plan the sockets that the step "egress" makes.
 *
 * @inner  of struct egress; borrowed. Does nothing without a network.
 * @ports  lives as long as the plan.
 *
 * Needs: nothing.
 */
void egress_sockets_plan(const struct egress_spec *spec, int inner,
			 uint16_t ports[EGRESS_MAX_PORTS], struct inside_plan *plan);

/*
 * egress_sockets_hand_over - make the sockets in the caller's network namespace, and wait until
 * glovebox-egress has set up its routes.
 *
 * @inner  owned by the call, also on error.
 *
 * Needs: CAP_NET_BIND_SERVICE over that namespace.
 */
int egress_sockets_hand_over(const struct egress_spec *spec, int inner, struct err *e);

#endif
