/*
 * network_orders - read and replace the network list of a running session, and read its counters.
 */
#include "client/network_orders.h"

#include <string.h>

#include "base/own.h"
#include "client/client.h"
#include "host/egress.h"
#include "host/published.h"

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

int network_orders_show_of(int control, struct egress_spec *out, struct err *e)
{
	return egress_show(control, out, e);
}

int network_orders_replace_of(int control, const struct egress_spec *list, struct err *e)
{
	return egress_replace(control, list, e);
}

static int network_orders_change_with(int control, const struct published *ports,
				      const struct port_change *change, struct err *e)
{
	struct err ignored;

	if (ports->count && egress_publish(control, ports, e))
		return -1;
	if (!change->less_count || !egress_withdraw(control, change->less, change->less_count, e))
		return 0;
	if (ports->count)
		(void)egress_withdraw(control, ports->ports, ports->count, &ignored);
	return -1;
}

int network_orders_change_ports_of(int control, struct port_change *change, struct err *e)
{
	struct published ports;
	int bad;

	if (published_listen(change->more, change->more_count, &ports, e))
		return -1;
	memcpy(change->more, ports.ports, sizeof(change->more));
	bad = network_orders_change_with(control, &ports, change, e);
	published_close(&ports);
	return bad;
}

struct port_change port_change_back(const struct port_change *change)
{
	struct port_change back = {.more_count = change->less_count,
				   .less_count = change->more_count};

	memcpy(back.more, change->less, sizeof(back.more));
	memcpy(back.less, change->more, sizeof(back.less));
	return back;
}

int network_orders_summarize(const char *where, const char *name, struct egress_summary *out,
			     struct err *e)
{
	auto_fd int control = -1;

	return network_orders_borrow(where, name, &control, e) || egress_summarize(control, out, e)
		       ? -1
		       : 0;
}
