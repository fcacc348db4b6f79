/*
 * network_orders - read and replace the network list of a running session, change its published
 * ports, and read its counters.
 *
 * We ask glovebox-egress over a copy of its control socket, which the supervisor provides: the
 * session is not involved, and may be busy or frozen.
 *
 * @where  the supervisor (wire/runtime_dir.h).
 * @name   of the session.
 * Errors of all: ERR_NOT_FOUND, ERR_GONE: it has ended; ERR_INPUT: the session was started without
 * a network.
 *
 * Runs: client. Needs: nothing.
 */
#ifndef GLOVEBOX_CLIENT_NETWORK_ORDERS_H
#define GLOVEBOX_CLIENT_NETWORK_ORDERS_H

#include "base/err.h"
#include "spec/egress.h"
#include "spec/egress_summary.h"

/* Read the list. @out: on success end with egress_free(). */
int network_orders_show(const char *where, const char *name, struct egress_spec *out,
			struct err *e);

/*
 * Replace the list, and end connections that the new one does not allow.
 * Errors: also ERR_INPUT: this sandbox has no listener for a port.
 */
int network_orders_replace(const char *where, const char *name, const struct egress_spec *list,
			   struct err *e);

/* A change of the published ports of a sandbox. */
struct port_change {
	struct egress_published more[EGRESS_MAX_PUBLISHED]; /* as asked, then as they are bound */
	struct egress_published less[EGRESS_MAX_PUBLISHED]; /* as they are bound */
	size_t more_count;
	size_t less_count;
};

/*
 * Publish some ports and withdraw others, whose connections end: all of it, or nothing. This
 * process makes the sockets, so that their ports are of its network and take its rights
 * (host/published.h). @control: borrowed.
 * Errors: also ERR_EXISTS: a port is in use; ERR_INPUT: this process may not have it, or a port is
 * one of the list's own.
 */
int network_orders_change_ports_of(int control, struct port_change *change, struct err *e);

/* The change that takes this one back. */
struct port_change port_change_back(const struct port_change *change);

/* The same, of a process whose control socket the caller has; borrowed. */
int network_orders_show_of(int control, struct egress_spec *out, struct err *e);
int network_orders_replace_of(int control, const struct egress_spec *list, struct err *e);

/* Read the counters so far. @out: on success end with egress_summary_fini(). */
int network_orders_summarize(const char *where, const char *name, struct egress_summary *out,
			     struct err *e);

#endif
