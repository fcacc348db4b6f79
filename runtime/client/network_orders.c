/*
 * network_orders - read and replace the network list of a running session, and read its counters.
 */
#include "client/network_orders.h"

#include "base/own.h"
#include "client/client.h"
#include "sandbox/egress_order.h"

/* @out: owned: a copy of the control socket. */
static int network_orders_borrow(const char *where, const char *name, int *out, struct err *e)
{
	const struct network_request request = {name};
	struct op_answer answer;
	int bad;

	if (client_check_name(name, e) || client_ask_once(where, OP_NETWORK, &request, &answer, e))
		return -1;
	bad = op_answer_check_fds(&answer, e);
	if (!bad)
		*out = wire_take(&answer.message, 0);
	op_answer_fini(&answer);
	return bad;
}

int network_orders_show(const char *where, const char *name, struct egress_spec *out, struct err *e)
{
	auto_fd int control = -1;

	return network_orders_borrow(where, name, &control, e) || egress_show(control, out, e) ? -1
											       : 0;
}

int network_orders_replace(const char *where, const char *name, const struct egress_spec *list,
			   struct err *e)
{
	auto_fd int control = -1;

	return network_orders_borrow(where, name, &control, e) || egress_replace(control, list, e)
		       ? -1
		       : 0;
}

int network_orders_summarize(const char *where, const char *name, struct egress_summary *out,
			     struct err *e)
{
	auto_fd int control = -1;

	return network_orders_borrow(where, name, &control, e) || egress_summarize(control, out, e)
		       ? -1
		       : 0;
}
