/*
 * egress_sockets - make the sockets of a sandbox's network for glovebox-egress.
 */
#include "sandbox/egress_sockets.h"

#include "inside/confine.h"
#include "inside/egress.h"

void egress_sockets_plan(const struct egress_spec *spec, int inner,
			 uint16_t ports[EGRESS_MAX_PORTS], struct inside_plan *plan)
{
	plan->egress_fd = inner;
	if (!egress_is_wanted(spec))
		return;
	plan->egress_has_stub = spec->has_list;
	plan->egress_ports = ports;
	plan->egress_port_count = (uint32_t)egress_ports(spec, ports);
	/* A sandbox that stays may publish its first port later. */
	plan->egress_pool_count = spec->published_count || spec->stays ? EGRESS_POOL : 0;
}

int egress_sockets_hand_over(const struct egress_spec *spec, int inner, struct err *e)
{
	struct inside_plan plan = {0};
	uint16_t ports[EGRESS_MAX_PORTS];

	egress_sockets_plan(spec, inner, ports, &plan);
	return confine_egress(&plan, e);
}
