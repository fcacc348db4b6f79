/*
 * egress_sockets - the sockets that a network of its own hands to glovebox-egress.
 *
 * Touches the OS. Runs: monitor; the process that becomes pid 1 of a chamber. Needs: see below.
 */
#ifndef GLOVEBOX_HOST_EGRESS_SOCKETS_H
#define GLOVEBOX_HOST_EGRESS_SOCKETS_H

#include "base/err.h"
#include "inside/plan.h"
#include "spec/egress.h"

/*
 * egress_sockets_plan - what the step "egress" of a plan makes.
 *
 * @inner  of struct egress; borrowed. Without a network there is nothing to do.
 * @ports  lives as long as the plan.
 *
 * Needs: nothing.
 */
void egress_sockets_plan(const struct egress_spec *spec, int inner,
			 uint16_t ports[EGRESS_MAX_PORTS], struct inside_plan *plan);

/*
 * egress_sockets_hand_over - make them here and now, in the network namespace of the caller, and
 * wait until glovebox-egress has set up its routes.
 *
 * @inner  taken, also on errors.
 *
 * Needs: CAP_NET_BIND_SERVICE over that namespace.
 */
int egress_sockets_hand_over(const struct egress_spec *spec, int inner, struct err *e);

#endif
